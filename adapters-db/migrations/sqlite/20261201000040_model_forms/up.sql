-- The form of an image that models get in place of its own bytes: the digest of another file of the workspace, and whether it
-- is the first frame of an animation. Both are stored together; a session that names the image names its form, too.
ALTER TABLE files ADD COLUMN form TEXT;
ALTER TABLE files ADD COLUMN first_frame INTEGER NOT NULL DEFAULT 0 CHECK (first_frame IN (0, 1));
