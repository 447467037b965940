-- Which history of writes the server was on when the right was taken: a replica that is promoted begins another one.
ALTER TABLE owner ADD COLUMN timeline TEXT;
