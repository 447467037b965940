//! What a change of the configuration, or another version, does to sessions that are open.

use crate::stage::Stage;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I send it.", "actions": [{"type": "notes.send", "params": {"to": "bob"}}]}'''
"#;

/// Services with one provider and perhaps a tool.
fn config(provider: &str, tool: &str) -> String {
    format!("[providers.{provider}]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n{tool}")
}

fn tool(properties: &str, more: &str) -> String {
    format!(
        "[[tools.http.tool]]\nname = \"notes.send\"\nmethod = \"POST\"\nurl = \"https://notes.example/\"\n\
         doc = \"Sends a note.\"\nbody = \"json\"\n{more}\
         arguments = {{ type = \"object\", properties = {{ {properties} }}, additionalProperties = false }}\n"
    )
}

#[test]
fn sessions_that_a_change_of_the_configuration_meets_are_told_with_the_fix() {
    let to = "to = { type = \"string\" }";
    let stage = Stage::playing(STORY);
    stage.write("entracte.toml", &config("stage", &tool(to, "")));
    let turn =
        stage.run(&["--json", "chat", "--message", "Send it", "--commands", "notes.*"]).expect(3).json();
    let session = turn["session"].as_str().unwrap();
    let findings = |provider: &str, tool: &str| -> Vec<String> {
        stage.write("entracte.toml", &config(provider, tool));
        let object = stage.run(&["--json", "doctor"]).json();
        let checks = object["checks"].as_array().unwrap();
        let of_session = checks.iter().filter(|check| check["check"] == format!("session {session}"));
        of_session.map(|check| format!("{} · {}", check["says"], check["fix"])).collect()
    };
    let one = |found: &[String], words: &[&str]| {
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(words.iter().all(|words| found[0].contains(words)), "{found:?}");
    };
    assert_eq!(findings("stage", &tool(to, "")), Vec::<String>::new());
    let tightened = tool("to = { type = \"string\", minLength = 20 }", "");
    one(
        &findings("stage", &tightened),
        &[
            "a pending call of notes.send with arguments that the command no longer accepts: /to",
            "the call is refused when the session goes on",
        ],
    );
    one(
        &findings("stage", &tool(to, "destructive = false\n")),
        &["that command has changed since (destructive)", "it needs approval again: entracte inbox"],
    );
    let gone = findings("stage", "");
    assert_eq!(gone.len(), 2, "{gone:?}");
    assert!(gone[0].contains("it may use notes.*, but there is no such command"), "{gone:?}");
    assert!(gone[1].contains("a pending call of notes.send, and that command no longer exists"), "{gone:?}");
    one(
        &findings("other", &tool(to, "")),
        &["its provider stage cannot be used: there is no provider", "--provider NAME"],
    );
    let line = stage.run(&["doctor"]).out;
    assert!(line.contains(&format!("warn  session {session}")), "{line}");
}
