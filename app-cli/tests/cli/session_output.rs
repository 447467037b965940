//! Printed sessions; unknown ids; output without a reader.

use std::process::Stdio;

use crate::cli_fixture::{CliFixture, redacted};

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "post_text": "It is made."}'''
usage = { input = 10, output = 5 }
"#;

#[test]
fn a_session_is_listed_shown_and_verified() {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Make a zone", 0);
    let look = |arguments: &[&str]| redacted(&stage.run(arguments).expect(0).out, &session);
    let looks = [
        look(&["session", "list"]),
        look(&["session", "show", &session]),
        look(&["session", "messages", &session]),
        look(&["session", "journal", &session]),
        look(&["session", "calls", &session]),
        look(&["session", "verify", &session]),
    ];
    insta::assert_snapshot!(looks.join("\n"));
}

/// Input: a session in each of two workspaces; expected: all of them are replayed, unless one workspace is named.
#[test]
fn all_sessions_are_those_of_every_workspace() {
    let stage = CliFixture::with_script(STORY);
    stage.send_in_new_session("Make a zone", 0);
    stage.run(&["--workspace", "ann:other", "chat", "--message", "Make a zone"]).expect(0);
    let replayed = |arguments: &[&str]| {
        let object = stage.run(&[&["--json"], arguments].concat()).expect(0).json();
        object["sessions"].as_array().unwrap().len()
    };
    assert_eq!(replayed(&["session", "verify", "--all"]), 2);
    assert_eq!(replayed(&["session", "verify"]), 1);
    assert_eq!(replayed(&["--workspace", "ann:other", "session", "verify", "--all"]), 1);
}

#[test]
fn session_list_filters_by_name_kind_and_waiting() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hi.\"\n");
    for name in ["Élan of spring", "Taxes 2026"] {
        stage.run(&["chat", "--name", name, "--message", "Hi"]).expect(0);
    }
    let names = |arguments: &[&str]| {
        let list = stage.run(&[&["--json", "session", "list"], arguments].concat()).expect(0).json();
        let mut names: Vec<String> =
            list["sessions"].as_array().unwrap().iter().map(|row| row["name"].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&["--search", "ÉLAN"]), ["\"Élan of spring\""]);
    assert_eq!(names(&["--search", "2026", "--kind", "chat", "--limit", "1"]), ["\"Taxes 2026\""]);
    assert_eq!(names(&["--kind", "automation"]), [""; 0]);
    assert_eq!(names(&["--waiting"]), [""; 0]);
    assert_eq!(names(&[]).len(), 2);
    let none = stage.run(&["session", "list", "--search", "nothing"]).expect(0);
    assert!(none.err.contains("list them all: entracte session list"), "{}", none.err);
    stage.run(&["session", "list", "--kind", "chats"]).expect(2);
}

#[test]
fn the_same_as_json() {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Make a zone", 0);
    let look = |arguments: &[&str]| {
        let arguments = [&["--json"], arguments].concat();
        redacted(&format!("{:#}", stage.run(&arguments).expect(0).json()), &session)
    };
    let looks = [
        look(&["session", "list"]),
        look(&["session", "show", &session]),
        look(&["session", "messages", &session]),
        look(&["session", "calls", &session]),
        look(&["session", "verify", "--all"]),
    ];
    insta::assert_snapshot!(looks.join("\n"));
    let journal = stage.run(&["--json", "session", "journal", &session]).expect(0).out;
    for line in journal.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(entry["schema"], "entracte.entry/2");
        assert!(entry["entry"]["v"].is_number(), "{line}");
    }
}

#[test]
fn one_call_is_shown_whole() {
    let stage = CliFixture::with_script(
        "[[turn]]\nenvelope = '''{\"pre_text\": \"I look.\", \"queries\": [{\"type\": \"ZONES\", \"params\": {}}, \
         {\"type\": \"ZONE_CONFIG\", \"params\": {\"zone\": 1}}]}'''\n[[turn]]\ntext = \"None.\"\n",
    );
    let session = stage.send_in_new_session("Which zones?", 0);
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    let (done, refused) = (&calls["calls"][0], &calls["calls"][1]);
    assert!(done["duration_ms"].as_i64().unwrap() >= 0 && done["started_at"].is_string(), "{done}");
    assert_eq!((&done["is_error"], &done["attempt"]), (&false.into(), &1.into()));
    assert_eq!((&refused["code"], &refused["is_error"]), (&"INVALID_ARGUMENTS".into(), &true.into()));
    assert!(refused["started_at"].is_null() && refused["duration_ms"].is_null(), "it never began: {refused}");

    let whole = stage.run(&["session", "calls", &session, refused["id"].as_str().unwrap()]).expect(0).out;
    let wanted =
        ["zones.get (query, read)", "state       invalid_arguments", "{\"zone\":1}", "INVALID_ARGUMENTS"];
    assert!(wanted.iter().all(|part| whole.contains(part)), "{whole}");
    assert!(whole.trim_end().ends_with(refused["content"].as_str().unwrap()), "{whole}");
    stage.run(&["session", "calls", &session, "cal_nobody_1_0"]).expect(5);
}

