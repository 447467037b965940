-- Who may use the server. `reach` is the key of a workspace, or `*` for all of them; it refers to no row, because a token may
-- be made before its workspace is first written to. Of secrets only hashes are kept.
CREATE TABLE people (
    id         TEXT    NOT NULL PRIMARY KEY,
    reach      TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX people_by_name ON people (reach, name);

CREATE TABLE tokens (
    id         TEXT    NOT NULL PRIMARY KEY,
    person     TEXT    NOT NULL REFERENCES people (id),
    reach      TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    hash       TEXT    NOT NULL,
    proof      TEXT,
    scopes     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used  INTEGER
) STRICT;

CREATE INDEX tokens_of_reach ON tokens (reach, created_at, id);
