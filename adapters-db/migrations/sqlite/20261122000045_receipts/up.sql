-- What was done under a key that its client drew, with the answer. `workspace` is the key of a workspace; it refers to no row,
-- because a token may be made before its workspace is first written to.
CREATE TABLE receipts (
    workspace   TEXT    NOT NULL,
    person      TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    answer      BLOB    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (workspace, person, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX receipts_by_age ON receipts (workspace, created_at);
