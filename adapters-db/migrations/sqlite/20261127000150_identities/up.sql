-- A person is one identity: who was removed stays the author of what they did, and nobody else is ever added under their name.
-- Of a token, who made it for somebody else; null where it was made on the machine, as all were before this, or by its own person.
ALTER TABLE people ADD COLUMN removed_at INTEGER;
ALTER TABLE tokens ADD COLUMN made_by TEXT;
