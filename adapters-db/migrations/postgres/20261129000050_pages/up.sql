-- The pages of an inbox: sessions that wait for an act, and ended ones that nobody has looked at. Both are few among all
-- sessions, and none while a session works, so that a commit of one at work writes neither.
CREATE INDEX sessions_asking ON sessions (workspace_id, rested_at DESC, session_id)
    WHERE rank = 0 AND standing <> 'ended' AND NOT working;
CREATE INDEX sessions_unseen ON sessions (workspace_id, rested_at DESC, session_id)
    WHERE rank = 0 AND standing = 'ended' AND NOT working;
