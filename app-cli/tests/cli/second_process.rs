//! Two processes on one database: one owns it, the other posts and reads, and takes over when the owner is killed.

use crate::cli_fixture::CliFixture;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "So it is."
"#;

#[test]
fn a_call_is_approved_beside_a_running_chat() {
    let stage = CliFixture::with_script(STORY);
    let mut chat = stage.begin(&["chat", "--require-approval"]);
    let line = chat.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    chat.type_line("Make a zone");
    chat.line_with("approval needed");
    let list = stage.run(&["session", "list"]).expect(0).out;
    assert!(list.contains("waits for you"), "{list}");
    let beside = stage.run(&["approve", "--session", &session, "--all"]).expect(0);
    assert_eq!(beside.out, "So it is.\n");
    chat.type_line("");
    chat.line_with("So it is.");
    assert_eq!(chat.close_stdin_and_wait(), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn a_second_chat_works_beside_the_owner() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n[[turn]]\ntext = \"Again.\"\n");
    let mut owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let beside = stage.run(&["chat", "--message", "hi"]).expect(0);
    assert_eq!(beside.out, "Hello.\n");
    owner.type_line("hi");
    owner.line_with("Hello.");
    assert_eq!(owner.close_stdin_and_wait(), 0);
    let list = stage.run(&["--json", "session", "list"]).json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 2);
}

#[test]
fn waiting_process_replaces_dead_owner() {
    // The owner is killed before the answer, also on a machine that stands still for a moment.
    let stage = CliFixture::with_script("[[turn]]\ndelay_ms = 6000\ntext = \"Here I am.\"\n");
    let mut owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let beside = stage.begin(&["chat", "--message", "hi"]);
    let line = beside.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    stage.wait_for_output(&["session", "journal", &session], "StandingChanged");
    owner.child.kill().unwrap();
    beside.line_with("Here I am.");
    assert_eq!(beside.close_stdin_and_wait(), 0);
    let journal = stage.run(&["session", "journal", &session]).out;
    assert!(journal.contains("ProviderErrorOccurred") && journal.contains("attempt 2"), "{journal}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn chat_continues_when_owner_leaves() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n[[turn]]\ntext = \"Again.\"\n");
    let owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let mut beside = stage.begin(&["chat"]);
    beside.line_with("session ses_");
    beside.type_line("hi");
    beside.line_with("Hello.");
    assert_eq!(owner.close_stdin_and_wait(), 0);
    beside.type_line("hi");
    beside.line_with("Again.");
    assert_eq!(beside.close_stdin_and_wait(), 0);
}

#[test]
fn lines_on_standard_input_are_a_talk_too() {
    let stage = CliFixture::with_script(STORY);
    let done = stage.run_with(&["chat", "--require-approval"], "Make a zone\ny\n").expect(0);
    assert_eq!(done.out, "I make a zone.\nSo it is.\n");
    assert!(done.err.contains("approval needed Create the zone “Health”"), "{}", done.err);
    let left = stage.run_with(&["chat", "--require-approval"], "Make a zone\n").expect(3);
    assert!(left.err.contains("\n  entracte approve apr_"), "{}", left.err);
}

/// A session whose process was killed during a model call, and the script that the next process plays.
fn killed_in_a_model_call(next: &str) -> (CliFixture, String) {
    let stage = CliFixture::with_script("[[turn]]\ndelay_ms = 600000\ntext = \"late\"\n");
    let mut owner = stage.begin(&["chat", "--message", "hi"]);
    let line = owner.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    stage.wait_for_output(&["session", "journal", &session], "StandingChanged");
    owner.child.kill().unwrap();
    owner.child.wait().unwrap();
    stage.write("story.toml", next);
    (stage, session)
}

#[test]
fn resume_continues_session_of_dead_process() {
    let (stage, session) = killed_in_a_model_call("[[turn]]\ntext = \"Here I am.\"\n");
    let resumed = stage.run(&["session", "resume", &session]).expect(0);
    assert_eq!(resumed.out, "Here I am.\n");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn refused_request_keeps_resumed_work_running() {
    let (stage, session) = killed_in_a_model_call("[[turn]]\ndelay_ms = 1000\ntext = \"Here I am.\"\n");
    stage.run(&["answer", &session, "yes"]).expect(6);
    let messages = stage.run(&["session", "messages", &session]).expect(0).out;
    assert!(messages.contains("Here I am."), "{messages}");
}

/// Input: a script beside a process that runs the sessions; expected: refused before a session is made, with the way to play
/// it.
#[test]
fn script_is_refused_beside_another_owner() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    stage.write("other.toml", "[[turn]]\ntext = \"From the script.\"\n");
    let owner = stage.begin(&["chat"]);
    owner.line_with("session ses_");
    let beside = stage.run(&["chat", "--script", "other.toml", "--message", "hi"]).expect(6);
    assert!(
        beside.err.ends_with("\n  entracte chat --script FILE --data ANOTHER_FOLDER\n"),
        "{}",
        beside.err
    );
    drop(owner);
    let alone = stage.run(&["chat", "--script", "other.toml", "--message", "hi"]).expect(0);
    assert_eq!(alone.out, "From the script.\n");
}
