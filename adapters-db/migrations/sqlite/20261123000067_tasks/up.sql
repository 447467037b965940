-- Long tasks: what another service does for a call, and whose end comes later. The row is the truth of a task; a session
-- only reads news of it. It goes with its session.
CREATE TABLE tasks (
    id           TEXT    NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    session      TEXT    NOT NULL,
    call         TEXT    NOT NULL,
    command      TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    open         INTEGER NOT NULL CHECK (open IN (0, 1)),
    wake_at      INTEGER,
    created_at   INTEGER NOT NULL,
    body         BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

-- The tasks of a session, and those of a workspace.
CREATE INDEX tasks_of_session ON tasks (workspace_id, session);
-- What is due, in any workspace.
CREATE INDEX tasks_due ON tasks (wake_at) WHERE wake_at IS NOT NULL;
-- The same in one workspace.
CREATE INDEX tasks_wake ON tasks (workspace_id, wake_at) WHERE wake_at IS NOT NULL;

-- What was told of a task under an id of its sender, which is taken in once.
CREATE TABLE task_arrivals (
    task       TEXT    NOT NULL REFERENCES tasks (id),
    webhook_id TEXT    NOT NULL,
    digest     TEXT    NOT NULL,
    verdict    TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (task, webhook_id)
) STRICT, WITHOUT ROWID;
