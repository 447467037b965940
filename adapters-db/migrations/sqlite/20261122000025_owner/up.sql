-- Who handles the events of this database: one row, whose epoch grows with each owner. A workspace keeps the epoch of the
-- owner that wrote it last, so that what an earlier owner still wants to write is refused.
CREATE TABLE owner (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    epoch  INTEGER NOT NULL CHECK (epoch >= 1),
    holder TEXT    NOT NULL,
    since  INTEGER NOT NULL
) STRICT;

ALTER TABLE workspaces ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0 CHECK (epoch >= 0);
