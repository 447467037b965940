-- When documents were last read, noted at most once a day each. A table of its own: a search changes no document. Reads
-- before this table are not known, so the time of every document begins now.
CREATE TABLE document_reads (
    document_id  BIGINT NOT NULL PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    last_read_at BIGINT NOT NULL
);

INSERT INTO document_reads (document_id, last_read_at)
SELECT document_id, CAST(floor(extract(epoch FROM now())) AS BIGINT) * 1000000 FROM documents;
