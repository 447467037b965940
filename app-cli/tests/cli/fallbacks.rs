//! A provider without credit, and the fallback that its entry names.

use crate::cli_fixture::CliFixture;

/// A provider that has no credit and names another one, which answers.
fn stage(list: &str) -> CliFixture {
    let entry = |name: &str| format!("[providers.{name}]\nkind = \"rehearsal\"\nscript = \"{name}.toml\"\n");
    let stage = CliFixture::with_config(&format!("{}{list}{}", entry("first"), entry("spare")));
    stage.write("first.toml", "[[turn]]\nfail = \"exhausted\"\ntimes = 9\ntext = \"I am the first.\"\n");
    stage.write("spare.toml", "[[turn]]\ntext = \"I am the spare one.\"\n");
    stage
}

const LIST: &str = "fallback = { exhausted = [\"spare\"], down = [\"spare\"] }\n";

#[test]
fn chat_falls_back_to_named_provider_visibly() {
    let stage = stage(LIST);
    let done = stage.run(&["chat", "--message", "Hello"]).expect(0);
    assert_eq!(done.out, "I am the spare one.\n");
    assert!(done.err.contains("first has no credit left; going on with spare."), "{}", done.err);
    stage.run(&["workspace", "settings", "set", "language=fr"]).expect(0);
    let french = stage.run(&["chat", "--message", "Bonjour"]).expect(0);
    assert!(
        french.err.contains("first n’a plus de crédit\u{a0}; la session continue avec spare."),
        "{}",
        french.err
    );

    let turn = stage.run(&["--json", "chat", "--message", "Hello"]).expect(0).json();
    assert!(turn["fell_back"][0].as_str().unwrap().contains("la session continue avec spare"), "{turn}");
    let session = turn["session"].as_str().unwrap();
    let shown = stage.run(&["--json", "session", "show", session]).expect(0).json();
    assert_eq!((&shown["provider"], &shown["end_reason"]), (&"spare".into(), &serde_json::Value::Null));
    let journal = stage.run(&["session", "journal", session]).expect(0).out;
    assert!(journal.contains("la session continue avec spare au lieu de first"), "{journal}");
    let calls: Vec<&str> = journal.split_whitespace().filter(|word| word.starts_with("mc_")).collect();
    let last = calls.last().unwrap().trim_end_matches([',', ')', ';', ':']);
    let prompt = stage.run(&["--json", "session", "prompt", last]).expect(0).json();
    assert_eq!((&prompt["provider"], &prompt["verdict"]), (&"spare".into(), &"matches".into()), "{prompt}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn fallbacks_are_listed_and_their_provider_kept() {
    let stage = stage(LIST);
    let list = stage.run(&["provider", "list"]).expect(0).out;
    assert!(list.contains("fallback") && list.contains("exhausted: spare; down: spare"), "{list}");
    let list = stage.run(&["--json", "provider", "list"]).expect(0).json();
    assert_eq!(list["providers"][0]["fallback"]["exhausted"], serde_json::json!(["spare"]));
    assert_eq!(list["providers"][1]["fallback"], serde_json::json!({}));
    let doctor = stage.run(&["doctor"]).out;
    assert!(doctor.contains("fallback of first") && doctor.contains("exhausted: spare"), "{doctor}");

    let refused = stage.run(&["provider", "remove", "spare"]).expect(2);
    assert!(refused.err.contains("there is no provider “spare”"), "{}", refused.err);
    let circle = ["provider", "edit", "spare", "--set", "fallback={ down = [\"first\"] }"];
    let refused = stage.run(&circle).expect(2);
    assert!(refused.err.contains("it leads back to itself: first → spare → first"), "{}", refused.err);
    stage.run(&["provider", "edit", "first", "--unset", "fallback"]).expect(0);
    stage.run(&["provider", "remove", "spare"]).expect(0);
}

#[test]
fn unknown_fallback_name_is_configuration_error() {
    let stage = stage(LIST);
    let wrong = stage.folder.path().join("entracte.toml");
    let text = std::fs::read_to_string(&wrong).unwrap().replace("down = [\"spare\"]", "down = [\"spear\"]");
    stage.write_untrusted("wrong.toml", &text);
    let says = stage.run(&["--config", "wrong.toml", "provider", "list"]).expect(2).err;
    assert!(says.contains("providers.first.fallback.down in wrong.toml:1"), "{says}");
    assert!(says.contains("did you mean “spare”?"), "{says}");
}
