-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE targets (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    workspace  TEXT   COLLATE "C" NOT NULL,
    name       TEXT   COLLATE "C" NOT NULL,
    disabled   TEXT   COLLATE "C",
    cursor     BIGINT NOT NULL,
    looked_at  BIGINT NOT NULL,
    revision   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    body       BYTEA  NOT NULL
);

CREATE UNIQUE INDEX targets_by_name ON targets (workspace, name);

CREATE TABLE outbox (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    workspace  TEXT   COLLATE "C" NOT NULL,
    target     TEXT   COLLATE "C" NOT NULL REFERENCES targets (id),
    item       TEXT   COLLATE "C" NOT NULL,
    kind       TEXT   COLLATE "C" NOT NULL,
    session    TEXT   COLLATE "C",
    message    TEXT   COLLATE "C",
    created_at BIGINT NOT NULL,
    due_at     BIGINT NOT NULL,
    tried_at   BIGINT,
    attempts   BIGINT NOT NULL,
    state      TEXT   COLLATE "C" NOT NULL,
    error      TEXT   COLLATE "C"
);

CREATE UNIQUE INDEX outbox_of_target ON outbox (target, item);
CREATE INDEX outbox_due ON outbox (state, due_at, id);
CREATE INDEX outbox_of_workspace ON outbox (workspace, created_at, id);

CREATE TABLE links (
    hash       TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    workspace  TEXT    COLLATE "C" NOT NULL,
    target     TEXT    COLLATE "C" NOT NULL REFERENCES targets (id),
    person     TEXT    COLLATE "C" NOT NULL,
    private    BOOLEAN NOT NULL,
    session    TEXT    COLLATE "C" NOT NULL,
    approval   TEXT    COLLATE "C" NOT NULL,
    digest     TEXT    COLLATE "C" NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    used_at    BIGINT
);

CREATE INDEX links_of_target ON links (target);
