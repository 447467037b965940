-- Tickets that open a stream of the log as a token, for clients that can send no header. Rows whose time is over go when
-- the next one is added.
CREATE TABLE stream_tickets (
    hash       TEXT    NOT NULL PRIMARY KEY,
    token      TEXT    NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    path       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX stream_tickets_of_token ON stream_tickets (token, created_at, hash);
CREATE INDEX stream_tickets_by_end ON stream_tickets (expires_at);
