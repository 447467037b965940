-- As in migrations/sqlite; see there for what it means. An update that changes no column of any index, and finds room on its page,
-- writes no index at all. A column counts also where a condition keeps the row out of the index, so these indexes go by columns
-- that are empty while a session works.
ALTER TABLE sessions
    ADD COLUMN rested_at    BIGINT GENERATED ALWAYS AS (CASE WHEN working THEN NULL ELSE last_activity END) STORED,
    ADD COLUMN rested_phase TEXT COLLATE "C" GENERATED ALWAYS AS (CASE WHEN working THEN NULL ELSE phase END) STORED,
    ADD COLUMN rested_wake  BIGINT GENERATED ALWAYS AS (CASE WHEN working THEN NULL ELSE wake_at END) STORED;
ALTER TABLE sessions   SET (fillfactor = 60);
ALTER TABLE workspaces SET (fillfactor = 60);

DROP INDEX sessions_list;
DROP INDEX sessions_waiting;
DROP INDEX sessions_wake;
DROP INDEX sessions_due;
CREATE INDEX sessions_list    ON sessions (workspace_id, rank, rested_at DESC, session_id, rested_phase) WHERE NOT working;
CREATE INDEX sessions_waiting ON sessions (rested_at DESC, session_id)        WHERE rank = 0 AND NOT working;
CREATE INDEX sessions_wake    ON sessions (workspace_id, rested_wake, rested_at) WHERE rested_wake IS NOT NULL;
CREATE INDEX sessions_due     ON sessions (rested_wake, rested_at)               WHERE rested_wake IS NOT NULL;

-- Filled in where it is made, written by us from then on.
ALTER TABLE log ADD COLUMN place BIGINT NOT NULL GENERATED ALWAYS AS (workspace_id * 68719476736 + seq) STORED;
ALTER TABLE log
    ALTER COLUMN place DROP EXPRESSION,
    DROP CONSTRAINT log_pkey,
    ADD PRIMARY KEY (place),
    ADD CHECK (place = workspace_id * 68719476736 + seq);
DROP INDEX log_session;
DROP INDEX log_sequence;
CREATE UNIQUE INDEX log_sequence ON log (session_id, sequence) INCLUDE (place);
