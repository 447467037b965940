-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE chunk_vectors (
    chunk_id BIGINT NOT NULL REFERENCES chunks (chunk_id) ON DELETE CASCADE DEFERRABLE,
    model    TEXT   COLLATE "C" NOT NULL,
    digest   TEXT   COLLATE "C" NOT NULL,
    bytes    BYTEA  NOT NULL,
    PRIMARY KEY (chunk_id, model)
);

CREATE INDEX chunk_vectors_by_text ON chunk_vectors (digest, model);
