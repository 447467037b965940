-- The words of a deleted chunk leave the file with it: before, the index only hid them until it was merged. It needs the
-- words that were indexed, which the row of the chunk has and no statement changes.
DROP TRIGGER chunks_leave_the_index;
DROP TABLE chunk_index;

CREATE VIRTUAL TABLE chunk_index USING fts5 (
    heading, words, space,
    content = '',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
INSERT INTO chunk_index (chunk_index, rank) VALUES ('secure-delete', 1);

INSERT INTO chunk_index (rowid, heading, words, space)
SELECT chunk_id, heading_terms, terms, 'space' || library_id FROM chunks;

CREATE TRIGGER chunks_leave_the_index AFTER DELETE ON chunks BEGIN
    INSERT INTO chunk_index (chunk_index, rowid, heading, words, space)
    VALUES ('delete', old.chunk_id, old.heading_terms, old.terms, 'space' || old.library_id);
END;
