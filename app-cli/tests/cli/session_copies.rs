//! Forks, files, deletions, read marks and changes of sessions, each by a command of its own.

use crate::cli_fixture::CliFixture;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "It is made."
"#;

fn finished_chat() -> (CliFixture, String) {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Make a zone", 0);
    (stage, session)
}

fn sessions(stage: &CliFixture) -> Vec<serde_json::Value> {
    stage.run(&["--json", "session", "list"]).expect(0).json()["sessions"].as_array().unwrap().clone()
}

#[test]
fn fork_is_named_with_command_to_continue() {
    let (stage, session) = finished_chat();
    let done = stage.run(&["session", "fork", &session]).expect(0);
    let fork = done.out.trim();
    assert!(done.err.ends_with(&format!("\n  entracte chat --session {fork}\n")), "{}", done.err);
    let json =
        stage.run(&["--json", "session", "fork", &session, "--at", "3", "--name", "Try"]).expect(0).json();
    assert_eq!(
        (&json["schema"], &json["at"], &json["name"]),
        (&"entracte.fork/1".into(), &3.into(), &"Try".into())
    );
    assert_eq!(json["from"], *session);
    assert_eq!(sessions(&stage).len(), 3);
    stage.run(&["session", "verify", "--all"]).expect(0);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["total"], 1, "the zone was made once");

    let wrong = stage.run(&["session", "fork", &session, "--at", "99"]).expect(2);
    assert!(wrong.err.contains("has no event 99; its events are numbered from 1 to 8"), "{}", wrong.err);
    assert!(wrong.err.ends_with(&format!("\n  entracte session journal {session}\n")), "{}", wrong.err);
    stage.run(&["session", "fork", "ses_nobody"]).expect(5);

    // In a copy, the numbers in its journal differ from its own count, and they are the accepted ones.
    let fork = json["session"].as_str().unwrap();
    let journal = stage.run(&["session", "journal", fork]).expect(0).out;
    let last = journal.lines().last().unwrap().split_whitespace().next().unwrap().to_owned();
    let again = stage.run(&["--json", "session", "fork", fork, "--at", &last]).expect(0).json();
    assert_eq!(again["at"].to_string(), last);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: a model's replies, exported as a script; expected: the script itself, and with JSON an object that contains
/// it or names its file.
#[test]
fn session_is_exported_as_script() {
    let (stage, session) = finished_chat();
    let script = stage.run(&["session", "record", &session]).expect(0).out;
    assert!(script.contains("[[turn]]") && script.contains("It is made."), "{script}");
    let told = stage.run(&["--json", "session", "record", &session]).expect(0).json();
    assert_eq!(told["script"].as_str().map(str::trim_end), Some(script.trim_end()));
    assert_eq!((&told["schema"], &told["turns"]), (&"entracte.record/1".into(), &2.into()));
    assert_eq!((told["session"].as_str(), told["file"].is_null()), (Some(session.as_str()), true));
    let told = stage.run(&["--json", "session", "record", &session, "-o", "talk.toml"]).expect(0).json();
    assert_eq!((&told["file"], &told["turns"]), (&"talk.toml".into(), &2.into()));
    assert!(told["script"].is_null(), "{told}");
}

#[test]
fn session_moves_by_file_to_other_database() {
    let (stage, session) = finished_chat();
    let out = stage.run(&["session", "export", &session]).expect(0).out;
    stage.run(&["session", "export", &session, "--output", "talk.json"]).expect(0);
    let file = std::fs::read_to_string(stage.folder.path().join("talk.json")).unwrap();
    assert_eq!(file, out);
    let there = stage.run(&["session", "export", &session, "--output", "talk.json"]).expect(6);
    assert!(there.err.ends_with("--output talk.json --force\n"), "{}", there.err);
    let done =
        stage.run(&["--json", "session", "export", &session, "-o", "talk.json", "--force"]).expect(0).json();
    assert_eq!((&done["schema"], &done["bytes"]), (&"entracte.export/1".into(), &file.len().into()));

    let other = CliFixture::with_script(STORY);
    other.write("talk.json", &file);
    let done = other.run(&["--json", "session", "import", "talk.json"]).expect(0).json();
    assert_eq!((&done["schema"], &done["session"]), (&"entracte.import/1".into(), &session.as_str().into()));
    let messages = |stage: &CliFixture| stage.run(&["session", "messages", &session]).expect(0).out;
    assert_eq!(messages(&other), messages(&stage));
    other.run(&["session", "verify", "--all"]).expect(0);
    other.run(&["db", "check"]).expect(0);

    let taken = other.run(&["session", "import", "talk.json"]).expect(6);
    assert!(taken.err.ends_with("\n  entracte session import talk.json --as-new\n"), "{}", taken.err);
    let copy = other.run_with(&["session", "import", "-", "--as-new"], &file).expect(0);
    assert_ne!(copy.out.trim(), session);
    assert_eq!(sessions(&other).len(), 2);
}

