//! A database that cannot be written: the message, the exit code, and the continuation of the sessions afterwards.

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use entracte_tests::postgres::TestDatabase;

use crate::cli_fixture::{CliCommandOutput, CliFixture, command_output};

const STORY: &str =
    "[[turn]]\ntext = \"Here I am.\"\n[[turn]]\ntext = \"So it is.\"\n[[turn]]\ntext = \"Yes.\"\n";

fn stage() -> CliFixture {
    CliFixture::with_script(STORY).on_a_file()
}

/// A connection of another program to the same file.
pub(crate) fn open_second_connection(stage: &CliFixture) -> SqliteConnection {
    let path = stage.folder.path().join("data/entracte.db");
    let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    conn.batch_execute("PRAGMA busy_timeout = 10000").unwrap();
    conn
}

/// Longer than the space that is left by chance.
fn long() -> String {
    "x".repeat(20_000)
}

fn check_database_intact(stage: &CliFixture) {
    stage.run(&["session", "verify"]).expect(0);
    stage.run(&["db", "check"]).expect(0);
}

fn assert_stderr_contains(done: &CliCommandOutput, words: &[&str]) {
    for words in words {
        assert!(done.err.contains(words), "no “{words}” in {}", done.err);
    }
}

#[test]
fn full_database_is_reported_and_recovers() {
    let stage = stage();
    let session = stage.send_in_new_session("Hi", 0);
    let full = |arguments: &[&str]| {
        command_output(stage.command(arguments).env("ENTRACTE_DATABASE_MAX_BYTES", "1").output().unwrap())
    };
    let told = full(&["chat", "--session", &session, "--message", &long()]).expect(1);
    assert_stderr_contains(
        &told,
        &["entracte.db: database or disk is full. There is no space to write", "\n  entracte doctor\n"],
    );
    assert_stderr_contains(&told, &["nothing that was committed is lost, and work then continues by itself"]);
    let object = full(&["--json", "chat", "--session", &session, "--message", &long()]).expect(1).json();
    assert_eq!(object["code"], "failure");
    full(&["session", "show", &session]).expect(0);
    let again = stage.run(&["chat", "--session", &session, "--message", "And now?"]).expect(0);
    assert_eq!(again.out, "So it is.\n");
    check_database_intact(&stage);
    let none = full(&["--data", "elsewhere", "chat", "--message", "Hi"]).expect(1);
    assert_stderr_contains(
        &none,
        &["cannot be opened: database or disk is full. There is no space to write"],
    );
}

/// Input: a first message that does not fit on a full disk; expected: no session is created, whether or not one would
/// fit.
#[test]
fn failed_chat_on_full_disk_leaves_no_session() {
    let stage = stage();
    let session = stage.send_in_new_session("Hi", 0);
    for _ in 0..3 {
        let mut chat = stage.command(&["chat", "--message", &long()]);
        let told = command_output(chat.env("ENTRACTE_DATABASE_MAX_BYTES", "1").output().unwrap()).expect(1);
        assert_stderr_contains(&told, &["There is no space to write"]);
        let found = stage.run(&["--json", "session", "list"]).expect(0).json();
        let ids: Vec<_> = found["sessions"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
        assert_eq!(ids, [session.as_str()], "{found}");
    }
    check_database_intact(&stage);
}

/// Input: a file size limit that kills the writer with a signal it ignores; expected: it is reported like a full disk,
/// and nothing is lost.
#[cfg(unix)]
#[test]
fn file_size_limit_is_reported() {
    let stage = stage();
    stage.run(&["zone", "add", "Health"]).expect(0);
    let like = stage.command(&["zone", "add", "Work"]);
    let mut limited = std::process::Command::new("/bin/sh");
    limited.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]).arg(like.get_program()).args(like.get_args());
    limited.current_dir(stage.folder.path()).env_clear();
    limited.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let told = command_output(limited.output().unwrap()).expect(1);
    assert_stderr_contains(&told, &["nothing that was committed is lost, and work then continues by itself"]);
    stage.run(&["zone", "add", "Work"]).expect(0);
    check_database_intact(&stage);
}

