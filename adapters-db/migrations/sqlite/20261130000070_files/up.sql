-- Files of conversations. Equal bytes are stored once in a workspace and never shared with another one. `workspace` is a
-- key and refers to no row, because a file may be stored before the workspace is first written to.
CREATE TABLE files (
    file_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace  TEXT    NOT NULL,
    digest     TEXT    NOT NULL,
    media_type TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    size       INTEGER NOT NULL CHECK (size >= 0),
    width      INTEGER,
    height     INTEGER,
    pages      INTEGER,
    author     TEXT    NOT NULL,
    stored_at  INTEGER NOT NULL,
    bytes      BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX files_by_digest ON files (workspace, digest);

-- Who brought a file into which session. A file that no session names is deleted after a while; one that sessions named
-- is deleted with the last of them, or with the results that brought it if no message names it.
CREATE TABLE file_uses (
    session_id INTEGER NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    file_id    INTEGER NOT NULL REFERENCES files (file_id),
    name       TEXT    NOT NULL,
    in_message INTEGER NOT NULL CHECK (in_message IN (0, 1)),
    author     TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (session_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_uses_by_file ON file_uses (file_id);
