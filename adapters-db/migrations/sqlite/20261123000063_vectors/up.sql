-- What the chunks mean, by the model that says so. A vector goes with its chunk. `bytes`: what a step is worth as four bytes
-- (f32, little endian), then a byte for each number. `digest`: hash of the text that it was made of.
CREATE TABLE chunk_vectors (
    chunk_id INTEGER NOT NULL REFERENCES chunks (chunk_id) ON DELETE CASCADE,
    model    TEXT    NOT NULL,
    digest   TEXT    NOT NULL,
    bytes    BLOB    NOT NULL,
    PRIMARY KEY (chunk_id, model)
) STRICT;

CREATE INDEX chunk_vectors_by_text ON chunk_vectors (digest, model);
