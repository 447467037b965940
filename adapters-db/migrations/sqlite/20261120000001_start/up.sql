-- "entr": says whose file this is, also to file(1).
PRAGMA application_id = 1701737586;

CREATE TABLE workspaces (
    workspace_id INTEGER PRIMARY KEY,
    key          TEXT    NOT NULL UNIQUE,
    seq          INTEGER NOT NULL CHECK (seq >= 0),
    body         BLOB    NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;

-- rank: 0 waits for a person, 1 open, 2 ended; the order of lists.
CREATE TABLE sessions (
    session_id    INTEGER PRIMARY KEY,
    workspace_id  INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    id            TEXT    NOT NULL UNIQUE,
    kind          TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    standing      TEXT    NOT NULL,
    phase         TEXT    NOT NULL,
    sequence      INTEGER NOT NULL CHECK (sequence >= 0),
    placed        INTEGER NOT NULL CHECK (placed IN (0, 1)),
    working       INTEGER NOT NULL CHECK (working IN (0, 1)),
    rank          INTEGER NOT NULL CHECK (rank IN (0, 1, 2)),
    wake_at       INTEGER,
    end_reason    TEXT,
    created_at    INTEGER NOT NULL,
    last_activity INTEGER NOT NULL,
    body          BLOB    NOT NULL
) STRICT;

CREATE INDEX sessions_list    ON sessions (workspace_id, rank, last_activity DESC);
CREATE INDEX sessions_waiting ON sessions (last_activity DESC) WHERE rank = 0;
CREATE INDEX sessions_placed  ON sessions (workspace_id)       WHERE placed;
CREATE INDEX sessions_working ON sessions (session_id)         WHERE working;
CREATE INDEX sessions_wake    ON sessions (workspace_id, wake_at) WHERE wake_at IS NOT NULL;

-- Clustered by workspace, so that what one turn appends lands on one page.
CREATE TABLE log (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    seq          INTEGER NOT NULL CHECK (seq >= 1),
    session_id   INTEGER NOT NULL REFERENCES sessions (session_id),
    sequence     INTEGER NOT NULL CHECK (sequence >= 0),
    at           INTEGER NOT NULL,
    label        TEXT    NOT NULL,
    client_key   TEXT,
    body         BLOB    NOT NULL,
    PRIMARY KEY (workspace_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX        log_session    ON log (session_id, seq);
CREATE UNIQUE INDEX log_sequence   ON log (session_id, sequence);
CREATE UNIQUE INDEX log_client_key ON log (session_id, client_key) WHERE client_key IS NOT NULL;

-- The ledger. The text of a call's id is derived from its key, so no index of its own finds it.
CREATE TABLE calls (
    session_id   INTEGER NOT NULL REFERENCES sessions (session_id),
    sequence     INTEGER NOT NULL CHECK (sequence >= 0),
    ordinal      INTEGER NOT NULL CHECK (ordinal >= 0),
    id           TEXT    NOT NULL,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    command      TEXT    NOT NULL,
    command_id   TEXT    NOT NULL,
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

CREATE INDEX calls_unknown ON calls (workspace_id, requested_at) WHERE state = 'unknown';

-- A rowid table: the bytes are large, and rows are found by their hash only.
CREATE TABLE blobs (
    blob_id INTEGER PRIMARY KEY,
    digest  TEXT NOT NULL UNIQUE,
    bytes   BLOB NOT NULL
) STRICT;

CREATE TABLE resources (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    kind         TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    parent_kind  TEXT,
    parent       TEXT,
    name         TEXT    NOT NULL,
    at           INTEGER,
    version      INTEGER NOT NULL CHECK (version >= 1),
    body         TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, kind, id),
    FOREIGN KEY (workspace_id, parent_kind, parent)
        REFERENCES resources (workspace_id, kind, id) ON DELETE CASCADE,
    CHECK ((parent IS NULL) = (parent_kind IS NULL))
) STRICT;

-- The first serves lists, the second finds what a deletion takes with it.
CREATE INDEX resources_list     ON resources (workspace_id, kind, parent, at, name, id);
CREATE INDEX resources_children ON resources (workspace_id, parent_kind, parent) WHERE parent IS NOT NULL;

-- The key of the workspace as text: mail may come before the workspace's first commit. Numbers are never given
-- twice, because a poster waits for the answer to its number.
CREATE TABLE mail (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace TEXT    NOT NULL,
    body      BLOB    NOT NULL,
    posted_at INTEGER NOT NULL,
    answer    BLOB
) STRICT;

CREATE INDEX mail_unanswered ON mail (id) WHERE answer IS NULL;
