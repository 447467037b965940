-- The same as in migrations/sqlite; see there for what it means. A table of its own, so that a session at work writes no
-- entry of the index.
CREATE TABLE session_names (
    session_id BIGINT NOT NULL PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
    trigrams   TEXT[] COLLATE "C" NOT NULL
);

CREATE FUNCTION name_trigrams(name TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN position('\xc4b0'::bytea IN convert_to(name, 'UTF8')) > 0
             OR position('\xe284aa'::bytea IN convert_to(name, 'UTF8')) > 0
        THEN ARRAY['***']
        -- Not substr of each place, which reads a long name from its start each time.
        ELSE ARRAY(SELECT DISTINCT trigram
                   FROM (SELECT letter || lead(letter) OVER places || lead(letter, 2) OVER places
                         FROM unnest(string_to_array(lower(name COLLATE "C"), NULL))
                              WITH ORDINALITY AS letters (letter, place)
                         WINDOW places AS (ORDER BY place)) AS places (trigram)
                   WHERE trigram IS NOT NULL)
    END
$$;

CREATE FUNCTION index_session_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO session_names (session_id, trigrams) VALUES (NEW.session_id, name_trigrams(NEW.name))
    ON CONFLICT (session_id) DO UPDATE SET trigrams = excluded.trigrams;
    RETURN NULL;
END
$$;

CREATE TRIGGER session_names_are_indexed AFTER INSERT ON sessions
    FOR EACH ROW EXECUTE FUNCTION index_session_name();
CREATE TRIGGER session_names_are_indexed_again AFTER UPDATE OF name ON sessions
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION index_session_name();

INSERT INTO session_names (session_id, trigrams) SELECT session_id, name_trigrams(name) FROM sessions;
CREATE INDEX session_names_by_trigrams ON session_names USING gin (trigrams);
