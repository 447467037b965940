-- What people tell the models of a workspace, of the runs of an automation, or of one session, in versions. `target` is the id
-- of the automation or the session, and empty for the workspace itself; what is deleted takes its rows with it. A prompt that
-- was sent has its own copy, so old versions go first.
CREATE TABLE instructions (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    scope        TEXT    NOT NULL,
    target       TEXT    NOT NULL,
    version      INTEGER NOT NULL,
    text         TEXT    NOT NULL,
    digest       TEXT    NOT NULL,
    author       TEXT    NOT NULL,
    source       TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, scope, target, version)
) STRICT, WITHOUT ROWID;
