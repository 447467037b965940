-- Who is told what. `workspace` is a key and refers to no row, because a target may be added before its workspace is first
-- written to. Secrets are named in `body`, and none is in it.
CREATE TABLE targets (
    id         TEXT    NOT NULL PRIMARY KEY,
    workspace  TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    disabled   TEXT,
    cursor     INTEGER NOT NULL,
    looked_at  INTEGER NOT NULL,
    revision   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    body       BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX targets_by_name ON targets (workspace, name);

-- One thing that one target is told, once.
CREATE TABLE outbox (
    id         TEXT    NOT NULL PRIMARY KEY,
    workspace  TEXT    NOT NULL,
    target     TEXT    NOT NULL REFERENCES targets (id),
    item       TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    session    TEXT,
    message    TEXT,
    created_at INTEGER NOT NULL,
    due_at     INTEGER NOT NULL,
    tried_at   INTEGER,
    attempts   INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    error      TEXT
) STRICT;

CREATE UNIQUE INDEX outbox_of_target ON outbox (target, item);
CREATE INDEX outbox_due ON outbox (state, due_at, id);
CREATE INDEX outbox_of_workspace ON outbox (workspace, created_at, id);

-- Links to one card; of a secret only its hash is kept.
CREATE TABLE links (
    hash       TEXT    NOT NULL PRIMARY KEY,
    workspace  TEXT    NOT NULL,
    target     TEXT    NOT NULL REFERENCES targets (id),
    person     TEXT    NOT NULL,
    private    INTEGER NOT NULL,
    session    TEXT    NOT NULL,
    approval   TEXT    NOT NULL,
    digest     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT;

CREATE INDEX links_of_target ON links (target);
