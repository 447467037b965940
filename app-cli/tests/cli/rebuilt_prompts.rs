//! Past requests, rebuilt.

use crate::cli_fixture::CliFixture;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "Hello."}'''
usage = { input = 10, output = 5 }
[[turn]]
envelope = '''{"pre_text": "Again."}'''
"#;

/// A session with a conversation, and its first model call as the journal names it.
fn story() -> (CliFixture, String, String) {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Hi", 0);
    let journal = stage.run(&["session", "journal", &session]).expect(0).out;
    let call = journal.split_whitespace().find(|word| word.starts_with("mc_")).unwrap().to_owned();
    (stage, session, call)
}

#[test]
fn a_request_is_printed_as_it_was_sent() {
    let (stage, session, call) = story();
    let done = stage.run(&["session", "prompt", &call]).expect(0);
    assert!(done.out.starts_with("{\"session\":\"ses_") && !done.out.ends_with('\n'), "{}", done.out);
    assert!(done.err.contains("the digest matches what was sent ("), "{}", done.err);
    let short = call.trim_start_matches("mc_").trim_end_matches("_1");
    assert_eq!(stage.run(&["--quiet", "session", "prompt", short]).expect(0).out, done.out);

    let object = stage.run(&["--json", "session", "prompt", &call, "--parts"]).expect(0).json();
    assert_eq!(object["schema"], "entracte.prompt/2");
    assert_eq!((&object["verdict"], &object["session"]), (&"matches".into(), &session.as_str().into()));
    assert_eq!(object["body"], done.out);
    assert_eq!((&object["digest"], &object["parts"][0]["name"]), (&object["recorded"], &"role".into()));
    let journal = stage.run(&["--json", "session", "journal", &session]).expect(0).out;
    assert!(journal.contains(&format!("\"model_call\":\"{call}\"")), "{journal}");
}

#[test]
fn the_parts_of_a_prompt_are_counted() {
    let (stage, _, call) = story();
    let parts = stage.run(&["session", "prompt", &call, "--parts"]).expect(0).out;
    assert!(parts.starts_with("part"), "{parts}");
    let shown = ["role", "commands", "shape of a reply", "1: 1 message"];
    for what in shown.into_iter().chain(["at 4 characters per token", "tokens towards the budget: "]) {
        assert!(parts.contains(what), "no {what} in {parts}");
    }
    assert!(parts.contains("the context window is unknown"), "{parts}");
}

#[test]
fn bytes_are_written_to_new_file_only() {
    let (stage, _, call) = story();
    let printed = stage.run(&["session", "prompt", &call]).expect(0).out;
    let done = stage.run(&["session", "prompt", &call, "--output", "request.json"]).expect(0);
    assert_eq!(done.out, "");
    let file = stage.folder.path().join("request.json");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    let again = stage.run(&["session", "prompt", &call, "--output", "request.json"]).expect(6);
    assert!(again.err.contains("the file request.json already exists"), "{}", again.err);
}

#[test]
fn unrebuildable_prompt_is_reported() {
    let (stage, session, call) = story();
    stage.run(&["session", "prompt", "mc_nobody_1_1"]).expect(5);
    let wrong = stage.run(&["session", "prompt", "mc_x_y"]).expect(2);
    assert!(wrong.err.contains("“mc_x_y” is not a valid id of a model call"), "{}", wrong.err);
    stage.run(&["chat", "--session", &session, "--message", "more"]).expect(0);
    let several = stage.run(&["session", "prompt", session.trim_start_matches("ses_")]).expect(2);
    assert!(several.err.contains("matches several model calls"), "{}", several.err);

    stage.write("entracte.toml", "[providers.other]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n");
    let gone = stage.run(&["session", "prompt", &call]).expect(1);
    assert!(gone.err.contains("there is no provider “stage”"), "{}", gone.err);
    assert_eq!(gone.out, "");
    let parts = stage.run(&["--json", "session", "prompt", &call, "--parts"]).expect(1).json();
    assert_eq!((&parts["verdict"], &parts["body"]), (&"not_written".into(), &serde_json::Value::Null));
}
