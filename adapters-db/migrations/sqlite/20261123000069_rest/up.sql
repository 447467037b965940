-- A commit writes as few pages as it can. A session that works changes with each of its commits, so while it works it is only in
-- the indexes whose columns stay: of its id, of its place, of its work. The others have the sessions that rest; a list reads the
-- few that work beside them. `working` stands in those that are read alone, because a question names it.
DROP INDEX sessions_list;
DROP INDEX sessions_waiting;
DROP INDEX sessions_wake;
DROP INDEX sessions_due;
CREATE INDEX sessions_list ON sessions (workspace_id, rank, last_activity DESC, session_id, phase, working) WHERE NOT working;
CREATE INDEX sessions_wake ON sessions (workspace_id, wake_at, last_activity) WHERE wake_at IS NOT NULL AND NOT working;
CREATE INDEX sessions_due  ON sessions (wake_at, last_activity)               WHERE wake_at IS NOT NULL AND NOT working;
-- All that a list of sessions shows, as before.
CREATE INDEX sessions_waiting ON sessions (
    last_activity DESC, session_id, workspace_id, id, kind, name, standing, phase, rank, wake_at, end_reason, created_at, working
) WHERE rank = 0 AND NOT working;

-- The log by one number: that of the workspace, then that of the entry (2^36 of them). Under it SQLite appends to a page and leaves
-- the others as they are; under a key of two columns it wrote the pages beside it again with every few entries. The entries of a
-- session behind a number of its workspace are found by the sequence of the last one before, because both grow together: one index
-- serves both.
CREATE TABLE placed_log (
    place        INTEGER PRIMARY KEY,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    seq          INTEGER NOT NULL CHECK (seq >= 1),
    session_id   INTEGER NOT NULL REFERENCES sessions (session_id),
    sequence     INTEGER NOT NULL CHECK (sequence >= 0),
    at           INTEGER NOT NULL,
    label        TEXT    NOT NULL,
    client_key   TEXT,
    body         BLOB    NOT NULL,
    CHECK (place = workspace_id * 68719476736 + seq)
) STRICT;

INSERT INTO placed_log (place, workspace_id, seq, session_id, sequence, at, label, client_key, body)
SELECT workspace_id * 68719476736 + seq, workspace_id, seq, session_id, sequence, at, label, client_key, body
FROM log ORDER BY workspace_id, seq;

DROP TABLE log;
ALTER TABLE placed_log RENAME TO log;
CREATE UNIQUE INDEX log_sequence   ON log (session_id, sequence);
CREATE UNIQUE INDEX log_client_key ON log (session_id, client_key) WHERE client_key IS NOT NULL;
