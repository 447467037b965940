-- What was changed in a workspace that no session takes in: settings, rules, data, automations, and deletions. Numbered
-- together with the log, so that one cursor reads both; written in the commit of the change. The oldest go first: the row
-- where that stopped is of the kind `pruned`.
CREATE TABLE changes (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    seq          INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    revision     INTEGER,
    gone         INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, seq)
) STRICT, WITHOUT ROWID;
