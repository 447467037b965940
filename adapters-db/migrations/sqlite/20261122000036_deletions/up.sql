-- What is left of a session that a person deleted: that it was there, who deleted it when, and what of it was open. Its log
-- and its calls are gone, so nothing here refers to them. Numbers grow, so that the oldest records go first.
CREATE TABLE deletions (
    deletion_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    session      TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    author       TEXT    NOT NULL,
    body         BLOB    NOT NULL
) STRICT;

CREATE INDEX deletions_of_workspace ON deletions (workspace_id, deletion_id);
