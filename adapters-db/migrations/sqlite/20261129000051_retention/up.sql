-- What the retention policy removed from sessions that stay, so that it is not looked for again: up to which entry results
-- or ledger rows are gone.
CREATE TABLE retention_marks (
    session_id INTEGER NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    through    INTEGER NOT NULL CHECK (through >= 0),
    PRIMARY KEY (session_id, kind)
) STRICT, WITHOUT ROWID;
