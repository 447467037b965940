-- The same as in migrations/sqlite; see there for what it means.
DROP INDEX sessions_working;
DROP INDEX sessions_wake;
DROP INDEX automations_next;
CREATE INDEX sessions_working ON sessions (workspace_id)                         WHERE working;
CREATE INDEX sessions_wake    ON sessions (workspace_id, wake_at, last_activity) WHERE wake_at IS NOT NULL;
CREATE INDEX sessions_due     ON sessions (wake_at, last_activity)               WHERE wake_at IS NOT NULL;
CREATE INDEX automations_due  ON automations (next_at, workspace_id)             WHERE next_at IS NOT NULL;

-- sessions_waiting stays as it is: a page of rows has many, because what is large in them is elsewhere.
