-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE inbox_items (
    session_id   BIGINT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    item         TEXT   COLLATE "C" NOT NULL,
    workspace_id BIGINT NOT NULL REFERENCES workspaces (workspace_id),
    kind         TEXT   COLLATE "C" NOT NULL,
    asked_at     BIGINT NOT NULL,
    due_at       BIGINT,
    command      TEXT   COLLATE "C",
    PRIMARY KEY (session_id, item)
);
CREATE INDEX inbox_items_of_workspace ON inbox_items (workspace_id);

CREATE FUNCTION end_inbox_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM inbox_items WHERE session_id = NEW.session_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER inbox_items_end_with_the_wait AFTER UPDATE OF rank ON sessions
    FOR EACH ROW WHEN (OLD.rank = 0 AND NEW.rank <> 0) EXECUTE FUNCTION end_inbox_items();

INSERT INTO inbox_items (session_id, item, workspace_id, kind, asked_at)
SELECT session_id, '', workspace_id, 'unread', last_activity FROM sessions WHERE rank = 0;
