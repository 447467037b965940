-- Which sessions name a frozen prefix, so that it is deleted with the last of them.
CREATE TABLE prefix_uses (
    session_id BIGINT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    blob_id    BIGINT NOT NULL REFERENCES blobs (blob_id),
    PRIMARY KEY (session_id, blob_id)
);
CREATE INDEX prefix_uses_by_blob ON prefix_uses (blob_id);

-- Which sessions name the blobs from before is not known, so they stay. New ones are written with false.
ALTER TABLE blobs ADD COLUMN shared BOOLEAN NOT NULL DEFAULT true;
