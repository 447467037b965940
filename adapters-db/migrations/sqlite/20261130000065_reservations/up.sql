-- What an attempt of a model call reserved of the caps on money and tokens: 0 nothing, 1 reserved (under way), 2 uncertain
-- (its usage is unknown), 3 settled by its usage. In the row that its start and its end write anyway.
ALTER TABLE costs ADD COLUMN hold        INTEGER NOT NULL DEFAULT 0;
ALTER TABLE costs ADD COLUMN held_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE costs ADD COLUMN held_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE costs ADD COLUMN held_rest   INTEGER NOT NULL DEFAULT 0;
