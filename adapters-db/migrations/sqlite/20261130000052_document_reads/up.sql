-- When documents were last read, noted at most once a day each. A table of its own: a search changes no document. Reads
-- before this table are not known, so the time of every document begins now.
CREATE TABLE document_reads (
    document_id  INTEGER NOT NULL PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    last_read_at INTEGER NOT NULL
) STRICT;

INSERT INTO document_reads (document_id, last_read_at)
SELECT document_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000000 FROM documents;
