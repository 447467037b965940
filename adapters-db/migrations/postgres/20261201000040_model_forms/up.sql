-- The same as in migrations/sqlite; see there for what it means.
ALTER TABLE files ADD COLUMN form TEXT COLLATE "C";
ALTER TABLE files ADD COLUMN first_frame BOOLEAN NOT NULL DEFAULT FALSE;
