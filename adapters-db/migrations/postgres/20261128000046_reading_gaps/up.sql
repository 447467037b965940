-- What of the original the text of a document lacks: lost pages, pages of pictures, and the number of hidden texts, such as
-- 3-5/9/2; NULL if it lacks nothing.
ALTER TABLE documents ADD COLUMN gaps TEXT;
