//! The first minutes: no configuration, no key, no model.

use std::os::unix::fs::PermissionsExt;

use crate::cli_fixture::CliFixture;
use crate::providers::lister;
use crate::terminal::{CTRL_D, PseudoTerminal};

/// A home without a configuration.
fn empty_home() -> CliFixture {
    CliFixture::with_config("")
}

fn user_file(stage: &CliFixture) -> String {
    std::fs::read_to_string(stage.folder.path().join(".config/entracte/config.toml")).unwrap_or_default()
}

/// Input: a server of this machine at an address that is named; expected: its first model that holds conversations is the
/// model of new chats.
#[test]
fn init_uses_server_of_this_machine() {
    let (url, _heard) =
        lister("200 OK", r#"{"data":[{"id":"nomic-embed-text"},{"id":"small"},{"id":"big"}]}"#);
    let stage = empty_home();
    let done = stage.run(&["init", "--url", &url]).expect(0);
    assert!(done.out.contains("local answers with small"), "{}{}", done.out, done.err);
    assert!(done.err.contains("entracte chat"), "{}", done.err);
    let list = stage.run(&["--json", "provider", "list"]).expect(0).json();
    assert_eq!(list["providers"][0]["name"], "local", "{list}");
    assert!(user_file(&stage).starts_with("default_provider = \"local\""), "{}", user_file(&stage));
    // A second one has a name of its own.
    let again = stage.run(&["--json", "init", "--url", &url, "--model", "big"]).expect(0).json();
    assert_eq!((&again["provider"], &again["model"]), (&"local-2".into(), &"big".into()), "{again}");
}

/// Input: a key for a service that refuses it; expected: the reason without the key, and nothing is kept, neither the key
/// nor an entry.
#[test]
fn init_keeps_nothing_that_does_not_answer() {
    let stage = empty_home();
    stage.write("key.txt", "sk-ant-TOP-SECRET\n");
    // The service is not to be had here.
    let done = crate::cli_fixture::command_output(
        stage
            .command(&["init", "--key-file", "key.txt"])
            .env("HTTPS_PROXY", "http://127.0.0.1:9")
            .env("ENTRACTE_LANGUAGE", "en")
            .output()
            .unwrap(),
    )
    .expect(1);
    assert!(done.err.contains("nothing was written"), "{}", done.err);
    assert!(!done.err.contains("TOP-SECRET"), "{}", done.err);
    assert_eq!(user_file(&stage), "");
    let keys = stage.folder.path().join(".config/entracte/keys");
    let kept = std::fs::read_dir(&keys).map(|files| files.count()).unwrap_or_default();
    assert_eq!(kept, 0, "the key is not kept");
    assert_eq!(std::fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o700);
}

/// Input: choices that say too little or are wrong; expected: each error names what to type next.
#[test]
fn init_says_what_it_needs() {
    let stage = empty_home();
    stage.write("key.txt", "sk-UNKNOWN-SERVICE\n");
    stage.write("empty.txt", "\n");
    let says = |arguments: &[&str], code: i32| stage.run(&[&["init"], arguments].concat()).expect(code).err;
    assert!(says(&[], 2).contains("--key-file FILE, --local, --url URL or --rehearsed"));
    assert!(says(&["--key-file", "key.txt"], 2).contains("entracte init --key-file FILE --kind KIND"));
    assert!(says(&["--key-file", "key.txt", "--kind", "klaude"], 2).contains("“klaude” is not a service"));
    assert!(says(&["--key-file", "empty.txt"], 2).contains("the key is empty"));
    assert!(says(&["--key-file", "missing.txt"], 2).contains("missing.txt"));
    assert!(says(&["--url", "http://127.0.0.1:9/v1"], 5).contains("no model server answers"));
    says(&["--local", "--rehearsed"], 2);
    assert_eq!(user_file(&stage), "");
}

/// Input: `chat` in an empty home, at a terminal; expected: the offer to set up a model, and after the third choice the
/// chat itself, with an approval, without a key.
#[test]
fn first_chat_offers_a_model() {
    let stage = empty_home();
    let mut screen = PseudoTerminal::open(&stage, 100, &["chat"]);
    screen.until("No model is set up yet");
    screen.until("just try it with a rehearsed model");
    screen.until_prompt("Number:");
    screen.type_line("3");
    screen.until("Ready: rehearsed recites");
    screen.type_line("Hello");
    screen.until("I only recite");
    screen.type_line("Go on");
    screen.until("Garden");
    screen.types(CTRL_D);
    drop(screen);
    assert!(user_file(&stage).contains("[providers.rehearsed]"), "{}", user_file(&stage));
    // The next chat asks nothing.
    let done = stage.run(&["chat", "--message", "Hello"]).expect(0);
    assert!(done.out.contains("I only recite"), "{}", done.out);
}

/// Input: the same, but the person leaves; expected: nothing is written, and the error says how to go on.
#[test]
fn declined_offer_changes_nothing() {
    let stage = empty_home();
    let mut screen = PseudoTerminal::open(&stage, 100, &["chat"]);
    screen.until("just try it with a rehearsed model");
    screen.until_prompt("Number:");
    screen.types(CTRL_D);
    screen.until("entracte init");
    drop(screen);
    assert_eq!(user_file(&stage), "");
}

/// Input: a model whose server does not say how large its context window is, without and with `context_tokens`; expected:
/// a chat with the first says the guess and the command that sets it, one with the second says nothing.
#[test]
fn chat_says_guessed_context_window() {
    let (url, _heard) = lister("200 OK", r#"{"data":[{"id":"small"}]}"#);
    let stage = |more: &str| {
        CliFixture::with_config(&format!(
            "[providers.own]\nkind = \"compatible\"\nmodel = \"small\"\nbase_url = \"{url}\"\n{more}"
        ))
    };
    let guessed = stage("");
    let mut screen = PseudoTerminal::open(&guessed, 100, &["chat"]);
    screen.until("The context window of small is not known: 8192 tokens, a guess.");
    screen.until("entracte provider edit own --set context_tokens=TOKENS");
    screen.until_prompt("you>");
    screen.types(CTRL_D);
    assert_eq!(screen.ends(), 0);
    let known = stage("context_tokens = 32768\n");
    let mut screen = PseudoTerminal::open(&known, 100, &["chat"]);
    screen.until_prompt("you>");
    assert!(!screen.text().contains("a guess"), "{}", screen.text());
    screen.types(CTRL_D);
    assert_eq!(screen.ends(), 0);
}
