//! Workspace isolation: with ids of another workspace, no command finds anything.

use crate::cli_fixture::{CliCommandOutput, CliFixture};

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
envelope = '''{"pre_text": "Another.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Home"}}]}'''
"#;

fn run_in_other_workspace(stage: &CliFixture, arguments: &[&str]) -> CliCommandOutput {
    stage.run(&[&["--workspace", "eve:other"], arguments].concat())
}

#[test]
fn foreign_ids_are_found_by_no_command() {
    let stage = CliFixture::with_script(STORY);
    let asked = stage.run(&["--json", "chat", "--require-validation", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let approval = |stage: &CliFixture| {
        let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
        inbox["items"][0]["id"].as_str().unwrap().to_owned()
    };
    stage.run(&["approve", &approval(&stage), "--always"]).expect(0);
    let rules = stage.run(&["--json", "rule", "list"]).expect(0).json();
    let rule = rules["rules"][0]["id"].as_str().unwrap();
    stage.run(&["chat", "--session", &session, "--message", "Another"]).expect(3);
    let approval = &approval(&stage);
    let call = &approval.replace("apr_", "cal_");
    let create = ["automation", "create", "Weekly", "--message", "How was my week?", "--manual"];
    let automation = stage.run(&create).expect(0).out.trim().to_owned();
    let prompt = &format!("mc_{}_1_1", session.trim_start_matches("ses_"));
    stage.run(&["--workspace", "eve:other", "workspace", "create", "eve:other"]).expect(0);

    let look = || {
        let looks: [&[&str]; 4] = [
            &["--json", "session", "show", &session],
            &["--json", "inbox"],
            &["--json", "rule", "list", "--all"],
            &["--json", "automation", "show", &automation],
        ];
        looks.map(|arguments| {
            let mut shown = stage.run(arguments).expect(0).json();
            // When a card was read is no part of it.
            if let Some(card) = shown["items"].get_mut(0) {
                card["read_at"] = serde_json::Value::Null;
            }
            shown
        })
    };
    let before = look();
    let (s, a) = (session.as_str(), automation.as_str());
    let commands: [&[&str]; 37] = [
        &["inbox", "seen", s],
        &["session", "show", s],
        &["session", "show", &s[..8]],
        &["session", "messages", s],
        &["session", "messages", s, "--unread", "--mark-read"],
        &["session", "journal", s],
        &["session", "calls", s],
        &["session", "calls", s, call],
        &["session", "prompt", prompt],
        &["session", "prompt", &prompt[..7]],
        &["session", "verify", s],
        &["session", "stop", s],
        &["session", "stop", s, "--end"],
        &["session", "interrupt", s],
        &["session", "resume", s],
        &["session", "confirm", s],
        &["session", "reject-completion", s],
        &["session", "fork", s],
        &["session", "export", s],
        &["session", "delete", s, "--force"],
        &["session", "set", s, "--model", "large"],
        &["chat", "--session", s, "--message", "do it"],
        &["approve", approval],
        &["approve", &approval[..8]],
        &["approve", "--session", s, "--all"],
        &["reject", approval, "--reason", "no"],
        &["answer", s, "yes"],
        &["settle", call, "happened"],
        &["rule", "show", rule],
        &["rule", "revoke", rule],
        &["automation", "show", a],
        &["automation", "show", "Weekly"],
        &["automation", "run", a],
        &["automation", "edit", a, "--name", "Mine"],
        &["automation", "disable", a],
        &["automation", "history", a],
        &["automation", "delete", a, "--force"],
    ];
    for arguments in commands {
        let done = run_in_other_workspace(&stage, arguments);
        assert_eq!(done.code, 5, "{arguments:?}: {} {}", done.out, done.err);
        assert_eq!(done.out, "", "{arguments:?}");
        // A completely given id may be repeated; nothing else of the other workspace may appear.
        for id in [s, approval.as_str(), call.as_str(), rule, a] {
            assert!(arguments.contains(&id) || !done.err.contains(id), "{arguments:?}: {}", done.err);
        }
    }
    for arguments in [&["inbox"][..], &["session", "list"], &["rule", "list"], &["automation", "list"]] {
        assert_eq!(run_in_other_workspace(&stage, arguments).expect(0).out, "", "{arguments:?}");
    }
    assert_eq!(look(), before, "nothing was changed from beyond the wall");
}
