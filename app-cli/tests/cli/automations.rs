//! Automations: created, run, watched, shown, changed, deleted; and the errors of wrong input.

use serde_json::Value;

use crate::cli_fixture::CliFixture;
use crate::terminal::PseudoTerminal;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "ZONES", "params": {}}]}'''
[[turn]]
envelope = '''{"pre_text": "All is well.", "completed": true}'''
"#;

/// A model that plays this script; completed runs end without the closing delay.
fn stage(script: &str) -> CliFixture {
    let stage = CliFixture::with_script(script);
    stage.write(
        "entracte.toml",
        "[limits]\ncompletion_delay = \"1ms\"\nclosing_delay = \"1ms\"\n\
         [providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n",
    );
    stage
}

/// Creates an automation and returns its id.
fn made(stage: &CliFixture, name: &str, flags: &[&str]) -> String {
    let begin = ["automation", "create", name, "--message", "Is all well?"];
    stage.run(&[&begin, flags].concat()).expect(0).out.trim().to_owned()
}

fn json(stage: &CliFixture, arguments: &[&str]) -> Value {
    stage.run(&[&["--json"], arguments].concat()).expect(0).json()
}

#[test]
fn created_automation_runs_and_has_history() {
    let stage = stage(STORY);
    let id = made(&stage, "Look", &["--manual"]);
    let ran = stage.run(&["automation", "run", "Look"]).expect(0);
    let (first, reply) = ran.out.split_once('\n').unwrap();
    assert!(first.starts_with("ses_") && first.ends_with("  ACTIVATED"), "{first}");
    assert_eq!(reply, "All is well.\n");
    let session = first.split_whitespace().next().unwrap();

    let history = json(&stage, &["automation", "history", &id[..8]]);
    assert_eq!(
        (&history["schema"], &history["automation"]),
        (&"entracte.history/1".into(), &id.clone().into())
    );
    let occurrence = &history["occurrences"][0];
    assert_eq!(
        (&occurrence["outcome"], &occurrence["cause"], &occurrence["session"], &occurrence["end_reason"]),
        (&"ran".into(), &"manual".into(), &session.into(), &"COMPLETED".into())
    );
    let told = stage.run(&["automation", "history", "Look"]).expect(0).out;
    assert!(told.contains("on request") && told.contains("COMPLETED"), "{told}");

    // A run's session may be deleted; its history row stays.
    stage.run(&["session", "delete", session, "--force"]).expect(0);
    let told = stage.run(&["automation", "history", "Look"]).expect(0).out;
    assert!(told.contains("the session is deleted"), "{told}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn the_coming_instants_are_those_of_the_zone() {
    let stage = stage(STORY);
    let flags = ["--cron", "0 9 * * 1", "--zone", "Asia/Tokyo"];
    let id = made(&stage, "Weekly", &flags);
    let lines = stage.run(&["automation", "next", "Weekly", "-n", "3"]).expect(0).out;
    assert_eq!(lines.lines().filter(|line| line.contains("T09:00:00+09:00  in ")).count(), 3, "{lines}");
    let next = json(&stage, &["automation", "next", &id, "-n", "1"]);
    assert_eq!((&next["schema"], &next["zone"]), (&"entracte.next/2".into(), &"Asia/Tokyo".into()));
    assert!(next["instants"][0].as_str().unwrap().ends_with("T00:00:00Z"), "{next}");
    let list = json(&stage, &["automation", "list"]);
    assert_eq!(list["automations"][0]["next_at"], next["instants"][0]);

    // Without a zone option the workspace's zone applies.
    stage.run(&["workspace", "settings", "set", "zone=America/New_York"]).expect(0);
    made(&stage, "Daily", &["--cron", "0 9 * * *"]);
    let shown = json(&stage, &["automation", "show", "Daily"]);
    assert_eq!(shown["trigger"]["zone"], "America/New_York");
    made(&stage, "Asked", &["--manual"]);
    for count in ["0", "1001"] {
        stage.run(&["automation", "next", "Weekly", "-n", count]).expect(2);
    }
    let asked = stage.run(&["automation", "next", "Asked"]).expect(0);
    assert_eq!(asked.out, "");
    assert!(asked.err.contains("entracte automation run aut_"), "{}", asked.err);
}

#[test]
fn one_part_is_edited_and_the_others_stay() {
    let stage = stage(STORY);
    let flags = ["--every", "2h", "--catch-up", "unlimited", "--all-missed", "--overlap", "queue"];
    made(&stage, "Look", &[&flags[..], &["--profile", "strict", "--unattended", "refuse"]].concat());
    let before = json(&stage, &["automation", "show", "Look"]);
    assert_eq!(before["trigger"]["interval_ms"], 7_200_000);
    assert_eq!(
        before["policies"],
        serde_json::json!({
            "catch_up_ms": null, "latest_only": false, "overlap": "queue",
            "profile": "strict", "unattended": "refuse", "completion": null, "mode": null,
        })
    );
    let edit = |flags: &[&str]| json(&stage, &[&["automation", "edit", "Look"], flags].concat());
    let after = edit(&["--message", "And now?", "--profile", "workspace", "--require-approval", "yes"]);
    assert_eq!(after["begins"]["message"], "And now?");
    assert_eq!(
        (&after["policies"]["profile"], &after["policies"]["overlap"]),
        (&Value::Null, &"queue".into())
    );
    assert_eq!((&after["version"], &after["begins"]["require_validation"]), (&2.into(), &true.into()));
    assert_eq!(
        (&after["trigger"], &after["begins"]["model"]),
        (&before["trigger"], &before["begins"]["model"])
    );
    let after = edit(&["--model", "other"]);
    assert_eq!(
        (&after["begins"]["message"], &after["begins"]["model"]),
        (&"And now?".into(), &"other".into())
    );
    assert_eq!(after["begins"]["require_validation"], true);
    let after = edit(&["--cron", "0 9 * * *", "--name", "Morning"]);
    assert_eq!((&after["name"], &after["trigger"]["type"]), (&"Morning".into(), &"cron".into()));
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn disabled_is_not_due_and_deleted_leaves_history() {
    let stage = stage(STORY);
    let id = made(&stage, "Look", &["--every", "1h", "--disabled"]);
    assert_eq!(json(&stage, &["automation", "show", "Look"])["state"], "off");
    assert_eq!(json(&stage, &["automation", "enable", "Look"])["state"], "on");
    let off = json(&stage, &["automation", "disable", "Look"]);
    assert_eq!((&off["state"], &off["next_at"]), (&"off".into(), &Value::Null));
    stage.run(&["automation", "run", "Look"]).expect(0);

    let asked = stage.run(&["automation", "delete", "Look"]).expect(2);
    assert!(asked.err.ends_with(&format!("\n  entracte automation delete {id} --force\n")), "{}", asked.err);
    assert_eq!(json(&stage, &["automation", "delete", "Look", "--force"])["automation"], id);
    stage.run(&["automation", "show", "Look"]).expect(5);
    assert_eq!(json(&stage, &["automation", "list"])["automations"], serde_json::json!([]));
    let history = json(&stage, &["automation", "history", &id]);
    assert_eq!(history["occurrences"][0]["end_reason"], "COMPLETED");
}

#[test]
fn event_is_shown_to_run_as_external_data() {
    let stage = stage(STORY);
    made(&stage, "Invoice", &["--on-event"]);
    stage.write("event.json", r#"{"invoice": 7}"#);
    let none = stage.run(&["automation", "run", "Invoice", "--event", "@none.json"]).expect(5).err;
    assert!(none.contains("none.json") && none.ends_with("\n  entracte automation run --help\n"), "{none}");
    let ran = stage.run(&["automation", "run", "Invoice", "--event", "@event.json"]).expect(0).out;
    let session = ran.split_whitespace().next().unwrap();
    let messages = json(&stage, &["session", "messages", session]);
    let is_event = |message: &&Value| message["type"] == "EVENT_PAYLOAD";
    let event = messages["messages"].as_array().unwrap().iter().find(is_event).unwrap();
    assert!(event["data"].as_str().unwrap().contains("\"invoice\""), "{event}");
    let told = stage.run(&["session", "messages", session]).expect(0).out;
    assert!(told.contains("invoice"), "{told}");
    let history = json(&stage, &["automation", "history", "Invoice"]);
    assert_eq!(history["occurrences"][0]["cause"], "event");
    let wrong = stage.run(&["automation", "run", "Invoice", "--event", "{bad"]).expect(2);
    assert!(wrong.err.contains("the event is not valid JSON"), "{}", wrong.err);
    assert_eq!(
        json(&stage, &["automation", "history", "Invoice"])["occurrences"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn wrong_input_is_named_and_makes_nothing() {
    let stage = stage(STORY);
    let begin = ["automation", "create", "X", "--message", "hi"];
    let cases: [(&[&str], i32, &str); 11] = [
        (&["--cron", "61 * * * *"], 2, "“61 * * * *” is not a valid cron expression"),
        (&["--cron", "0 0 30 2 *"], 2, "“0 0 30 2 *” never occurs after"),
        (&["--cron", "0 9 * * *", "--zone", "Mars"], 2, "“Mars” is not a valid IANA time zone"),
        (&["--every", "often"], 2, "--every: “often” is not a valid duration"),
        (&["--at", "soon"], 2, "--at: “soon”"),
        (&["--at", "2020-01-01"], 2, "has already passed"),
        (&[], 2, "the automation has no trigger"),
        (&["--manual", "--catch-up", "late"], 2, "--catch-up: “late” is not a valid duration"),
        (&["--manual", "--provider", "nobody"], 5, "there is no provider “nobody”"),
        (&["--manual", "--enrich", "{bad"], 2, "--enrich: not valid JSON"),
        (&["--manual", "--cron", "* * * * *"], 2, "cannot be used with"),
    ];
    for (flags, code, expected) in cases {
        let done = stage.run(&[&begin, flags].concat()).expect(code);
        assert!(done.err.contains(expected), "{flags:?}: {}", done.err);
        assert!(done.err.lines().last().unwrap().starts_with("  entracte "), "{flags:?}: {}", done.err);
    }
    stage.run(&["automation", "create", " ", "--message", "hi", "--manual"]).expect(2);
    stage.run(&["automation", "create", "X", "--message", " ", "--manual"]).expect(2);
    stage.run(&["automation", "edit", "nobody", "--name", "Y"]).expect(5);
    assert_eq!(json(&stage, &["automation", "list"])["automations"], serde_json::json!([]));
    assert_eq!(json(&stage, &["session", "list"])["sessions"], serde_json::json!([]));
    let id = made(&stage, "Look", &["--manual"]);
    let nothing = stage.run(&["automation", "edit", &id]).expect(2);
    assert!(nothing.err.ends_with("\n  entracte automation edit --help\n"), "{}", nothing.err);
}

#[test]
fn history_without_name_shows_last_night() {
    let stage = stage(STORY);
    let nothing = stage.run(&["automation", "history"]).expect(0);
    assert!(nothing.out.is_empty() && nothing.err.contains("was due in this period"), "{}", nothing.err);
    let first = made(&stage, "First", &["--manual"]);
    let second = made(&stage, "Second", &["--manual"]);
    stage.run(&["automation", "run", "First"]).expect(0);
    stage.run(&["automation", "run", "Second"]).expect(0);

    let all = json(&stage, &["automation", "history"]);
    assert_eq!(all["automation"], Value::Null);
    let of: Vec<&Value> =
        all["occurrences"].as_array().unwrap().iter().map(|one| &one["automation"]).collect();
    assert_eq!(of, [&Value::from(second.as_str()), &Value::from(first.as_str())], "the latest first");
    let told = stage.run(&["automation", "history"]).expect(0).out;
    assert!(told.contains("Second") && told.contains("First"), "{told}");

    let later = json(&stage, &["automation", "history", "--since", "2099-01-01"]);
    assert_eq!(later["occurrences"], serde_json::json!([]));
    let earlier = json(&stage, &["automation", "history", "--before", "2020-01-01"]);
    assert_eq!(earlier["occurrences"], serde_json::json!([]));
    let one = json(&stage, &["automation", "history", "--limit", "1"]);
    assert_eq!(one["occurrences"].as_array().unwrap().len(), 1);
}

#[test]
fn automation_name_is_unique_and_seed_unchanged() {
    let stage = stage(STORY);
    let first = made(&stage, "Look", &["--manual"]);
    let second = made(&stage, "Other", &["--manual"]);

    let again = ["automation", "create", " Look ", "--message", "hi", "--manual"];
    let taken = format!("{first} is already called “Look”; choose another name");
    let refused = stage.run(&again).expect(6);
    assert!(refused.err.contains(&taken), "{}", refused.err);
    let refused = stage.run(&["automation", "edit", "Other", "--name", "Look"]).expect(6);
    assert!(refused.err.contains(&taken), "{}", refused.err);
    assert_eq!(json(&stage, &["automation", "list"])["automations"].as_array().unwrap().len(), 2);
    stage.run(&["automation", "edit", "Look", "--name", "Look", "--message", "Well?"]).expect(0);

    let seed = json(&stage, &["automation", "show", "Look"])["seed"].as_str().unwrap().to_owned();
    let refused = stage.run(&["chat", "--session", &seed, "--message", "Hello"]).expect(6);
    assert!(
        refused.err.contains("is the template of an automation and takes no messages"),
        "{}",
        refused.err
    );
    let refused = stage.run(&["session", "delete", &seed, "--force"]).expect(6);
    assert!(refused.err.contains(&format!("the automation “Look” ({first}) runs with")), "{}", refused.err);
    assert!(refused.err.contains(&format!("entracte automation delete {first}")), "{}", refused.err);

    // The name of a deleted automation is free again.
    stage.run(&["automation", "delete", "Look", "--force"]).expect(0);
    stage.run(&["automation", "edit", &second, "--name", "Look"]).expect(0);
}

#[test]
fn due_automation_runs_beside_other_commands() {
    let stage = stage(STORY);
    made(&stage, "Often", &["--every", "1s"]);
    made(&stage, "Look", &["--manual"]);
    let mut watch = stage.begin(&["automation", "watch"]);
    let line = watch.line_with("ended: COMPLETED");
    assert!(line.starts_with("ses_"), "{line}");
    let second = stage.run(&["automation", "watch"]).expect(6);
    assert!(second.err.contains("another process owns the database"), "{}", second.err);
    stage.run(&["automation", "disable", "Often"]).expect(0);
    let ran = stage.run(&["automation", "run", "Look"]).expect(0).out;
    assert!(ran.ends_with("\nAll is well.\n"), "{ran}");
    let pid = nix::unistd::Pid::from_raw(watch.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));
    let history = json(&stage, &["automation", "history", "Often"]);
    let ran = |occurrence: &&Value| occurrence["outcome"] == "ran";
    let runs: Vec<&Value> = history["occurrences"].as_array().unwrap().iter().filter(ran).collect();
    assert!(!runs.is_empty() && runs.iter().all(|run| run["end_reason"] == "COMPLETED"), "{history}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn run_of_killed_watch_is_resumed_by_next() {
    let stage = stage("[[turn]]\ndelay_ms = 600000\ntext = \"late\"\n");
    made(&stage, "Look", &["--every", "1s", "--overlap", "queue"]);
    let mut watch = stage.begin(&["automation", "watch"]);
    let line = watch.line_with("StandingChanged");
    let session = line.split_whitespace().next().unwrap();
    watch.child.kill().unwrap();
    watch.child.wait().unwrap();
    stage.write("story.toml", "[[turn]]\nenvelope = '''{\"pre_text\": \"Done.\", \"completed\": true}'''\n");
    let again = stage.begin(&["automation", "watch"]);
    loop {
        let line = again.line_with("ended: COMPLETED");
        if line.starts_with(session) {
            break;
        }
    }
    stage.run(&["automation", "disable", "Look"]).expect(0);
    let history = json(&stage, &["automation", "history", "Look"]);
    let of_run = |occurrence: &&Value| occurrence["session"] == session;
    let occurrences = history["occurrences"].as_array().unwrap();
    assert_eq!(occurrences.iter().filter(of_run).count(), 1, "{history}");
    let mut instants: Vec<&str> = occurrences.iter().map(|one| one["at"].as_str().unwrap()).collect();
    let all = instants.len();
    instants.dedup();
    assert_eq!(instants.len(), all, "no instant is decided twice: {history}");
    drop(again);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn waiting_run_shows_position_and_resume_time() {
    let stage = stage("[[turn]]\nfail = \"unreachable\"\n");
    made(&stage, "Far", &["--manual"]);
    let watch = stage.begin(&["automation", "watch"]);
    watch.line_with("Ctrl-C to stop watching");
    let run = || {
        let run = json_lines(&stage, &["automation", "run", "Far", "--no-wait"]);
        (run["session"].as_str().unwrap().to_owned(), run["activation"].clone(), run["position"].clone())
    };
    let (first, activation, position) = run();
    assert_eq!((activation, position), ("ACTIVATED".into(), Value::Null));
    let list = stage.wait_for_output(&["session", "list"], "retries at ");
    assert!(list.contains("WAITING_NETWORK_RETRY"), "{list}");
    let shown = json(&stage, &["session", "show", &first]);
    assert_eq!((&shown["wake_reason"], &shown["position"]), (&"retries".into(), &Value::Null));
    assert!(shown["wake_at"].is_string(), "{shown}");
    let (second, activation, position) = run();
    assert_eq!((activation, position), ("QUEUED".into(), 1.into()));
    assert_eq!(json(&stage, &["session", "show", &second])["position"], 1);
    let sheet = stage.run(&["session", "show", &second]).expect(0).out;
    assert!(sheet.contains("standing    queued 1"), "{sheet}");
    let list = stage.run(&["session", "list"]).expect(0).out;
    assert!(list.contains("queued 1"), "{list}");
}

