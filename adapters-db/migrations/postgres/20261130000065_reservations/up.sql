-- What an attempt of a model call reserved of the caps on money and tokens: 0 nothing, 1 reserved (under way), 2 uncertain
-- (its usage is unknown), 3 settled by its usage. In the row that its start and its end write anyway.
ALTER TABLE costs ADD COLUMN hold        BIGINT NOT NULL DEFAULT 0;
ALTER TABLE costs ADD COLUMN held_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE costs ADD COLUMN held_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE costs ADD COLUMN held_rest   BIGINT NOT NULL DEFAULT 0;
