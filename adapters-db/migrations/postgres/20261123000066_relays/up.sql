-- The tokens of relays, which go when their time is over. A program that does not know them does not open the database.
CREATE INDEX tokens_of_relays ON tokens (expires_at) WHERE kind = 'relay';