#[test]
fn failed_run_is_in_inbox_until_seen() {
    let stage = stage(&"[[turn]]\nfail = \"refused\"\n".repeat(3));
    made(&stage, "Fails", &["--manual"]);
    let mut runs: Vec<String> = (0..3)
        .map(|_| {
            let run = stage.run(&["--json", "automation", "run", "Fails"]).out;
            let first: Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
            first["session"].as_str().unwrap().to_owned()
        })
        .collect();
    runs.sort();
    let items = |stage: &CliFixture| -> Vec<String> {
        let inbox = json(stage, &["inbox"]);
        let mut ids: Vec<String> = inbox["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| {
                assert_eq!((&item["kind"], &item["why"]), (&"ended".into(), &"failed".into()));
                assert_eq!(item["end_reason"], "ERROR");
                item["session"].as_str().unwrap().to_owned()
            })
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(items(&stage), runs);
    let shown = stage.run(&["inbox"]).expect(0).out;
    assert!(shown.contains(&format!("entracte inbox seen {}", runs[0])), "{shown}");
    assert!(shown.contains("failed: the run ended with ERROR"), "{shown}");

    // If one name is not found, none is marked.
    stage.run(&["inbox", "seen", &runs[0], "ses_none"]).expect(5);
    assert_eq!(items(&stage), runs);
    let seen = json(&stage, &["inbox", "seen", &runs[0]]);
    assert_eq!((&seen["schema"], &seen["items"]), (&"entracte.seen/1".into(), &vec![runs[0].clone()].into()));
    assert_eq!(items(&stage), runs[1..]);
    stage.run(&["inbox", "seen", &runs[0]]).expect(0);
    let journal = stage.run(&["session", "journal", &runs[0]]).expect(0).out;
    assert_eq!(journal.matches("saw how the run ended").count(), 1, "{journal}");
    stage.run(&["session", "verify", &runs[0]]).expect(0);

    stage.run(&["workspace", "settings", "set", "language=fr"]);
    let french = stage.run(&["inbox", "seen", "--all"]).expect(0);
    assert!(french.out.contains("l’exécution s’est terminée avec ERROR"), "{}", french.out);
    assert!(french.err.contains(&format!("{} est marqué comme vu", runs[1])), "{}", french.err);
    assert_eq!(items(&stage), [] as [String; 0]);
    let none = stage.run(&["inbox", "seen", "--all"]).expect(0);
    assert!(none.err.contains("il n’y a rien à marquer comme vu"), "{}", none.err);
}

