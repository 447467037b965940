-- Hashes that recur from row to row: bodies of the log and of the ledger have their numbers. They are never taken out.
CREATE TABLE hashes (
    hash_id INTEGER PRIMARY KEY,
    hash    BLOB NOT NULL UNIQUE CHECK (length(hash) = 32)
) STRICT;

-- The ledger anew: the hash of a command is its bytes (behind a sign where it is no hash), and an id that the key gives is empty.
CREATE TABLE compact_calls (
    session_id   INTEGER NOT NULL REFERENCES sessions (session_id),
    sequence     INTEGER NOT NULL CHECK (sequence >= 0),
    ordinal      INTEGER NOT NULL CHECK (ordinal >= 0),
    id           TEXT    NOT NULL,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    command      TEXT    NOT NULL,
    command_id   BLOB    NOT NULL,
    kind         TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    attempt      INTEGER NOT NULL CHECK (attempt >= 0),
    exchange     INTEGER NOT NULL CHECK (exchange >= 0),
    requested_at INTEGER NOT NULL,
    finished_at  INTEGER,
    result_seq   INTEGER,
    body         BLOB    NOT NULL,
    PRIMARY KEY (session_id, sequence, ordinal)
) STRICT, WITHOUT ROWID;

INSERT INTO compact_calls (
    session_id, sequence, ordinal, id, workspace_id, command, command_id, kind, state, attempt, exchange, requested_at,
    finished_at, result_seq, body
)
SELECT
    calls.session_id, calls.sequence, calls.ordinal,
    CASE
        WHEN calls.id = 'cal_' || CASE substr(sessions.id, 1, 4) WHEN 'ses_' THEN substr(sessions.id, 5) ELSE sessions.id END
            || '_' || calls.sequence || '_' || calls.ordinal THEN ''
        ELSE calls.id
    END,
    calls.workspace_id, calls.command,
    CASE
        WHEN length(calls.command_id) = 64 AND calls.command_id NOT GLOB '*[^0-9a-f]*' THEN unhex(calls.command_id)
        WHEN length(CAST(calls.command_id AS BLOB)) = 31 THEN CAST('~' || calls.command_id || '~' AS BLOB)
        ELSE CAST('=' || calls.command_id AS BLOB)
    END,
    calls.kind, calls.state, calls.attempt, calls.exchange, calls.requested_at, calls.finished_at, calls.result_seq,
    calls.body
FROM calls JOIN sessions ON sessions.session_id = calls.session_id
ORDER BY calls.session_id, calls.sequence, calls.ordinal;

DROP TABLE calls;
ALTER TABLE compact_calls RENAME TO calls;
CREATE INDEX calls_unknown ON calls (workspace_id, requested_at) WHERE state = 'unknown';
CREATE INDEX calls_undecided ON calls (session_id) WHERE state = 'waiting_decision';
