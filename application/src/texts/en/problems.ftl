# What a refusal over HTTP says: its title by its code, and what is wrong this time.

# Titles, by codes.
problem-malformed = The request cannot be read
problem-cursor-invalid = The cursor does not belong to this list
problem-unauthorized = A valid token is needed
problem-scope-missing = The token does not allow this
problem-four-eyes = Somebody else must approve
problem-consent-needed = The person must consent
problem-host-refused = The host is not one of this server
problem-origin-refused = The request comes from a page of another origin
problem-login-needed = Its person has to log in
problem-login-refused = The login was refused
problem-not-found = Not found
problem-method-not-allowed = The method is not allowed here
problem-conflict = It cannot be done any more
problem-already-decided = It was decided before
problem-already-held = Somebody else holds it
problem-ended = It waits for nobody any more
problem-not-applicable = There is nothing that it could apply to
problem-idempotency-in-progress = A request under this key is being done
problem-link-spent = The link was used or has expired
problem-changed = It has changed since it was read
problem-too-large = The body is too large
problem-media-type = The body must be JSON
problem-invalid = The request is not valid
problem-idempotency-mismatch = The key was used for another request
problem-precondition-required = If-Match is needed
problem-rate-limited = Too many requests
problem-too-many-streams = Too many streams are open
problem-internal = The server failed
problem-not-taken = The owner of the database did not answer
problem-database-unavailable = The database cannot be used
problem-readers-busy = Too many documents wait to be read
problem-shutting-down = The server is shutting down
