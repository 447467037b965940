-- One timer looks at the deadlines of all workspaces, and a workspace at its own. last_activity is in the indexes because a
-- deadline may be due before its time when the clock was set back behind it.
DROP INDEX sessions_working;
DROP INDEX sessions_wake;
DROP INDEX automations_next;
CREATE INDEX sessions_working ON sessions (workspace_id)                         WHERE working;
CREATE INDEX sessions_wake    ON sessions (workspace_id, wake_at, last_activity) WHERE wake_at IS NOT NULL;
CREATE INDEX sessions_due     ON sessions (wake_at, last_activity)               WHERE wake_at IS NOT NULL;
CREATE INDEX automations_due  ON automations (next_at, workspace_id)             WHERE next_at IS NOT NULL;

-- All that a list of sessions shows, for those that wait for a person: their rows, each on a page of its own, stay unread.
DROP INDEX sessions_waiting;
CREATE INDEX sessions_waiting ON sessions (
    last_activity DESC, session_id, workspace_id, id, kind, name, standing, phase, rank, wake_at, end_reason, created_at
) WHERE rank = 0;
