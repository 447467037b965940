-- The items that wait for a person in sessions, as the inbox counts and orders them. `asked_at` is when an item was first
-- stored; `due_at`: when it is over if nobody acts; `command`: of the query that an approval is for.
CREATE TABLE inbox_items (
    session_id   INTEGER NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    item         TEXT    NOT NULL,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (workspace_id),
    kind         TEXT    NOT NULL,
    asked_at     INTEGER NOT NULL,
    due_at       INTEGER,
    command      TEXT,
    PRIMARY KEY (session_id, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_items_of_workspace ON inbox_items (workspace_id);

-- A session that no longer waits has none. A round does not name the rank, so it costs nothing there.
CREATE TRIGGER inbox_items_end_with_the_wait AFTER UPDATE OF rank ON sessions WHEN old.rank = 0 AND new.rank <> 0 BEGIN
    DELETE FROM inbox_items WHERE session_id = new.session_id;
END;

-- What waits in these sessions is in their bodies, which are read when the database is opened.
INSERT INTO inbox_items (session_id, item, workspace_id, kind, asked_at)
SELECT session_id, '', workspace_id, 'unread', last_activity FROM sessions WHERE rank = 0;
