//! The policy hook of the configuration as a program: asked before a person is, with its answer on the card, in the journal
//! and with the call.

use std::os::unix::fs::PermissionsExt as _;

use crate::cli_fixture::CliFixture;
use crate::decisions::MAKES;

/// A fixture whose policy is a program that answers so, if it gets the question.
fn with_policy(answer: &str) -> CliFixture {
    let stage = CliFixture::with_script(MAKES);
    let program = stage.folder.path().join("policy");
    let script = format!("#!/bin/sh\ngrep -q '\"command\":\"zones.create\"' && echo '{answer}'\n");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let models = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    let program = program.display();
    // A slow machine is no part of this story.
    stage.write("entracte.toml", &format!("{models}[policy]\nprogram = \"{program}\"\ntimeout = \"60s\"\n"));
    stage
}

#[test]
fn policy_program_asks_for_a_person() {
    let stage = with_policy(r#"{"decision": "ask", "reason": "by the book", "version": "7"}"#);
    let asked = stage.run(&["--json", "chat", "--message", "Make a zone"]).expect(3).json();
    let session = asked["session"].as_str().unwrap();
    let item = &stage.run(&["--json", "inbox"]).expect(0).json()["items"][0];
    assert_eq!(item["reasons"][0]["level"], "policy", "{item}");
    assert_eq!(item["policy"]["decision"], "ask", "{item}");
    assert_eq!((&item["policy"]["reason"], &item["policy"]["version"]), (&"by the book".into(), &"7".into()));
    let shown = stage.run(&["inbox"]).expect(0).out;
    let because = "the server’s policy asks for the approval of a person: by the book (version 7)";
    assert!(shown.contains(because), "{shown}");

    stage.run(&["approve", item["id"].as_str().unwrap()]).expect(0);
    assert!(stage.run(&["command", "run", "ZONES"]).out.contains("\"total\": 1"));
    let journal = stage.run(&["session", "journal", session]).expect(0).out;
    assert!(journal.contains("the server’s policy asks for a person (version 7)"), "{journal}");
    let call = item["call"].as_str().unwrap();
    let sheet = stage.run(&["session", "calls", session, call]).expect(0).out;
    assert!(sheet.contains("asks for a person (version 7)") && sheet.contains("by the book"), "{sheet}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn policy_program_refuses_and_broken_one_asks() {
    let stage = with_policy(r#"{"decision": "deny", "reason": "not on a Friday"}"#);
    stage.run(&["chat", "--message", "Make a zone"]).expect(0);
    assert!(stage.run(&["command", "run", "ZONES"]).out.contains("\"total\": 0"));

    let stage = with_policy("no idea");
    stage.run(&["chat", "--message", "Make a zone"]).expect(3);
    let item = &stage.run(&["--json", "inbox"]).expect(0).json()["items"][0];
    assert_eq!(item["policy"]["decision"], "no_answer", "{item}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn policy_in_the_clear_is_refused() {
    let stage = CliFixture::with_script(MAKES);
    stage.write_untrusted("wrong.toml", "[policy]\nurl = \"http://policy.example/ask\"\n");
    let refused = stage.run(&["--config", "wrong.toml", "inbox"]).expect(2);
    assert!(refused.err.contains("policy.allow"), "{}", refused.err);
}

#[cfg(feature = "rego")]
#[test]
fn policy_in_rego_asks_for_a_person() {
    let stage = CliFixture::with_script(MAKES);
    let rules = "package entracte\n\nimport rego.v1\n\nanswer := {\"decision\": \"ask\", \"reason\": \"by the book\"} if \
                 input.command == \"zones.create\"\n";
    std::fs::write(stage.folder.path().join("rules.rego"), rules).unwrap();
    let models = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    stage.write("entracte.toml", &format!("{models}[policy]\nrego = \"rules.rego\"\ntimeout = \"60s\"\n"));
    stage.run(&["chat", "--message", "Make a zone"]).expect(3);
    let item = &stage.run(&["--json", "inbox"]).expect(0).json()["items"][0];
    assert_eq!(
        (&item["policy"]["decision"], &item["policy"]["reason"]),
        (&"ask".into(), &"by the book".into())
    );
}
