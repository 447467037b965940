-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE tasks (
    id           TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    workspace_id BIGINT  NOT NULL REFERENCES workspaces (workspace_id),
    session      TEXT    COLLATE "C" NOT NULL,
    call         TEXT    COLLATE "C" NOT NULL,
    command      TEXT    COLLATE "C" NOT NULL,
    state        TEXT    COLLATE "C" NOT NULL,
    open         BOOLEAN NOT NULL,
    wake_at      BIGINT,
    created_at   BIGINT  NOT NULL,
    body         BYTEA   NOT NULL
);

CREATE INDEX tasks_of_session ON tasks (workspace_id, session);
CREATE INDEX tasks_due ON tasks (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX tasks_wake ON tasks (workspace_id, wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE task_arrivals (
    task       TEXT   COLLATE "C" NOT NULL REFERENCES tasks (id),
    webhook_id TEXT   COLLATE "C" NOT NULL,
    digest     TEXT   COLLATE "C" NOT NULL,
    verdict    TEXT   COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (task, webhook_id)
);
