-- next_at: the occurrence that is to be decided next; none when it awaits none.
CREATE TABLE automations (
    automation_id INTEGER PRIMARY KEY,
    workspace_id  INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    id            TEXT    NOT NULL UNIQUE,
    seed          TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    next_at       INTEGER,
    revision      INTEGER NOT NULL CHECK (revision >= 1),
    body          BLOB    NOT NULL
) STRICT;

CREATE INDEX automations_list ON automations (workspace_id, automation_id);
CREATE INDEX automations_next ON automations (workspace_id, next_at) WHERE next_at IS NOT NULL;

-- One row for an automation and an instant, whatever became of it. They outlive their automation, as its runs do, so
-- it is named by its text.
CREATE TABLE occurrences (
    automation   TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    outcome      TEXT    NOT NULL,
    session      TEXT,
    decided_at   INTEGER NOT NULL,
    body         BLOB    NOT NULL,
    PRIMARY KEY (automation, at)
) STRICT, WITHOUT ROWID;