/// The first of the objects that a command prints.
fn json_lines(stage: &CliFixture, arguments: &[&str]) -> Value {
    let out = stage.run(&[&["--json"], arguments].concat()).expect(0).out;
    serde_json::from_str(out.lines().next().unwrap()).unwrap()
}

/// Input: day fields that Debian's cron and Entracte read differently, and a step that is longer than its field;
/// expected: the meant days in words, with a warning; a line of a crontab has the days of a crontab, and no warning.
#[test]
fn crontab_days_are_distinguished() {
    let stage = stage(STORY);
    let create = |name: &str, flags: &[&str]| {
        let begin = ["automation", "create", name, "--message", "Is all well?", "--zone", "UTC"];
        stage.run(&[&begin, flags].concat()).expect(0)
    };
    let either = create("Either", &["--cron", "0 0 */2 * 1"]).err;
    assert!(either.contains("also all that match the weekday"), "{either}");
    assert!(either.contains("crontab of Debian") && either.contains("0 0 */2 * +1"), "{either}");
    let both = create("Both", &["--crontab", "0 0 */2 * 1"]).err;
    assert!(both.contains("Only the days that match both") && !both.contains("Note"), "{both}");
    let shown = json(&stage, &["automation", "show", "Both"]);
    assert_eq!(shown["trigger"]["expression"], "0 0 */2 * +1", "{shown:#}");
    let long = create("Long", &["--cron", "*/90 * * * *"]).err;
    assert!(long.contains("only minute 0 is left"), "{long}");
    let plain = create("Plain", &["--cron", "0 9 * * 1"]).err;
    assert!(!plain.contains("Note") && !plain.contains("days that match"), "{plain}");
    let refused = ["automation", "create", "Boot", "--message", "Hi", "--crontab", "@reboot"];
    assert!(stage.run(&refused).expect(2).err.contains("@reboot"));

    // At a terminal the person is asked.
    let ask = ["automation", "create", "Asked", "--message", "Hi", "--cron", "0 0 */2 * 1", "--zone", "UTC"];
    for (answer, exit) in [("n", 130), ("y", 0)] {
        let mut terminal = PseudoTerminal::open(&stage, 100, &ask);
        terminal.until("meant so?");
        terminal.type_line(answer);
        assert_eq!(terminal.ends(), exit, "{}", terminal.text());
        let names = json(&stage, &["automation", "list"]).to_string();
        assert_eq!(names.contains("Asked"), exit == 0, "{names}");
    }
}
