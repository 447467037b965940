//! Sessions that are stopped from elsewhere, chats that people leave, and sessions that wait for a slot.

use crate::cli_fixture::{CliFixture, CliProcess};

const HANGS: &str = "[[turn]]\ndelay_ms = 600000\ntext = \"late\"\n";

/// A message in a new chat whose model does not answer, and the session.
fn start_hanging_chat(stage: &CliFixture) -> (CliProcess, String) {
    let running = stage.begin(&["chat", "--message", "Hello"]);
    let session = session_of(&running);
    stage.wait_for_output(&["session", "journal", &session], "StandingChanged");
    (running, session)
}

fn session_of(running: &CliProcess) -> String {
    running.line_with("session ses_").trim_start_matches("session ").to_owned()
}

#[test]
fn interrupted_turn_exits_130() {
    let stage = CliFixture::with_script(HANGS);
    let (running, session) = start_hanging_chat(&stage);
    // A message sent meanwhile waits for the next round.
    let beside = stage.begin(&["chat", "--session", &session, "--message", "And this?"]);
    stage.wait_for_output(&["session", "journal", &session], "And this?");
    stage.run(&["session", "interrupt", &session]).expect(0);
    running.line_with("ann interrupted the round");
    running.line_with(&format!("entracte session resume {session}"));
    assert_eq!(running.close_stdin_and_wait(), 130);
    beside.line_with("1 message of");
    assert_eq!(beside.close_stdin_and_wait(), 130);
    let list = stage.run(&["session", "list"]).expect(0).out;
    assert!(list.contains("1 message waits for the next round"), "{list}");
    let shown = stage.run(&["session", "show", &session]).expect(0).out;
    assert!(shown.contains("1 message waits for the next round"), "{shown}");
    let shown = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert_eq!(shown["queued_messages"].as_array().map(Vec::len), Some(1), "{shown}");
    // It joins the next round, where the model answers.
    stage.write("story.toml", "[[turn]]\ntext = \"Bye.\"\n");
    assert_eq!(stage.run(&["session", "resume", &session]).expect(0).out, "Bye.\n");
    let shown = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert_eq!(shown["queued_messages"], serde_json::json!([]));
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn stopped_run_exits_130_and_stop_0() {
    let stage = CliFixture::with_script(HANGS);
    stage.run(&["automation", "create", "Look", "--message", "Is all well?", "--manual"]).expect(0);
    let running = stage.begin(&["automation", "run", "Look"]);
    let line = running.line_with("ACTIVATED");
    let session = line.split_whitespace().next().unwrap().to_owned();
    let stopped = stage.run(&["session", "stop", &session]).expect(0);
    assert!(!stopped.err.contains("stopped"), "{}", stopped.err);
    running.line_with(&format!("ann ended {session}"));
    assert_eq!(running.close_stdin_and_wait(), 130);
}

#[test]
fn an_interrupted_run_says_so_in_the_inbox() {
    let stage = CliFixture::with_script(HANGS);
    stage.run(&["automation", "create", "Look", "--message", "Is all well?", "--manual"]).expect(0);
    let running = stage.begin(&["automation", "run", "Look"]);
    let line = running.line_with("ACTIVATED");
    let session = line.split_whitespace().next().unwrap().to_owned();
    stage.run(&["session", "interrupt", &session]).expect(0);
    assert_eq!(running.close_stdin_and_wait(), 130);
    let inbox = stage.run(&["inbox"]).expect(0).out;
    assert!(inbox.contains("interrupted") && !inbox.contains("unknown outcome"), "{inbox}");
}

#[test]
fn short_active_time_is_not_shown_as_zero() {
    let stage = CliFixture::with_script(HANGS);
    stage.write(
        "entracte.toml",
        "[limits]\nrun_duration = \"50ms\"\nclosing_delay = \"1ms\"\n\
         [providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n",
    );
    stage.run(&["automation", "create", "Look", "--message", "Is all well?", "--manual"]).expect(0);
    let ran = stage.run(&["automation", "run", "Look"]).expect(8);
    assert!(ran.err.contains("it was active for 50 ms (limits.run_duration)"), "{}", ran.err);
}

const DONE: &str = "[[turn]]\nenvelope = '''{\"pre_text\": \"Done.\", \"completed\": true}'''\n";

const CAREFUL: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
envelope = '''{"pre_text": "Done.", "completed": true}'''
"#;

/// Chats are answered, runs of `Look` complete immediately, those of `Long` hang, and those of `Careful` request
/// approval.
fn multi_provider_fixture(more: &str) -> CliFixture {
    let provider =
        |name: &str| format!("[providers.{name}]\nkind = \"rehearsal\"\nscript = \"{name}.toml\"\n");
    let providers: String = ["stage", "done", "hangs", "careful"].map(provider).concat();
    let stage = CliFixture::with_config(&format!(
        "default_provider = \"stage\"\n{more}[limits]\ncompletion_delay = \"1ms\"\nclosing_delay = \"1ms\"\n{providers}"
    ));
    stage.write("stage.toml", "[[turn]]\ntext = \"Hello.\"\n[[turn]]\ntext = \"Again.\"\n");
    stage.write("done.toml", DONE);
    stage.write("hangs.toml", HANGS);
    stage.write("careful.toml", CAREFUL);
    for (name, provider) in [("Look", "done"), ("Long", "hangs"), ("Careful", "careful")] {
        let create = ["automation", "create", name, "--message", "Go on", "--manual", "--provider", provider];
        stage.run(&create).expect(0);
    }
    stage.run(&["automation", "edit", "Careful", "--require-approval", "yes"]).expect(0);
    stage
}

/// A run that holds the slot of a workspace where chats are queued.
fn long_run(stage: &CliFixture) -> (CliProcess, String) {
    stage.run(&["workspace", "settings", "set", "chat_preempts=false"]).expect(0);
    let running = stage.begin(&["automation", "run", "Long"]);
    let line = running.line_with("ACTIVATED");
    (running, line.split_whitespace().next().unwrap().to_owned())
}

/// Input: an action by hand that waits behind a run, and the owner of both killed; expected: the command says that it waits,
/// and goes on with the sessions itself.
#[test]
fn waiting_action_goes_on_without_its_owner() {
    let stage = multi_provider_fixture("[server]\naction_wait = \"1s\"\n").on_this_machine();
    let (mut owner, _) = long_run(&stage);
    let mut action = stage.begin(&["zone", "add", "Health"]);
    action.line_with("this command waits for what becomes of it");
    owner.child.kill().unwrap();
    owner.child.wait().unwrap();
    stage.wait_for_output(&["doctor"], &format!("process {}", action.child.id()));
    action.child.kill().unwrap();
    action.child.wait().unwrap();
}

#[test]
fn left_chat_frees_its_slot() {
    let stage = multi_provider_fixture("");
    stage.send_in_new_session("hi", 0);
    let ran = stage.run(&["automation", "run", "Look"]).expect(0).out;
    assert!(ran.contains("ACTIVATED"), "nobody has the chat open: {ran}");
    // An open chat keeps its slot until the person leaves.
    let mut chat = stage.begin(&["chat"]);
    let session = session_of(&chat);
    chat.type_line("hi");
    chat.line_with("Hello.");
    let shown = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert_eq!(shown["open_by"], serde_json::json!(["ann"]));
    let asked = stage.run(&["--json", "automation", "run", "Look", "--no-wait"]).expect(0).json();
    assert_eq!((&asked["activation"], &asked["slot"]["position"]), (&"QUEUED".into(), &1.into()), "{asked}");
    assert_eq!(chat.close_stdin_and_wait(), 0);
    let journal = stage.run(&["session", "journal", &session]).expect(0).out;
    assert!(journal.contains("SessionOpened") && journal.contains("SessionLeft"), "{journal}");
    let list = stage.run(&["--json", "session", "show", asked["session"].as_str().unwrap()]).json();
    assert_ne!(list["standing"], "queued", "it began when the chat was left: {list}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// The lease is short here only: a busy machine may renew a lease of one second too late.
#[test]
fn killed_chat_keeps_its_slot_until_its_lease_ends() {
    let stage = multi_provider_fixture("[runtime]\nattachment_lease = \"1s\"\n");
    let mut chat = stage.begin(&["chat"]);
    chat.type_line("hi");
    chat.line_with("Hello.");
    chat.child.kill().unwrap();
    chat.child.wait().unwrap();
    stage.run(&["automation", "run", "Look"]).expect(0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn waiting_for_slot_is_reported() {
    let stage = multi_provider_fixture("");
    let parked = stage.run(&["automation", "run", "Careful"]).expect(3).out;
    let parked = parked.split_whitespace().next().unwrap().to_owned();
    let (_running, run) = long_run(&stage);
    let ahead = format!("before it: {run} “Long” (automation, active since");
    let says = |err: &str, place: &str| {
        assert!(err.contains(&format!("at place {place}; {ahead}")), "{err}");
    };
    // The queue position is reported, with and without waiting.
    let approved = stage.run(&["approve", "--session", &parked, "--all", "--no-wait"]).expect(0);
    says(&approved.err, "1");
    let chat = stage.begin(&["chat", "--message", "hi"]);
    let session = session_of(&chat);
    says(&chat.line_with("waits for a slot"), "1");
    let shown = stage.run(&["session", "show", &session]).expect(0).out;
    says(&shown, "1");
    let resumed = stage.run(&["session", "resume", &parked, "--no-wait"]).expect(0);
    assert!(resumed.err.contains("at place 2; before it: "), "{}", resumed.err);
    let other = stage.run(&["automation", "run", "Look", "--no-wait"]).expect(0);
    assert!(other.out.trim_end().ends_with("  QUEUED 3"), "{}", other.out);
    assert!(other.err.contains("at place 3;"), "{}", other.err);
    let message = ["--json", "chat", "--session", &session, "--message", "And this?", "--no-wait"];
    let turn = stage.run(&message).expect(0).json();
    assert_eq!((&turn["standing"], &turn["slot"]["position"]), (&"queued".into(), &1.into()), "{turn}");
    assert_eq!(turn["slot"]["ahead"][0]["session"], run.as_str());
    // In both languages.
    stage.run(&["workspace", "settings", "set", "language=fr"]).expect(0);
    let french = stage.run(&["session", "open", &session, "--no-wait"]).expect(0);
    assert_eq!(french.out, format!("{session}  QUEUED 1\n"));
    assert!(french.err.contains("attend son tour depuis"), "{}", french.err);
    // When it gets the slot it continues by itself.
    stage.run(&["session", "stop", &run]).expect(0);
    chat.line_with("Again.");
    assert_eq!(chat.close_stdin_and_wait(), 0);
    let again = stage.run(&["session", "open", &session]).expect(0);
    let word = again.out.trim_end().rsplit(' ').next().unwrap().to_owned();
    assert!(["ACTIVATED", "ALREADY_ACTIVE"].contains(&word.as_str()), "{}", again.out);
    let again = stage.run(&["session", "open", &session]).expect(0);
    assert_eq!(again.out, format!("{session}  ALREADY_ACTIVE\n"));
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn later_chat_replaces_the_queued_one() {
    let stage = multi_provider_fixture("");
    let (_running, run) = long_run(&stage);
    let first = stage.begin(&["chat", "--message", "hi"]);
    let replaced = session_of(&first);
    first.line_with("waits for a slot");
    let second = stage.begin(&["chat", "--message", "hi"]);
    second.line_with("waits for a slot");
    first.line_with(&format!("a later chat took the place of {replaced} in the queue"));
    first.line_with(&format!("entracte session resume {replaced}"));
    assert_eq!(first.close_stdin_and_wait(), 6);
    let list = stage.run(&["session", "list"]).expect(0).out;
    let line = list.lines().find(|line| line.contains(&replaced)).unwrap();
    assert!(line.contains("open") && line.contains("1 message waits for the next round"), "{list}");
    stage.run(&["session", "stop", &run]).expect(0);
    second.line_with("Hello.");
    assert_eq!(second.close_stdin_and_wait(), 0);
    assert_eq!(stage.run(&["session", "resume", &replaced]).expect(0).out, "Hello.\n");
    stage.run(&["session", "verify", "--all"]).expect(0);
}
