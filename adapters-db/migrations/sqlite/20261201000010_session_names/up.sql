-- The names of sessions by the groups of three characters in them, so that a search by name reads the sessions that may
-- match. The index keeps no name. It has the letters of ASCII in lower case and all others as they are; the few names of
-- which that is not enough are all found by '***': two characters (U+0130, U+212A) have letters of ASCII in lower case,
-- and NUL ends a text for some functions.
CREATE VIRTUAL TABLE session_name_index USING fts5 (
    name,
    content = '', detail = none,
    tokenize = "trigram case_sensitive 1"
);

-- The groups of a name leave the file with it: without this the index would only hide them until it is merged. It needs the
-- name that was indexed.
INSERT INTO session_name_index (session_name_index, rank) VALUES ('secure-delete', 1);

-- Whatever writes a name, or copies it, indexes it. A statement that does not name the column costs nothing.
CREATE TRIGGER session_names_are_indexed AFTER INSERT ON sessions BEGIN
    INSERT INTO session_name_index (rowid, name) VALUES (new.session_id,
        CASE WHEN instr(new.name, char(304)) > 0 OR instr(new.name, char(8490)) > 0
                  OR instr(CAST(new.name AS BLOB), x'00') > 0
             THEN '***' ELSE lower(new.name) END);
END;

CREATE TRIGGER session_names_are_indexed_again AFTER UPDATE OF name ON sessions BEGIN
    INSERT INTO session_name_index (session_name_index, rowid, name) VALUES ('delete', old.session_id,
        CASE WHEN instr(old.name, char(304)) > 0 OR instr(old.name, char(8490)) > 0
                  OR instr(CAST(old.name AS BLOB), x'00') > 0
             THEN '***' ELSE lower(old.name) END);
    INSERT INTO session_name_index (rowid, name) VALUES (new.session_id,
        CASE WHEN instr(new.name, char(304)) > 0 OR instr(new.name, char(8490)) > 0
                  OR instr(CAST(new.name AS BLOB), x'00') > 0
             THEN '***' ELSE lower(new.name) END);
END;

CREATE TRIGGER session_names_leave_the_index AFTER DELETE ON sessions BEGIN
    INSERT INTO session_name_index (session_name_index, rowid, name) VALUES ('delete', old.session_id,
        CASE WHEN instr(old.name, char(304)) > 0 OR instr(old.name, char(8490)) > 0
                  OR instr(CAST(old.name AS BLOB), x'00') > 0
             THEN '***' ELSE lower(old.name) END);
END;

INSERT INTO session_name_index (rowid, name)
SELECT session_id,
       CASE WHEN instr(name, char(304)) > 0 OR instr(name, char(8490)) > 0 OR instr(CAST(name AS BLOB), x'00') > 0
            THEN '***' ELSE lower(name) END
FROM sessions;
