//! The same commands on an SQLite file and on a Postgres server, and copies between the two.

use entracte_tests::postgres::TestDatabase;

use crate::cli_fixture::{CliFixture, command_output};
use crate::server::serve;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "So it is."
"#;

/// A fixture with its database on a server.
pub(crate) fn on_server(made: &TestDatabase) -> CliFixture {
    let stage = CliFixture::with_config(
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[database]\nurl_file = \"url\"\n",
    )
    .on_a_file();
    stage.write("story.toml", STORY);
    stage.write("url", &format!("{}\n", made.url()));
    stage
}

/// If another process owns the target, a command that needs exclusive access names the owner and ends.
fn check_owner_named(stage: &CliFixture, target: &str) {
    stage.run(&["--data", "other", "db", "copy", "data/none.db", target]).expect(5);
    let other = CliFixture::with_script(STORY).on_a_file();
    other.send_in_new_session("Make a zone", 0);
    let source = other.folder.path().join("data/entracte.db").display().to_string();
    let owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let pid = owner.child.id();
    let second = stage.run(&["db", "copy", &source, target]).expect(6);
    assert!(second.err.contains(&format!("is owned by process {pid}")), "{}", second.err);
    assert_eq!(owner.close_stdin_and_wait(), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn second_process_gets_owner_error() {
    check_owner_named(&CliFixture::with_script(STORY).on_a_file(), "data/entracte.db");
    if let Some(made) = TestDatabase::make() {
        check_owner_named(&on_server(&made), &made.url());
    }
}

#[test]
fn server_chat_equals_file_chat() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    let migrated = stage.run(&["db", "migrate"]).expect(0);
    assert!(migrated.out.starts_with("applied ") && migrated.err.contains("postgres://"), "{}", migrated.err);
    let session = stage.send_in_new_session("Make a zone", 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
    let checked = stage.run(&["db", "check"]).expect(0).out;
    assert!(checked.starts_with("ok  postgres://entracte@/test_"), "{checked}");
    let doctor = stage.run(&["doctor"]);
    let database: Vec<&str> = doctor.out.lines().filter(|line| line.contains("database")).collect();
    assert!(database.iter().all(|line| line.starts_with("ok")), "{database:?}");
    stage.run(&["db", "backup", "copy.db"]).expect(0);
    stage.run(&["db", "backup", "copy.db"]).expect(6);
    let shown = stage.run(&["--data", "elsewhere", "session", "show", &session]).expect(0);
    assert!(shown.out.contains(&session), "the server wins over a folder");
}

#[test]
fn chat_beside_owner_works_on_server() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    let mut chat = stage.begin(&["chat", "--require-approval"]);
    let line = chat.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    chat.type_line("Make a zone");
    chat.line_with("approval needed");
    let beside = stage.run(&["approve", "--session", &session, "--all"]).expect(0);
    assert_eq!(beside.out, "So it is.\n");
    chat.type_line("");
    chat.line_with("So it is.");
    assert_eq!(chat.close_stdin_and_wait(), 0);
}

#[test]
fn waiting_process_replaces_dead_owner_on_server() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    // The owner is killed before the answer, also on a machine that stands still for a moment.
    stage.write("story.toml", "[[turn]]\ndelay_ms = 6000\ntext = \"Here I am.\"\n");
    let mut owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let beside = stage.begin(&["chat", "--message", "hi"]);
    let line = beside.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    stage.wait_for_output(&["session", "journal", &session], "StandingChanged");
    owner.child.kill().unwrap();
    beside.line_with("Here I am.");
    assert_eq!(beside.close_stdin_and_wait(), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn database_moved_to_server_and_back_replays() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = CliFixture::with_script(STORY).on_a_file();
    let session = stage.send_in_new_session("Make a zone", 0);
    let there = stage.run(&["--json", "db", "copy", "data/entracte.db", &made.url()]).expect(0).json();
    assert_eq!((&there["schema"], &there["sessions_replayed"]), (&"entracte.db_copy/1".into(), &1.into()));
    assert_eq!(there["rows"]["sessions"], 1);
    let shown = stage.run(&["--data", &made.url(), "session", "show", &session]).expect(0).out;
    assert_eq!(shown, stage.run(&["session", "show", &session]).expect(0).out);
    let back = stage.run(&["db", "copy", &made.url(), "back.db"]).expect(0);
    assert!(back.err.contains("sessions replay correctly"), "{}", back.err);
    let again = stage.run(&["db", "copy", &made.url(), "back.db"]).expect(6);
    assert!(again.err.contains("a copy does not overwrite it"), "{}", again.err);
    stage.run(&["db", "copy", "data/entracte.db", "data/entracte.db"]).expect(2);
}

#[test]
fn a_password_is_shown_nowhere() {
    let url = "postgres://ann:s3cret@127.0.0.1:1/entracte";
    let stage = CliFixture::with_config(&format!("[database]\nurl = \"{url}\"\nconnect_timeout = \"1s\"\n"))
        .on_a_file();
    for arguments in [
        &["config", "show", "--origin"][..],
        &["db", "check"],
        &["doctor"],
        &["session", "list"],
        &["--json", "inbox"],
    ] {
        let done = stage.run(arguments);
        let said = format!("{}{}", done.out, done.err);
        assert!(said.contains("postgres://ann@127.0.0.1:1/entracte"), "{arguments:?}: {said}");
        assert!(!said.contains("s3cret"), "{arguments:?}: {said}");
    }
}

#[test]
fn missing_referenced_url_is_reported_by_location() {
    let stage = CliFixture::with_config("[database]\nurl_env = \"THE_DATABASE\"\n").on_a_file();
    let done = stage.run(&["session", "list"]).expect(2);
    assert!(done.err.contains("the environment variable THE_DATABASE is not set"), "{}", done.err);
    let shown = stage.run(&["config", "show", "--origin"]).expect(0).out;
    assert!(shown.contains("database.url_env"), "{shown}");
    let stage =
        CliFixture::with_config("[database]\nurl_env = \"THE_DATABASE\"\nurl = \"e.db\"\n").on_a_file();
    let done = stage.run(&["session", "list"]).expect(2);
    assert!(done.err.contains("the database is set more than once"), "{}", done.err);
}

/// Input: a wrong location as a flag, a variable or a setting; expected: commands that read or maintain report that no
/// database exists and create none, and commands that start work may create it there. The default location is created
/// by any command.
#[test]
fn a_place_written_wrong_is_no_new_database() {
    let stage = CliFixture::with_script(STORY).on_a_file();
    for arguments in [
        &["inbox"][..],
        &["session", "list"],
        &["session", "verify", "--all"],
        &["approve", "apr_1_1_0"],
        &["cost", "report"],
        &["db", "check"],
        &["db", "migrate"],
        &["db", "backup", "copy.db"],
    ] {
        let told = stage.run(&[&["--data", "typo"], arguments].concat()).expect(5);
        assert!(told.err.contains("there is no database at typo/entracte.db"), "{arguments:?}: {}", told.err);
    }
    let kept = stage.run(&["--data", "env:NOPE", "chat", "--message", "Hi"]).expect(2);
    assert!(kept.err.contains("the environment variable NOPE is not set"), "{}", kept.err);
    for (variable, place) in [
        ("ENTRACTE_DATA", "typo"),
        ("ENTRACTE_DATA", "typo/entracte.db"),
        ("ENTRACTE_DATABASE_URL", "sqlite:typo/entracte.db"),
    ] {
        let told = command_output(stage.command(&["inbox"]).env(variable, place).output().unwrap()).expect(5);
        assert!(told.err.contains("there is no database at typo/entracte.db"), "{variable}: {}", told.err);
    }
    stage.write_untrusted("typo.toml", "data = \"typo\"\n");
    let mut unset = stage.command(&["--config", "typo.toml", "inbox"]);
    let told = command_output(unset.env_remove("ENTRACTE_DATA").output().unwrap()).expect(5);
    assert!(told.err.contains("/typo/entracte.db"), "{}", told.err);
    let by_itself =
        command_output(stage.command(&["inbox"]).env_remove("ENTRACTE_DATA").output().unwrap()).expect(0);
    let file = stage.folder.path().join(".local/share/entracte/entracte.db");
    assert!(file.exists(), "{}", by_itself.err);
    for name in ["typo", "env:NOPE", "copy.db"] {
        assert!(!stage.folder.path().join(name).exists(), "{name}");
    }
    stage.run(&["inbox"]).expect(0);
    stage.run(&["--data", "new", "zone", "add", "Health"]).expect(0);
    let mut named = stage.command(&["--data", "env:PLACE", "zone", "list"]);
    let named = command_output(named.env("PLACE", "new/entracte.db").output().unwrap()).expect(0);
    assert!(named.out.contains("Health"), "{}", named.out);
}

/// Input: a role without rights on the tables; expected: the error names GRANT and not the file mode, in both
/// languages.
#[test]
fn missing_grant_is_reported_as_grant() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    stage.send_in_new_session("Make a zone", 0);
    let role = format!("reader_{}", std::process::id());
    made.run(&format!("CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA public TO {role}"));
    let url = made.url().replacen("postgres://entracte@", &format!("postgres://{role}@"), 1);
    stage.write("url", &format!("{url}\n"));
    let told = |words: &str| {
        for arguments in [&["session", "list"][..], &["chat", "--message", "Hi"]] {
            for (language, lacks) in [("en_GB.UTF-8", "lacks a right"), ("fr_FR.UTF-8", "Il manque un droit")]
            {
                let refused = stage.command(arguments).env("LANG", language).output().unwrap();
                let refused = command_output(refused);
                assert_ne!(refused.code, 0, "{words}: {arguments:?}");
                for expected in ["permission denied for", words, "GRANT ", lacks] {
                    assert!(refused.err.contains(expected), "no “{expected}” in {}", refused.err);
                }
                assert!(!refused.err.contains("chmod"), "{}", refused.err);
            }
        }
    };
    told("table");
    made.run(&format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"));
    let refused = stage.run(&["zone", "add", "Work"]);
    assert!(refused.err.contains("GRANT ") && !refused.err.contains("chmod"), "{}", refused.err);
    made.run(&format!(
        "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
         GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}"
    ));
    stage.run(&["session", "list"]).expect(0);
    stage.run(&["zone", "add", "Work"]).expect(0);
    made.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

/// Input: a database without its comments, as restored from a dump without them; expected: it is still recognized.
#[test]
fn database_without_comments_is_known() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    let session = stage.send_in_new_session("Make a zone", 0);
    made.run("COMMENT ON TABLE workspaces IS NULL");
    let listed = stage.run(&["session", "list"]).expect(0).out;
    assert!(listed.contains(&session), "{listed}");
    made.run("DELETE FROM __diesel_schema_migrations");
    let refused = stage.run(&["session", "list"]);
    assert!(refused.err.contains("is a database of another program"), "{}", refused.err);
}

