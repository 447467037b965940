-- What each workspace knows, in numbers. `workspace` is a key and refers to no row, because documents may be added before
-- the workspace is first written to. `revision` counts the documents that were written or removed.
CREATE TABLE libraries (
    library_id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace  TEXT    NOT NULL UNIQUE,
    documents  INTEGER NOT NULL CHECK (documents >= 0),
    chunks     INTEGER NOT NULL CHECK (chunks >= 0),
    terms      INTEGER NOT NULL CHECK (terms >= 0),
    revision   INTEGER NOT NULL
) STRICT;

-- `body`: the JSON of a structured document; the text of another is its chunks.
CREATE TABLE documents (
    document_id INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id  INTEGER NOT NULL REFERENCES libraries (library_id),
    id          TEXT    NOT NULL UNIQUE,
    name        TEXT    NOT NULL,
    source      TEXT    NOT NULL,
    format      TEXT    NOT NULL,
    title       TEXT    NOT NULL,
    language    TEXT    NOT NULL,
    digest      TEXT    NOT NULL,
    bytes       INTEGER NOT NULL,
    chunks      INTEGER NOT NULL,
    author      TEXT    NOT NULL,
    added_at    INTEGER NOT NULL,
    changed_at  INTEGER NOT NULL,
    body        TEXT
) STRICT;

CREATE UNIQUE INDEX documents_by_name ON documents (library_id, name);
CREATE INDEX documents_by_language ON documents (library_id, language);

-- Pieces of documents. `heading`: the headings above it, with U+001F between them. `heading_terms`, `terms`: what it is
-- found by, finished, with spaces between them. Numbers never come again.
CREATE TABLE chunks (
    chunk_id      INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id    INTEGER NOT NULL REFERENCES libraries (library_id),
    document_id   INTEGER NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    ordinal       INTEGER NOT NULL,
    heading       TEXT    NOT NULL,
    begins        INTEGER NOT NULL,
    ends          INTEGER NOT NULL,
    heading_terms TEXT    NOT NULL,
    terms         TEXT    NOT NULL,
    text          TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX chunks_of_document ON chunks (document_id, ordinal);
CREATE INDEX chunks_of_library ON chunks (library_id, chunk_id);

-- In how many chunks of a workspace each term stands.
CREATE TABLE terms (
    library_id INTEGER NOT NULL REFERENCES libraries (library_id),
    term       TEXT    NOT NULL,
    chunks     INTEGER NOT NULL CHECK (chunks >= 0),
    PRIMARY KEY (library_id, term)
) STRICT, WITHOUT ROWID;

-- The index gets finished terms, and keeps no text. `space` parts the workspaces inside of it.
CREATE VIRTUAL TABLE chunk_index USING fts5 (
    heading, words, space,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);

-- Whatever writes a chunk, or copies it, indexes it.
CREATE TRIGGER chunks_are_indexed AFTER INSERT ON chunks BEGIN
    INSERT INTO chunk_index (rowid, heading, words, space)
    VALUES (new.chunk_id, new.heading_terms, new.terms, 'space' || new.library_id);
END;

CREATE TRIGGER chunks_leave_the_index AFTER DELETE ON chunks BEGIN
    DELETE FROM chunk_index WHERE rowid = old.chunk_id;
END;