/// A disk of three megabytes, if the system permits: namespaces are not allowed everywhere.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported_and_recovers() {
    const SCRIPT: &str = r#"
        say() { "$ENTRACTE" chat --session "$session" --message "$1"; echo "code $?"; }
        "$ENTRACTE" --json chat --message Hi >first || exit 1
        session=$(sed 's/.*"session":"\([^"]*\)".*/\1/' first)
        head -c 5000000 /dev/zero >data/ballast
        say "$LONG"
        rm data/ballast
        say "And now?"
        "$ENTRACTE" session verify && "$ENTRACTE" db check"#;
    let stage = stage().without_data();
    std::fs::create_dir(stage.folder.path().join("data")).unwrap();
    let on_a_small_disk = |script: &str| {
        let like = stage.command(&[]);
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c"]);
        command.arg(format!("mount -t tmpfs -o size=3m none data || exit 77\n{script}"));
        command.current_dir(stage.folder.path()).env("ENTRACTE", like.get_program()).env("LONG", long());
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?)))).output()
    };
    if !on_a_small_disk("true").is_ok_and(|output| output.status.success()) {
        println!("NOT TESTED on a small disk: nothing may be mounted here");
        return;
    }
    let done = command_output(on_a_small_disk(SCRIPT).unwrap()).expect(0);
    // Without any space the database cannot even be opened, and SQLite reports that in its own words.
    assert_stderr_contains(
        &done,
        &["free space", "nothing that was committed is lost, and work then continues by itself"],
    );
    assert!(done.out.starts_with("code 1\nSo it is.\ncode 0\n"), "{}", done.out);
}

#[test]
fn locked_database_error_has_remedy() {
    let stage = stage();
    let session = stage.send_in_new_session("Hi", 0);
    let mut other = open_second_connection(&stage);
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let mut command = stage.command(&["chat", "--session", &session, "--message", "Hi"]);
    let told =
        command_output(command.env("ENTRACTE_DATABASE_BUSY_TIMEOUT", "50ms").output().unwrap()).expect(1);
    assert_stderr_contains(
        &told,
        &["database is locked. Another program holds its lock: close that program"],
    );
    other.batch_execute("ROLLBACK").unwrap();
    let again = stage.run(&["chat", "--session", &session, "--message", "And now?"]).expect(0);
    assert_eq!(again.out, "So it is.\n");
    check_database_intact(&stage);
}

/// An interactive chat reports a lock in the language of its workspace, and continues with the next line.
#[test]
fn a_talk_outlives_a_lock() {
    let stage = CliFixture::with_config(
        "[database]\nbusy_timeout = \"50ms\"\n[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n",
    )
    .on_a_file();
    stage.write("story.toml", STORY);
    stage.run(&["workspace", "settings", "set", "language=fr"]).expect(0);
    let mut chat = stage.begin(&["chat"]);
    chat.line_with("session ses_");
    chat.type_line("Hi");
    chat.line_with("Here I am.");
    let mut other = open_second_connection(&stage);
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    chat.type_line("Do you hear me?");
    let told = chat.line_with("la demande n’a pas pu être enregistrée");
    assert!(
        told.contains("la demande n’a pas pu être enregistrée\u{a0}: la base de données est inutilisable"),
        "{told}"
    );
    assert!(told.contains("Un autre programme tient son verrou"), "{told}");
    other.batch_execute("ROLLBACK").unwrap();
    chat.type_line("And now?");
    chat.line_with("So it is.");
    assert_eq!(chat.close_stdin_and_wait(), 0);
    check_database_intact(&stage);
}

