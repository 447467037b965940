-- All that a list shows of the sessions that wait or are open, in its order: a list of all workspaces reads this index and no row.
-- It takes the place of the one that had those that wait alone.
DROP INDEX sessions_waiting;
CREATE INDEX sessions_open ON sessions (
    rank, last_activity DESC, session_id, workspace_id, id, kind, name, standing, phase, wake_at, end_reason, created_at, working
) WHERE rank < 2 AND NOT working;
