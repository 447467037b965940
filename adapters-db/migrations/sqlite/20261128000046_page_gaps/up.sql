-- The pages of a document that its text lacks, `lost/pictures`, such as 3-5/9; NULL if it lacks none.
ALTER TABLE documents ADD COLUMN gaps TEXT;
