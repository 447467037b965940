-- A token for a page of another site: the one session that it is of, and the origins whose pages may send it.
ALTER TABLE tokens ADD COLUMN session TEXT;
ALTER TABLE tokens ADD COLUMN origins TEXT;
