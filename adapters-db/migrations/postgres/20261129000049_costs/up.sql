-- What attempts of model calls used and cost, a row each, written by the commits that start and end them, so that no
-- report reads the log. No reference to the session: its rows are deleted with it, and every insert would look it up.
CREATE TABLE costs (
    workspace_id     BIGINT NOT NULL,
    session_id       BIGINT NOT NULL,
    round            BIGINT NOT NULL,
    attempt          BIGINT NOT NULL,
    at               BIGINT NOT NULL,
    automation       TEXT   COLLATE "C",
    provider         TEXT   COLLATE "C" NOT NULL,
    model            TEXT   COLLATE "C" NOT NULL,
    input            BIGINT NOT NULL,
    cache_read       BIGINT NOT NULL,
    cache_write      BIGINT NOT NULL,
    output           BIGINT NOT NULL,
    unknown_attempts BIGINT NOT NULL,
    micros           BIGINT NOT NULL,
    rest             BIGINT NOT NULL,
    priced           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_id, round, attempt)
);

-- Sessions from before this table, whose attempts are added up when the database is opened. One whose log could not be
-- read stays, as tried.
CREATE TABLE uncounted_sessions (
    session_id   BIGINT  NOT NULL PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
    workspace_id BIGINT  NOT NULL,
    tried        BOOLEAN NOT NULL DEFAULT FALSE
);

INSERT INTO uncounted_sessions (session_id, workspace_id) SELECT session_id, workspace_id FROM sessions;
