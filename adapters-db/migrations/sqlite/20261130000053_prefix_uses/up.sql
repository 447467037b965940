-- Which sessions name a frozen prefix, so that it is deleted with the last of them.
CREATE TABLE prefix_uses (
    session_id INTEGER NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    blob_id    INTEGER NOT NULL REFERENCES blobs (blob_id),
    PRIMARY KEY (session_id, blob_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX prefix_uses_by_blob ON prefix_uses (blob_id);

-- Which sessions name the blobs from before is not known, so they stay. New ones are written with 0.
ALTER TABLE blobs ADD COLUMN shared INTEGER NOT NULL DEFAULT 1 CHECK (shared IN (0, 1));
