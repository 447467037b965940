-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE changes (
    workspace_id BIGINT  NOT NULL REFERENCES workspaces (workspace_id),
    seq          BIGINT  NOT NULL,
    kind         TEXT    COLLATE "C" NOT NULL,
    id           TEXT    COLLATE "C" NOT NULL,
    revision     BIGINT,
    gone         BOOLEAN NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);
