-- What attempts of model calls used and cost, a row each, written by the commits that start and end them, so that no
-- report reads the log. No reference to the session: its rows are deleted with it, and every insert would look it up.
CREATE TABLE costs (
    workspace_id     INTEGER NOT NULL,
    session_id       INTEGER NOT NULL,
    round            INTEGER NOT NULL,
    attempt          INTEGER NOT NULL,
    at               INTEGER NOT NULL,
    automation       TEXT,
    provider         TEXT    NOT NULL,
    model            TEXT    NOT NULL,
    input            INTEGER NOT NULL,
    cache_read       INTEGER NOT NULL,
    cache_write      INTEGER NOT NULL,
    output           INTEGER NOT NULL,
    unknown_attempts INTEGER NOT NULL,
    micros           INTEGER NOT NULL,
    rest             INTEGER NOT NULL,
    priced           INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_id, round, attempt)
) STRICT, WITHOUT ROWID;

-- Sessions from before this table, whose attempts are added up when the database is opened. One whose log could not be
-- read stays, as tried.
CREATE TABLE uncounted_sessions (
    session_id   INTEGER NOT NULL PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
    workspace_id INTEGER NOT NULL,
    tried        INTEGER NOT NULL DEFAULT 0 CHECK (tried IN (0, 1))
) STRICT;

INSERT INTO uncounted_sessions (session_id, workspace_id) SELECT session_id, workspace_id FROM sessions;
