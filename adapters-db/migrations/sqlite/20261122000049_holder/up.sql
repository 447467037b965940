-- What the owner is and where, for whoever waits for it; and who asked it to give way.
ALTER TABLE owner ADD COLUMN kind TEXT NOT NULL DEFAULT 'command';
ALTER TABLE owner ADD COLUMN host TEXT;
ALTER TABLE owner ADD COLUMN pid INTEGER;
ALTER TABLE owner ADD COLUMN url TEXT;
ALTER TABLE owner ADD COLUMN wanted_by TEXT;
