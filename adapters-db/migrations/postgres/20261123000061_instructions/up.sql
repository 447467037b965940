-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE instructions (
    workspace_id BIGINT NOT NULL REFERENCES workspaces (workspace_id),
    scope        TEXT   COLLATE "C" NOT NULL,
    target       TEXT   COLLATE "C" NOT NULL,
    version      BIGINT NOT NULL,
    text         TEXT   COLLATE "C" NOT NULL,
    digest       TEXT   COLLATE "C" NOT NULL,
    author       TEXT   COLLATE "C" NOT NULL,
    source       TEXT   COLLATE "C" NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, scope, target, version)
);
