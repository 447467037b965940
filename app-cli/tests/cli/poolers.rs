//! A database behind a pooler: transaction pooling is refused, session mode is accepted.

use entracte_tests::postgres::TestDatabase;

use crate::cli_fixture::command_output;
use crate::postgres_servers::{pgbouncer, pglite, stage_at};

/// Opening the database at `url` reports the pooler in both languages, and leaves nothing behind.
fn refused(url: &str, name: &str) {
    let stage = stage_at(url, "");
    for arguments in [
        &["chat", "--message", "Hi"][..],
        &["serve", "--bind", "127.0.0.1:0"],
        &["session", "list"],
        &["db", "check"],
        &["db", "migrate"],
    ] {
        for (language, words) in
            [("en_GB.UTF-8", "Set pool_mode = session"), ("fr_FR.UTF-8", "Réglez pool_mode = session")]
        {
            let told =
                command_output(stage.command(arguments).env("LANG", language).output().unwrap()).expect(1);
            for expected in [words, "PgBouncer", "PGlite"] {
                assert!(
                    told.err.contains(expected),
                    "{name}, {arguments:?}: no “{expected}” in {}",
                    told.err
                );
            }
            assert!(!told.err.contains("__diesel_stmt"), "{name}: {}", told.err);
        }
    }
}

#[test]
fn transaction_pooler_is_refused() {
    for connections in [1, 20] {
        if let Some((_server, url)) = pglite(connections) {
            refused(&url, &format!("PGlite with {connections} connections"));
        }
    }
    let Some(made) = TestDatabase::make() else { return };
    let direct = stage_at(&made.url(), "");
    direct.run(&["db", "migrate"]).expect(0);
    for (mode, more) in [
        ("transaction", ""),
        ("transaction", "default_pool_size = 1"),
        ("transaction", "default_pool_size = 2\nserver_round_robin = 1"),
        ("transaction", "server_round_robin = 1"),
        ("statement", ""),
    ] {
        let Some((_pooler, url)) = pgbouncer(&made.url(), mode, more) else { return };
        refused(&url, &format!("PgBouncer, {mode}, {more}"));
    }
    // No session setting or lock remains for other clients.
    made.run(
        "DO $$ BEGIN
            IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) THEN
                RAISE EXCEPTION 'a lock was left';
            END IF;
         END $$",
    );
    direct.send_in_new_session("Hi", 0);
}

#[test]
fn session_mode_works() {
    let Some(made) = TestDatabase::make() else { return };
    let Some((_pooler, url)) = pgbouncer(&made.url(), "session", "") else { return };
    let stage = stage_at(&url, "");
    stage.run(&["db", "migrate"]).expect(0);
    let session = stage.send_in_new_session("Hi", 0);
    let again = stage.run(&["chat", "--session", &session, "--message", "And now?"]).expect(0);
    assert_eq!(again.out, "So it is.\n");
    stage.run(&["session", "verify", "--all"]).expect(0);
    stage.run(&["db", "check"]).expect(0);
    let owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let second = stage.run(&["db", "repair"]).expect(6);
    assert!(second.err.contains("is owned by process"), "{}", second.err);
    assert_eq!(owner.close_stdin_and_wait(), 0);
}
