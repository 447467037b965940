-- The processes that handle workspaces at the same time. A process has its workspaces as long as its row is here; whoever
-- finds a row whose lease is over (`until`) deletes it. Numbers are never given twice, so `owner_id` of a workspace may
-- name a process that is gone, and refers to no row: a process that stopped in the middle of a commit must not keep the
-- others from deleting its row.
CREATE TABLE workers (
    worker_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind          TEXT    NOT NULL,
    host          TEXT,
    pid           INTEGER,
    url           TEXT,
    version       TEXT    NOT NULL,
    configuration TEXT    NOT NULL,
    since         INTEGER NOT NULL,
    beats         INTEGER NOT NULL CHECK (beats >= 0),
    until         INTEGER NOT NULL
) STRICT;

-- The process that has the workspace; none where no process of several has it.
ALTER TABLE workspaces ADD COLUMN owner_id INTEGER;

-- How many processes have left or were removed.
ALTER TABLE owner ADD COLUMN departures INTEGER NOT NULL DEFAULT 0 CHECK (departures >= 0);
