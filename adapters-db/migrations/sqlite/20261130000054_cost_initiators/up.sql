-- The person who caused an attempt, and the commands that its reply asked for. Both are in the logs of the sessions, whose
-- attempts are added up anew when the database is opened. Attempts of sessions that are gone stay without them.
ALTER TABLE costs ADD COLUMN person   TEXT NOT NULL DEFAULT '';
ALTER TABLE costs ADD COLUMN commands TEXT NOT NULL DEFAULT '';

DELETE FROM uncounted_sessions;
INSERT INTO uncounted_sessions (session_id, workspace_id) SELECT session_id, workspace_id FROM sessions;
