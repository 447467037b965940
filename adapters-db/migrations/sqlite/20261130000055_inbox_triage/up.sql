-- Items of the inbox that a person snoozed, of one version each: another version is awake. They go with their session.
CREATE TABLE inbox_snoozes (
    session_id   INTEGER NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    item         TEXT    NOT NULL,
    person       TEXT    NOT NULL,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    version      TEXT    NOT NULL,
    until        INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (session_id, item, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_snoozes_of_workspace ON inbox_snoozes (workspace_id);

-- Items of the inbox that are assigned to a person, also when they wait no longer. They go with their session.
CREATE TABLE inbox_assignments (
    session_id   INTEGER NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    item         TEXT    NOT NULL,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    person       TEXT    NOT NULL,
    author       TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (session_id, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_assignments_of_workspace ON inbox_assignments (workspace_id);
