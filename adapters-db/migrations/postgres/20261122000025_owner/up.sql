-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE owner (
    id     BIGINT PRIMARY KEY CHECK (id = 1),
    epoch  BIGINT NOT NULL CHECK (epoch >= 1),
    holder TEXT   COLLATE "C" NOT NULL,
    since  BIGINT NOT NULL
);

ALTER TABLE workspaces ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0 CHECK (epoch >= 0);