#[test]
fn incomplete_file_leaves_nothing_behind() {
    let (stage, session) = finished_chat();
    let file = stage.run(&["session", "export", &session]).expect(0).out;
    let other = CliFixture::with_script(STORY);
    let cases = [
        (file.replace("Health", "Wealth"), "it was changed or cut"),
        (file[..file.len() / 2].to_owned(), "it was cut"),
        (file.replace("session_export/1", "session_export/9"), "has version 9"),
        ("hello".to_owned(), "it is not a session file"),
    ];
    for (text, why) in cases {
        let done = other.run_with(&["session", "import", "-"], &text).expect(2);
        assert!(done.err.contains(why), "{}", done.err);
    }
    other.run(&["session", "import", "nowhere.json"]).expect(5);
    assert!(sessions(&other).is_empty());
}

#[test]
fn session_is_deleted_only_with_force() {
    let (stage, session) = finished_chat();
    let asked = stage.run(&["session", "delete", &session]).expect(2);
    assert!(
        asked.err.ends_with(&format!("\n  entracte session delete {session} --force\n")),
        "{}",
        asked.err
    );
    let done = stage.run(&["--json", "session", "delete", &session, "--force"]).expect(0).json();
    assert_eq!(done["schema"], "entracte.delete/1");
    assert!(sessions(&stage).is_empty());
    stage.run(&["session", "show", &session]).expect(5);
    stage.run(&["session", "delete", &session, "--force"]).expect(5);
    stage.run(&["session", "verify", "--all"]).expect(0);
    stage.run(&["db", "check"]).expect(0);
}

#[test]
fn new_messages_are_counted_per_reader() {
    let (stage, session) = finished_chat();
    let unread = |author: &str| {
        let mut command = stage.command(&["--json", "session", "list"]);
        let out = command.env("USER", author).output().unwrap().stdout;
        let list: serde_json::Value = serde_json::from_slice(&out).unwrap();
        list["sessions"][0]["unread"].as_u64().unwrap()
    };
    assert_eq!(unread("ann"), 0, "ann saw it in her chat");
    let all = unread("bob");
    assert!(all > 2, "{all}");
    let messages = |arguments: &[&str]| {
        let arguments = [&["--json", "session", "messages", &session], arguments].concat();
        let out = stage.command(&arguments).env("USER", "bob").output().unwrap().stdout;
        serde_json::from_slice::<serde_json::Value>(&out).unwrap()["messages"].as_array().unwrap().clone()
    };
    assert!(messages(&[]).iter().all(|message| message["author"].is_string()));
    assert_eq!(messages(&["--unread", "--mark-read"]).len() as u64, all);
    assert_eq!((unread("bob"), messages(&["--unread"]).len()), (0, 0));
    assert!(messages(&[]).iter().all(|message| message["unread"] == false));
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn session_settings_apply_from_then_on() {
    let (stage, session) = finished_chat();
    let set = |arguments: &[&str]| stage.run(&[&["--json", "session", "set", &session], arguments].concat());
    let done = set(&["--model", "other", "--dialect", "tools", "--require-approval", "yes"]).expect(0).json();
    assert_eq!((&done["model"], &done["dialect"]), (&"other".into(), &"tools".into()));
    assert_eq!(done["require_validation"], true);
    stage.run(&["session", "verify", "--all"]).expect(0);
    set(&[]).expect(2);
    set(&["--provider", "nobody"]).expect(2);
    set(&["--model", " "]).expect(2);
    stage.run(&["session", "set", "nobody", "--model", "x"]).expect(5);
    stage.run(&["session", "stop", &session, "--end"]);
    set(&["--model", "third"]).expect(6);
}

#[test]
fn deleted_session_with_data_returns_as_new() {
    let (stage, session) = finished_chat();
    stage.run(&["session", "export", &session, "-o", "talk.json"]).expect(0);
    stage.run(&["session", "delete", &session, "--force"]).expect(0);
    // Its zone still exists, and a call of a session with the same id would create one with the same id.
    let same = stage.run(&["session", "import", "talk.json"]).expect(6);
    assert!(same.err.ends_with("\n  entracte session import talk.json --as-new\n"), "{}", same.err);
    stage.run(&["session", "import", "talk.json", "--as-new"]).expect(0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: --data with the file of a database; expected: that file is opened, and not a folder of its name.
#[test]
fn data_may_name_the_file() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n").on_a_file();
    let session = stage.send_in_new_session("Hi", 0);
    stage.run(&["db", "backup", "copy.db"]).expect(0);
    let listed = stage.run(&["--data", "copy.db", "session", "list"]).expect(0).out;
    assert!(listed.contains(&session), "{listed}");
    assert!(stage.folder.path().join("copy.db").is_file());
    assert!(!stage.folder.path().join("entracte.db").exists());
}