#[test]
fn missing_item_exits_5_with_list_command() {
    let stage = CliFixture::with_script(STORY);
    for arguments in [
        &["session", "show", "ses_nobody"][..],
        &["chat", "--session", "nobody", "--message", "hi"],
        &["session", "resume", "nobody"],
        &["answer", "nobody", "yes"],
    ] {
        let done = stage.run(arguments).expect(5);
        assert!(done.err.ends_with("\n  entracte session list\n"), "{}", done.err);
        assert_eq!(done.out, "");
    }
    let done = stage.run(&["--json", "session", "show", "ses_nobody"]).expect(5);
    let expected = serde_json::json!({
        "schema": "entracte.error/1",
        "code": "not_found",
        "message": "there is no session ses_nobody",
        "next": "entracte session list",
    });
    assert_eq!(done.json(), expected);
    let open = stage.run(&["approve", "apr_nobody_1_0"]).expect(5);
    assert!(open.err.ends_with("\n  entracte inbox\n"), "{}", open.err);
    stage.run(&["command", "show", "NOPE"]).expect(5);
    stage.run(&["provider", "check", "nope"]).expect(5);
}

#[test]
fn an_action_outside_is_not_run_by_hand() {
    let stage = CliFixture::with_script(STORY);
    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    let tool = "[[tools.http.tool]]\nname = \"notes.send\"\nmethod = \"POST\"\nurl = \"https://notes.example/\"\n\
                doc = \"Sends.\"\narguments = { type = \"object\", properties = {}, additionalProperties = false }\n";
    stage.write("entracte.toml", &format!("{provider}{tool}"));
    let done = stage.run(&["command", "run", "notes.send", "{}"]).expect(4);
    assert!(done.err.ends_with("\n  entracte chat\n"), "{}", done.err);
    stage.run(&["command", "run", "TOOL_DATA"]).expect(2);
    stage.run(&["command", "run", "ZONES", "[]"]).expect(2);
}

/// Input: a disk without space for the output; expected: exit 1, and the command that shows disks.
#[cfg(target_os = "linux")]
#[test]
fn output_on_full_disk_is_reported() {
    let stage = CliFixture::with_script(STORY);
    for arguments in [&["provider", "list"][..], &["--version"], &["session", "--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let told =
            crate::cli_fixture::command_output(stage.command(arguments).stdout(full).output().unwrap())
                .expect(1)
                .err;
        assert!(told.contains("No space left") && told.ends_with("\n  entracte doctor\n"), "{told}");
    }
}

#[test]
fn output_to_closed_pipe_ends_quietly() {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Make a zone", 0);
    let mut command = stage.command(&["session", "journal", &session]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn colours_are_used_only_on_request() {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Make a zone", 0);
    let journal = |colour: &str| stage.run(&["--color", colour, "session", "journal", &session]).out;
    assert!(journal("always").contains("\u{1b}[32m"));
    assert!(!journal("auto").contains('\u{1b}') && !journal("never").contains('\u{1b}'));
}

#[test]
fn a_session_that_was_ended_takes_nothing_in() {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Make a zone", 0);
    stage.run(&["session", "stop", &session, "--end"]).expect(0);
    let done = stage.run(&["chat", "--session", &session, "--message", "more"]).expect(6);
    assert!(done.err.ends_with("\n  entracte chat\n"), "{}", done.err);
}
