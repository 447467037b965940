-- Items of the inbox that a person snoozed, of one version each: another version is awake. They go with their session.
CREATE TABLE inbox_snoozes (
    session_id   BIGINT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    item         TEXT   COLLATE "C" NOT NULL,
    person       TEXT   COLLATE "C" NOT NULL,
    workspace_id BIGINT NOT NULL REFERENCES workspaces (workspace_id),
    version      TEXT   COLLATE "C" NOT NULL,
    until        BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (session_id, item, person)
);
CREATE INDEX inbox_snoozes_of_workspace ON inbox_snoozes (workspace_id);

-- Items of the inbox that are assigned to a person, also when they wait no longer. They go with their session.
CREATE TABLE inbox_assignments (
    session_id   BIGINT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    item         TEXT   COLLATE "C" NOT NULL,
    workspace_id BIGINT NOT NULL REFERENCES workspaces (workspace_id),
    person       TEXT   COLLATE "C" NOT NULL,
    author       TEXT   COLLATE "C" NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (session_id, item)
);
CREATE INDEX inbox_assignments_of_workspace ON inbox_assignments (workspace_id);
