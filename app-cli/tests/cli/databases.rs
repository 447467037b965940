//! The same commands on a file of SQLite and on a Postgres server, and what goes between the two.

use entracte_tests::postgres::TestDatabase;

use crate::stage::{Stage, done};

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "So it is."
"#;

/// A stage whose database is kept by a server.
pub(crate) fn on_server(made: &TestDatabase) -> Stage {
    let stage = Stage::configured(
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[database]\nurl_file = \"url\"\n",
    )
    .on_a_file();
    stage.write("story.toml", STORY);
    stage.write("url", &format!("{}\n", made.url()));
    stage
}

/// Another process owns the target: who wants it alone is told who does, and ends.
fn told(stage: &Stage, target: &str) {
    stage.run(&["--data", "other", "db", "copy", "data/none.db", target]).expect(5);
    let other = Stage::playing(STORY).on_a_file();
    other.say("Make a zone", 0);
    let source = other.folder.path().join("data/entracte.db").display().to_string();
    let owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let pid = owner.child.id();
    let second = stage.run(&["db", "copy", &source, target]).expect(6);
    assert!(second.err.contains(&format!("is owned by process {pid}")), "{}", second.err);
    assert_eq!(owner.leave(), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn second_process_is_told() {
    told(&Stage::playing(STORY).on_a_file(), "data/entracte.db");
    if let Some(made) = TestDatabase::make() {
        told(&on_server(&made), &made.url());
    }
}

#[test]
fn a_chat_on_a_server_has_all_that_one_on_a_file_has() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    let migrated = stage.run(&["db", "migrate"]).expect(0);
    assert!(migrated.out.starts_with("applied ") && migrated.err.contains("postgres://"), "{}", migrated.err);
    let session = stage.say("Make a zone", 0);
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
fn a_talk_beside_an_owner_works_on_a_server_too() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    let mut chat = stage.begin(&["chat", "--require-approval"]);
    let line = chat.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    chat.types("Make a zone");
    chat.line_with("approval needed");
    let beside = stage.run(&["approve", "--session", &session, "--all"]).expect(0);
    assert_eq!(beside.out, "So it is.\n");
    chat.types("");
    chat.line_with("So it is.");
    assert_eq!(chat.leave(), 0);
}

#[test]
fn whoever_waits_takes_the_place_of_an_owner_that_dies_on_a_server_too() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = on_server(&made);
    stage.write("story.toml", "[[turn]]\ndelay_ms = 1500\ntext = \"Here I am.\"\n");
    let mut owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let beside = stage.begin(&["chat", "--message", "hi"]);
    let line = beside.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    stage.until(&["session", "journal", &session], "StandingChanged");
    owner.child.kill().unwrap();
    beside.line_with("Here I am.");
    assert_eq!(beside.leave(), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn a_database_moves_to_a_server_and_back_and_each_session_is_replayed() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = Stage::playing(STORY).on_a_file();
    let session = stage.say("Make a zone", 0);
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
    let stage =
        Stage::configured(&format!("[database]\nurl = \"{url}\"\nconnect_timeout = \"1s\"\n")).on_a_file();
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
fn a_url_that_is_kept_elsewhere_and_is_not_there_is_told_by_its_place() {
    let stage = Stage::configured("[database]\nurl_env = \"THE_DATABASE\"\n").on_a_file();
    let done = stage.run(&["session", "list"]).expect(2);
    assert!(done.err.contains("the environment variable THE_DATABASE is not set"), "{}", done.err);
    let shown = stage.run(&["config", "show", "--origin"]).expect(0).out;
    assert!(shown.contains("database.url_env"), "{shown}");
    let stage = Stage::configured("[database]\nurl_env = \"THE_DATABASE\"\nurl = \"e.db\"\n").on_a_file();
    let done = stage.run(&["session", "list"]).expect(2);
    assert!(done.err.contains("the database is set more than once"), "{}", done.err);
}

/// Input: a place written wrong, as a flag, a variable or a setting; expected: who looks or maintains is told that nothing is
/// there, nothing is made, and who begins work may begin it there. The place that a database has by itself is made by anybody.
#[test]
fn a_place_written_wrong_is_no_new_database() {
    let stage = Stage::playing(STORY).on_a_file();
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
        let told = done(stage.command(&["inbox"]).env(variable, place).output().unwrap()).expect(5);
        assert!(told.err.contains("there is no database at typo/entracte.db"), "{variable}: {}", told.err);
    }
    stage.drop_in("typo.toml", "data = \"typo\"\n");
    let mut unset = stage.command(&["--config", "typo.toml", "inbox"]);
    let told = done(unset.env_remove("ENTRACTE_DATA").output().unwrap()).expect(5);
    assert!(told.err.contains("/typo/entracte.db"), "{}", told.err);
    let by_itself = done(stage.command(&["inbox"]).env_remove("ENTRACTE_DATA").output().unwrap()).expect(0);
    let file = stage.folder.path().join(".local/share/entracte/entracte.db");
    assert!(file.exists(), "{}", by_itself.err);
    for name in ["typo", "env:NOPE", "copy.db"] {
        assert!(!stage.folder.path().join(name).exists(), "{name}");
    }
    stage.run(&["inbox"]).expect(0);
    stage.run(&["--data", "new", "zone", "add", "Health"]).expect(0);
    let mut named = stage.command(&["--data", "env:PLACE", "zone", "list"]);
    let named = done(named.env("PLACE", "new/entracte.db").output().unwrap()).expect(0);
    assert!(named.out.contains("Health"), "{}", named.out);
}

/// Input: a session in each of two workspaces; expected: all of them are replayed, unless one workspace is named.
#[test]
fn all_sessions_are_those_of_every_workspace() {
    let stage = Stage::playing(STORY);
    stage.say("Make a zone", 0);
    stage.run(&["--workspace", "ann:other", "chat", "--message", "Make a zone"]).expect(0);
    let replayed = |arguments: &[&str]| {
        let object = stage.run(&[&["--json"], arguments].concat()).expect(0).json();
        object["sessions"].as_array().unwrap().len()
    };
    assert_eq!(replayed(&["session", "verify", "--all"]), 2);
    assert_eq!(replayed(&["session", "verify"]), 1);
    assert_eq!(replayed(&["--workspace", "ann:other", "session", "verify", "--all"]), 1);
}
