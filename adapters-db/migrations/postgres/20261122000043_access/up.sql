-- The same as in migrations/sqlite; see there for what it means.
CREATE TABLE people (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    reach      TEXT   COLLATE "C" NOT NULL,
    name       TEXT   COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX people_by_name ON people (reach, name);

CREATE TABLE tokens (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    person     TEXT   COLLATE "C" NOT NULL REFERENCES people (id),
    reach      TEXT   COLLATE "C" NOT NULL,
    kind       TEXT   COLLATE "C" NOT NULL,
    name       TEXT   COLLATE "C" NOT NULL,
    hash       TEXT   COLLATE "C" NOT NULL,
    proof      TEXT   COLLATE "C",
    scopes     TEXT   COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used  BIGINT
);

CREATE INDEX tokens_of_reach ON tokens (reach, created_at, id);
