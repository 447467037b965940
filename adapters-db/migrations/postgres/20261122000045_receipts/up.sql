-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE receipts (
    workspace   TEXT   COLLATE "C" NOT NULL,
    person      TEXT   COLLATE "C" NOT NULL,
    key         TEXT   COLLATE "C" NOT NULL,
    fingerprint TEXT   COLLATE "C" NOT NULL,
    answer      BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (workspace, person, key)
);

CREATE INDEX receipts_by_age ON receipts (workspace, created_at);