/// Input: sequences behind their tables, as after logical replication; expected: a check and doctor report it, a repair
/// fixes it while no process owns the database, and work continues.
#[test]
fn sequences_behind_tables_are_mended() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    stage.send_in_new_session("Make a zone", 0);
    stage.run(&["db", "repair"]).expect(0);
    made.run(
        "SELECT setval(pg_get_serial_sequence('sessions', 'session_id'), 1, false),
                setval(pg_get_serial_sequence('workspaces', 'workspace_id'), 1, false)",
    );
    let checked = stage.run(&["--json", "db", "check"]).expect(1).json();
    let behind: Vec<_> =
        checked["counters_behind"].as_array().unwrap().iter().map(|one| one["table"].clone()).collect();
    assert_eq!(behind, ["sessions", "workspaces"], "{checked}");
    let told = stage.run(&["db", "check"]).expect(1);
    assert!(told.err.contains("new rows of sessions, workspaces"), "{}", told.err);
    assert!(told.err.contains("entracte db repair"), "{}", told.err);
    let doctor = stage.run(&["doctor"]);
    assert!(doctor.out.contains("entracte db repair"), "{}", doctor.out);

    let owner = serve(&stage);
    stage.run(&["db", "repair"]).expect(6);
    drop(owner);
    let mended = stage.run(&["db", "repair"]).expect(0).out;
    assert!(
        mended.contains("sessions goes on after ") && mended.contains("workspaces goes on after "),
        "{mended}"
    );
    stage.run(&["db", "check"]).expect(0);
    stage.send_in_new_session("Make a zone", 0);
}

/// Input: a server with limits on the duration and idle time of transactions, and a slower target; expected: the
/// database is copied nevertheless.
#[test]
fn copy_outlives_limits_of_transactions() {
    let (Some(source), Some(target)) = (TestDatabase::make(), TestDatabase::make()) else { return };
    on_server(&source).send_in_new_session("Make a zone", 0);
    drop(target.open());
    target.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$;
         CREATE TRIGGER slow BEFORE INSERT ON workspaces FOR EACH ROW EXECUTE FUNCTION slow()",
    );
    for made in [&source, &target] {
        // The limit of a transaction is new in version 17.
        made.run(
            "DO $$ DECLARE of RECORD; BEGIN
                FOR of IN SELECT name FROM pg_settings
                    WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout') LOOP
                    EXECUTE format('ALTER DATABASE %I SET %I = 200', current_database(), of.name);
                END LOOP;
             END $$",
        );
    }
    let stage = CliFixture::with_config("").on_a_file();
    stage.run(&["db", "copy", &source.url(), &target.url()]).expect(0);
    stage.run(&["--data", &target.url(), "session", "verify", "--all"]).expect(0);
}