#[cfg(unix)]
#[test]
fn unwritable_database_error_has_remedy() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::os::unix::process::CommandExt;

    /// File permissions do not restrict root: then the command runs as this user.
    const NOBODY: u32 = 65534;
    let stage = stage().without_data();
    let folder = stage.folder.path();
    let is_root = folder.metadata().unwrap().uid() == 0;
    let (program, built) = (folder.join("program"), stage.command(&[]).get_program().to_owned());
    if std::fs::hard_link(&built, &program).is_err() {
        std::fs::copy(&built, &program).unwrap();
    }
    if is_root {
        chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let run = |arguments: &[&str]| {
        let like = stage.command(arguments);
        let mut command = std::process::Command::new(&program);
        command.args(arguments).current_dir(folder).env_clear();
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // Another user trusts no file yet.
        command.env("ENTRACTE_CONFIG", "entracte.toml");
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command_output(command.output().unwrap())
    };
    let rights = |name: &str, mode: u32| {
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let turn = run(&["--json", "chat", "--message", "Hi"]).expect(0).json();
    let again = ["chat", "--session", turn["session"].as_str().unwrap(), "--message", "And now?"];

    rights("data/entracte.db", 0o444);
    assert_stderr_contains(
        &run(&again).expect(1),
        &["entracte.db is read-only; make it writable: chmod u+w"],
    );
    rights("data/entracte.db", 0o600);

    // A process that was killed leaves the write-ahead log: writing it needs no permission on the folder.
    let beside =
        ["data/entracte.db-wal", "data/entracte.db-shm"].map(|name| (name, folder.join(name).exists()));
    let left = || beside.iter().filter(|(_, is_there)| *is_there);
    left().for_each(|(name, _)| rights(name, 0o444));
    rights("data", 0o555);
    assert_stderr_contains(&run(&again).expect(1), &["make its file and folder"]);
    rights("data", 0o700);
    left().for_each(|(name, _)| rights(name, 0o600));

    assert_eq!(run(&again).expect(0).out, "So it is.\n");
    run(&["session", "verify"]).expect(0);
}

/// A watch on a server database survives the loss of its connections, and runs due automations afterwards.
#[test]
fn a_watch_outlives_the_connections_of_its_server() {
    let Some(made) = TestDatabase::make() else { return };
    let stage = CliFixture::with_config(
        "[database]\nurl_file = \"url\"\nownership_check = \"100ms\"\n\
         [limits]\ncompletion_delay = \"1ms\"\nclosing_delay = \"1ms\"\n\
         [providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n",
    )
    .on_a_file();
    stage.write("url", &made.url());
    stage.write("story.toml", "[[turn]]\nenvelope = '''{\"pre_text\": \"Done.\", \"completed\": true}'''\n");
    stage.run(&["automation", "create", "Often", "--message", "Look", "--every", "1s"]).expect(0);
    let watch = stage.begin(&["automation", "watch"]);
    let session = |line: String| line.split_whitespace().next().unwrap().to_owned();
    let first = session(watch.line_with("ended: COMPLETED"));
    made.close_all_connections();
    while session(watch.line_with("ended: COMPLETED")) == first {}
    drop(watch);
    stage.run(&["automation", "disable", "Often"]).expect(0);
    let history = stage.run(&["--json", "automation", "history", "Often"]).expect(0).json();
    let occurrences = history["occurrences"].as_array().unwrap();
    let instants: std::collections::BTreeSet<String> =
        occurrences.iter().map(|one| one["at"].to_string()).collect();
    assert_eq!(instants.len(), occurrences.len(), "no instant is decided twice: {history}");
    stage.run(&["session", "verify"]).expect(0);
}

/// Created anew, it would look as if no session had ever existed.
#[test]
fn a_database_that_was_emptied_is_reported() {
    let stage = stage();
    let session = stage.send_in_new_session("Hi", 0);
    let file = stage.folder.path().join("data/entracte.db");
    std::fs::write(&file, "").unwrap();
    for arguments in [&["session", "list"][..], &["chat", "--message", "Hi"], &["db", "check"]] {
        let told = stage.run(arguments).expect(1);
        assert_stderr_contains(
            &told,
            &["entracte.db is empty (0 bytes); restore a backup, or remove it to begin a new one"],
        );
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
    }
    std::fs::remove_file(&file).unwrap();
    stage.send_in_new_session("Hi", 0);
    let listed = stage.run(&["session", "list"]).expect(0);
    assert!(!listed.out.contains(&session), "a new one began: {}", listed.out);
}

/// A damaged database is shown as completely as possible, also beside its owner.
#[test]
fn every_damaged_session_has_its_line() {
    let stage = stage();
    let (well, ill, lost) = (
        stage.send_in_new_session("Hi", 0),
        stage.send_in_new_session("Hi", 0),
        stage.send_in_new_session("Hi", 0),
    );
    // Its name, a text of two letters, is changed.
    let renamed = "unhex(replace(hex(body), '424869', '42486F'))";
    open_second_connection(&stage)
        .batch_execute(&format!(
            "UPDATE sessions SET body = {renamed} WHERE id = '{ill}';
             UPDATE sessions SET body = x'00' WHERE id = '{lost}'"
        ))
        .unwrap();
    let owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    for arguments in [&["session", "verify"][..], &["session", "verify", "--all"], &["db", "check"]] {
        let done = stage.run(arguments).expect(1);
        assert!(done.out.contains(&format!("MISMATCH  {ill}")), "{}", done.out);
        assert!(done.out.contains(&format!("DAMAGED   {lost}")), "{}", done.out);
        assert!(!done.out.contains(&well), "{}", done.out);
        assert_stderr_contains(&done, &["2 of 4 sessions do not match their journals"]);
    }
    let object = stage.run(&["--json", "session", "verify"]).expect(1).json();
    let verdicts = object["sessions"].as_array().unwrap();
    assert_eq!(verdicts.iter().filter(|one| one["verdict"] == "ok").count(), 2, "{object}");
    assert_eq!(owner.close_stdin_and_wait(), 0);
}

#[test]
fn damaged_automation_is_listed_with_its_fault() {
    let stage = stage();
    for name in ["Sound", "Broken"] {
        stage.run(&["automation", "create", name, "--message", "Look", "--manual"]).expect(0);
    }
    let newer = "UPDATE automations SET body = CAST('{\"v\":9}' AS BLOB) WHERE name = 'Broken'";
    open_second_connection(&stage).batch_execute(newer).unwrap();
    let list = stage.run(&["automation", "list"]).expect(0).out;
    let line = list.lines().find(|line| line.contains("Broken")).unwrap();
    assert!(line.contains("damaged") && line.contains("has version 9"), "{list}");
    assert!(list.contains("Sound"), "{list}");
    let object = stage.run(&["--json", "automation", "list"]).expect(0).json();
    assert_eq!(object["automations"][0]["name"], "Sound");
    assert_eq!(object["damaged"][0]["name"], "Broken");
    let doctor = stage.run(&["doctor"]).expect(1).out;
    assert!(doctor.contains("fail  automation aut_"), "{doctor}");
}

#[test]
fn automations_with_same_old_name_stay_distinguishable() {
    let stage = stage();
    let make = |name: &str| {
        let create = ["automation", "create", name, "--message", "Look", "--manual"];
        stage.run(&create).expect(0).out.trim().to_owned()
    };
    let ids = [make("Look"), make("Other")];
    open_second_connection(&stage).batch_execute("UPDATE automations SET name = 'Look'").unwrap();
    let both = stage.run(&["automation", "show", "Look"]).expect(2);
    assert!(both.err.contains("Look matches several automations: aut_"), "{}", both.err);
    for id in &ids {
        stage.run(&["automation", "show", id]).expect(0);
        stage.run(&["automation", "edit", id, "--message", "Look again"]).expect(0);
    }
    stage.run(&["automation", "edit", &ids[1], "--name", "Second"]).expect(0);
}
