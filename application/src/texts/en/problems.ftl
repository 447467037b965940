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

# Details of refusals, which the routes themselves give.
refusal-field = { $path }: { $says }
refusal-none-of = { $given } is none of { $words }
refusal-instant = not an instant of RFC 3339, such as 2026-11-22T08:00:00Z
refusal-no-path = there is no such path; see /docs
refusal-other-methods = this path takes other methods; see /docs
refusal-body-large = the body is too large
refusal-body-media = send the body as application/json
refusal-unreadable = the request cannot be read
refusal-internal = see the log of the server, by the id of the request
refusal-path-unreadable = the path cannot be read
refusal-host = this server does not answer to that name; set server.public_url or server.hosts
refusal-origin = only pages of this server may ask; a program sends no Origin and no Sec-Fetch-Site
refusal-ending = the server is about to end; try again when it is back
refusal-address-full = this address holds { $most } of them already ({ $setting }); close some, and try again
refusal-login-only = this is for a person who logged in with a browser, not for a token
refusal-operator = this is about the whole server; it needs a token for every workspace
refusal-path-not-utf8 = the path is not UTF-8
refusal-no-token-sent = send a token: Authorization: Bearer entr_…
refusal-token-invalid = the token is not valid; make one
refusal-token-expired = the token has expired; make a new one
refusal-token-revoked = the token was revoked; make a new one
refusal-ticket = this ticket has expired, was revoked, or is of another stream; ask for one: POST /v1/tickets
refusal-token-revoked-meanwhile = this token was revoked while the request was under way; nothing was changed
refusal-outside-session = this token only reads and talks in its session; use one that is not for a page of another site
refusal-origin-unlisted = no token names this origin; make one for its pages: POST …/tokens with session and origins
refusal-token-requests = this token made more than { $most } requests in a minute; try again in { $seconds } s
refusal-wrong-tokens = too many wrong tokens from { $address }; try again in { $seconds } s
refusal-terminal-logins = too many logins of terminals began at { $address }; try again in { $seconds } s
refusal-callbacks = { $address } called back more than { $most } times in a minute; try again in { $seconds } s
refusal-commit-stalled = a COMMIT has not come back for longer than database.commit_warning; nothing is written until it does
refusal-streams-workspace = this workspace has { $open ->
    [one] { $open } stream
   *[other] { $open } streams
} open; close one, or read all sessions on one stream
refusal-streams-token = this token has { $open ->
    [one] { $open } stream
   *[other] { $open } streams
} open; close one, or read all sessions on one stream
refusal-read-too = the answer shows data, so this needs the scope read too; the token has { $scopes }; make another one
refusal-replay-read = this was done before, under the same key; to be shown what became of it needs the scope read
refusal-if-match = send the ETag of what you read as If-Match, in its quotes; “*” and weak tags name nothing that was read
refusal-page-limit = { $limit } is not between 1 and { $most }
refusal-cursor-other = this cursor was not given for this list with this filter; begin again without `after`
refusal-key-under-way = a request under this key is being done; ask again in a moment, under the same key
refusal-key = an Idempotency-Key is 1 to { $most } visible ASCII characters without spaces; send one, a new one with each request
refusal-body-secret = the body has other fields, or other types, than this route takes; what it has is not repeated, because it may be a secret
refusal-not-json = send the body as JSON, with Content-Type: application/json
refusal-json-depth = the JSON is nested deeper than { $most ->
    [one] { $most } level
   *[other] { $most } levels
}
refusal-not-export = send the file as it was exported, with Content-Type: application/json
refusal-body-slow = the body took longer than { $seconds } s
refusal-body-cut = the body ended before its end
refusal-body-most = a body has { $most } bytes at most
refusal-stream-upgrade = { $why }; ask for server-sent events without Upgrade
refusal-stream-cursor = “{ $given }” is not a valid cursor; send the id of the last frame as it came, “now”, or “0” for all there is
refusal-span-negative = a span is not shorter than 0 ms
refusal-answered-twice = { $given } is answered twice; answer it once
refusal-no-thread-approval = { $given } is no approval of this thread
refusal-approve-scope = to decide on calls needs the scope approve; use a token that has it
refusal-no-thread-question = { $given } is no question of this thread
refusal-no-interrupt = { $given } is no interrupt; send its id as it was told
refusal-payload-undecided = the payload for { $given } does not say whether it is approved; send { $yes }, { $edited }, or { $no }
refusal-payload-unanswered = the payload for { $given } has no answer; send { $form }
refusal-id-length = must have 1 to { $most } characters
refusal-part-kind = a part is { $kind }; only text and binary can be sent
refusal-part-untyped = a part has no type; only text and binary can be sent
refusal-part-unnamed = a binary part
refusal-part-base64 = the data of { $name } is not base64; send its bytes in base64, with their padding
refusal-part-without-bytes = { $name } has neither data nor id, and no address is read; send its bytes as data, in base64, or store it with POST …/files and send its digest as id
refusal-message-text = must be a text, or parts of text
refusal-thread-waits = the thread waits for a person; answer what it waits for with resume
refusal-thread-unknown = there is no thread { $thread }; begin one with a message, under a name of your own
refusal-thread-deleted = there is no thread { $thread }; it was deleted; begin another one
refusal-thread-gone = the session of this thread is gone
refusal-log-level = not one of { $words }
refusal-log-lines = give 1 to { $most }
refusal-dollars = { $given } is not an amount of dollars, like 0.25
refusal-no-model-call = there is no model call { $call }; list them: …/sessions/{"{s}"}/model-calls
refusal-provider-there = the configuration has a provider of that name; read it, and send its ETag as If-Match
refusal-no-provider = there is no provider { $provider }
refusal-provider-not-in-file = the configuration file of the server has no provider { $provider }; one from elsewhere is changed there
refusal-not-owner = this server does not own the database now; it owns it again by itself once it is free. GET /v1/admin/owner says which process owned it last
refusal-database-slow = the database did not answer within { $milliseconds } ms (server.ready_timeout)
refusal-login-link = this link was used or has expired; ask for a new one
refusal-invitation = there is no such invitation for you, it was used, or it has expired; ask for a new one
refusal-no-tool-server = there is no MCP server { $server } whose tools are known; see …/tool-servers
refusal-workspace-key = a workspace is USER:COLLECTION, of { $most } characters at most and without spaces
refusal-cursor-page = this cursor names no page; begin again without `after`
refusal-target-machine = this is given on the machine of the server alone
refusal-target-variable = name a variable that begins with ENTRACTE_NOTIFY_
refusal-webhook-key = a webhook needs the key of its signature
refusal-push-secret = a push subscription needs no secret of the server
refusal-target-way = give either webhook, ntfy or push
refusal-no-target = there is no target { $target }; list them: …/targets
refusal-target-scopes = a target with links, or that is private, needs a token with the scopes read and approve
refusal-target-person = this target is for its person and for an admin to change
refusal-terminal-name = a name has 1 to { $most } visible characters on one line, like ann@laptop
refusal-terminals-off = terminals do not log in here (server.terminal_logins); use a token: entr_…
refusal-terminals-full = { $count ->
    [one] { $count } terminal waits
   *[other] { $count } terminals wait
} for a person already (server.terminal_logins); try again later
refusal-terminal-decided = this login was decided before; to decide again, start anew in the terminal
refusal-terminal-read = a terminal needs read
refusal-not-own-address = not an address of this server, such as https://entracte.example
refusal-no-https-address = no other device can open the server over https; set server.bind to an address of its network, with TLS, or put a proxy in front and set server.public_url
refusal-no-terminal = no terminal waits with this code: it has expired, its terminal took its token, or the server was started again; start anew in the terminal
refusal-login-refused = a person refused this login
refusal-login-unknown = this login has expired, its token was taken before, or the server was started again; start anew
refusal-login-ended = the login that allowed this one has ended meanwhile; start anew
refusal-other-session = { $approval } is of the session { $session }
refusal-not-stream = not the path of a stream, such as /v1/workspaces/ann:home/events
refusal-callback-ended = the task ended otherwise before; this end is kept for a person to look at
refusal-four-eyes-off = only an operator, whose token reaches every workspace, switches four eyes off
refusal-no-model-spoke = no model said anything in this session
refusal-command-pattern = { $given } is no command and no pattern like files.*
refusal-enrichment = enrichments/{ $number } cannot be read
refusal-file-not-utf8 = the file is not UTF-8
refusal-rule-gone = the rule was made and is gone again
refusal-no-rule = there is no rule { $rule }; list them: …/rules?all=true
refusal-nothing-called = there is nothing called { $id } here
refusal-other-text = { $proposal } is not a proposal for that text
refusal-link-unopened = open the link first, and send what it gave
refusal-link-spent = this link was used or has expired; see what waits in the console
refusal-link-person = log in as the person whom this link was sent to, on this browser, and open it again
refusal-link-decided = it was decided, or waits for nobody any more
refusal-link-changed = what is asked has changed since this link was sent; see what waits in the console
refusal-link-unfit = this is not for a link to decide; see it in the console
refusal-origins-session = origins need a session: the token is for pages that talk in one
refusal-no-token = there is no token { $token }; list them: …/tokens
refusal-tokens-everywhere = tokens for every workspace are made, listed and revoked on the machine of the server
refusal-no-default-provider = the configuration names no default; give one, or set default_provider
refusal-inbox-order = not age, session or automation
refusal-inbox-age = not a duration, such as 90m, 24h or 3d
refusal-no-data = there is no { $kind } { $id }
refusal-other-tool = { $entry } is no entry of that tool
refusal-entry-there = there is an entry of that name; read it, and send its ETag as If-Match
refusal-no-section = there is no section { $section } of entries; there are: { $known }
refusal-no-entry = there is no entry { $entry } in { $section }
refusal-entry-not-in-file = the configuration file of the server has no entry { $entry }; one from elsewhere is changed there
refusal-no-offer = no MCP server offers { $command }; see the commands: …/commands
refusal-offer-accepted = it was accepted as it is offered; there is nothing to accept
refusal-offer-loosens = it would need no approval any more; say that you want that: true
refusal-no-embeddings = search by meaning is off; the configuration of the server has no [embeddings]
refusal-pdf-base64 = “pdf” is not base64: { $why }; send the bytes of the file in base64
refusal-no-automation = there is no automation { $automation }; list them: …/automations
refusal-nothing-changed = nothing is to be changed; give a field with its new value
refusal-enrichments-alone = they belong to a message; give it, too
refusal-schedule-both = give either cron or crontab
refusal-callback-forged = the message is not signed by whom the task was given to, or was signed more than five minutes away from now
refusal-stream-resync = the stream cannot go on ({ $why }); run again
refusal-session-parked = the session rests until somebody looks at it
refusal-stream-ends = the stream ends ({ $why }), the session goes on; run again to read on

# What is wrong with the report of a task server.
refusal-report-no-json = it is not valid JSON: { $why }
refusal-report-object = it must be an object
refusal-report-missing = it is missing
refusal-report-status = “{ $given }” is not one of: { $words }
refusal-report-text = it must be a text
refusal-report-long = it must have { $most } characters at most
refusal-report-result = it must be an object, such as { $form }
refusal-report-error = it must be a text, or an object with a message
refusal-report-instant = “{ $given }” is not an instant such as 2026-11-22T10:30:00Z
refusal-report-seconds = it must be a number of seconds
refusal-report-type = the task is of type “{ $known }”
refusal-report-task = it names another task
