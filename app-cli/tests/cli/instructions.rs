//! Instructions, and the user context.

use crate::cli_fixture::CliFixture;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "Hello."}'''
[[turn]]
envelope = '''{"pre_text": "Again."}'''
"#;

fn told(stage: &CliFixture, more: &[&str]) -> serde_json::Value {
    let all: Vec<&str> = ["--json", "workspace", "instructions"].iter().chain(more).copied().collect();
    stage.run(&all).expect(0).json()
}

#[test]
fn instructions_are_written_imported_listed_and_cleared() {
    let stage = CliFixture::with_script(STORY);
    let none = stage.run(&["workspace", "instructions", "show"]).expect(0);
    assert!(none.out.is_empty() && none.err.contains("there are no instructions"), "{}", none.err);
    let set = stage.run(&["workspace", "instructions", "set", "You are Fernando."]).expect(0);
    assert!(set.err.contains("version 1, 17 bytes"), "{}", set.err);
    stage.write("persona.md", "\u{feff}# Persona\r\n\r\nWarm.\r\n");
    let file = stage.folder.path().join("persona.md").display().to_string();
    stage.run(&["workspace", "instructions", "import", &file]).expect(0);
    assert_eq!(stage.run(&["workspace", "instructions", "show"]).expect(0).out, "# Persona\n\nWarm.\n");
    let first = told(&stage, &["show", "--at", "1"]);
    assert_eq!((&first["text"], &first["source"]), (&"You are Fernando.".into(), &"written".into()));
    stage.run(&["workspace", "instructions", "show", "--at", "7"]).expect(5);
    let history = told(&stage, &["history"]);
    let sources: Vec<&str> = history["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["source"].as_str().unwrap())
        .collect();
    assert_eq!(sources, ["file:persona.md", "written"]);

    let session = stage.send_in_new_session("Hi", 0);
    let own = ["workspace", "instructions", "set", "Be brief.", "--session", &session];
    stage.run(&own).expect(0);
    stage.run(&["chat", "--session", &session, "--message", "Again"]).expect(0);
    let journal = stage.run(&["session", "journal", &session]).expect(0).out;
    let call = journal.split_whitespace().rfind(|word| word.starts_with("mc_")).unwrap();
    let parts = stage.run(&["--json", "session", "prompt", call, "--parts"]).expect(0).json();
    let names: Vec<&str> = parts["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["part"] == "instructions")
        .map(|part| part["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["about", "workspace", "session"]);

    stage.run(&["workspace", "instructions", "clear"]).expect(0);
    let cleared = told(&stage, &["show"]);
    assert_eq!((&cleared["version"], &cleared["text"]), (&3.into(), &"".into()));
    stage.run(&["workspace", "instructions", "set", " "]).expect(2);
    stage.write("binary", "\0");
    let file = stage.folder.path().join("binary").display().to_string();
    let wrong = stage.run(&["workspace", "instructions", "import", &file]).expect(2);
    assert!(wrong.err.contains("U+0000"), "{}", wrong.err);
    stage.run(&["workspace", "instructions", "import", "none.md"]).expect(2);
    stage.run(&["workspace", "instructions", "show", "--session", "ses_none"]).expect(5);
}

#[test]
fn user_context_is_read_by_its_command() {
    let stage = CliFixture::with_script("");
    let context = r#"{"company_name": "Dupont SA", "vat": true}"#;
    stage.run(&["workspace", "settings", "set", "user_context", context]).expect(0);
    let read = stage.run(&["command", "run", "context.get", "{}"]).expect(0).out;
    assert!(read.contains(r#""company_name": "Dupont SA""#), "{read}");
    let wrong = stage.run(&["workspace", "settings", "set", "user_context", "[1]"]).expect(2);
    assert!(wrong.err.contains("a JSON object"), "{}", wrong.err);
}

#[test]
fn context_tool_must_be_declared() {
    let stage = CliFixture::with_script("");
    let unknown =
        stage.command(&["command", "list"]).env("ENTRACTE_CONTEXT_TOOL", "crm.context").output().unwrap();
    let err = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert_eq!(unknown.status.code(), Some(2), "{err}");
    assert!(err.contains("context.tool names crm.context"), "{err}");
}
