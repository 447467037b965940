//! `chat --enrich`: references of a message are read before the model is called.

use serde_json::Value;

use crate::cli_fixture::CliFixture;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
text = "Seen."
[[turn]]
text = "Seen."
"#;

/// A fixture with the zone “Health”, and the zone's id.
fn with_zone() -> (CliFixture, String) {
    let stage = CliFixture::with_script(STORY);
    stage.send_in_new_session("Make a zone", 0);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    let id = zones["result"]["zones"][0]["id"].as_str().unwrap().to_owned();
    (stage, id)
}

fn pointer(zone: &str) -> String {
    format!(r#"{{"type": "POINTER", "target": "zone", "id": "{zone}"}}"#)
}

#[test]
fn enrichments_are_read_and_stand_in_their_places() {
    let (stage, zone) = with_zone();
    stage.write("create.json", r#"{"type": "CREATE", "tool_type": "tracking"}"#);
    let first = pointer(&zone);
    let text = "Put {2} into {1}, please.";
    let say = ["--json", "chat", "--message", text, "--enrich", &first, "--enrich", "@create.json"];
    let turn = stage.run(&say).expect(0).json();
    let session = turn["session"].as_str().unwrap();

    let said = "Put [a new tool of the type tracking] into [the zone “Health”], please.";
    let messages = stage.run(&["--json", "session", "messages", session]).expect(0).json();
    let messages = messages["messages"].as_array().unwrap();
    assert_eq!(messages[0]["text"], said);
    let kinds: Vec<&Value> =
        messages[0]["segments"].as_array().unwrap().iter().map(|segment| &segment["type"]).collect();
    assert_eq!(kinds, ["text", "CREATE", "text", "POINTER", "text"]);
    assert_eq!(messages[1]["type"], "DATA_ADDED");
    let results = messages[1]["results"].as_array().unwrap();
    let results: Vec<&Value> = results.iter().map(|result| &result["command"]).collect();
    assert_eq!(results, ["schemas.get", "zones.get"]);
    assert!(stage.run(&["session", "messages", session]).expect(0).out.contains(said));
}

#[test]
fn wrong_enrichment_is_refused_with_path_and_help() {
    let stage = CliFixture::with_script(STORY);
    let cases = [
        ("{", "--enrich: not valid JSON"),
        (r#"{"type": "USE"}"#, "--enrich: \"id\" is a required property"),
        (r#"{"type": "USE", "id": "t", "period": "0_DAYS"}"#, "--enrich: /period: “DAYS”"),
        (
            r#"{"type": "DELETE_TOOL", "id": "t"}"#,
            "--enrich: /type: \"DELETE_TOOL\" is not a type of enrichment",
        ),
        ("@nowhere.json", "--enrich: nowhere.json cannot be read"),
    ];
    for (written, words) in cases {
        let done = stage.run(&["chat", "--message", "Look", "--enrich", written]).expect(2);
        assert!(done.err.contains(words), "{written}: {}", done.err);
        assert!(done.err.contains("\n  entracte command enrichments"), "{written}: {}", done.err);
    }
    let list = stage.run(&["--json", "session", "list"]).json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 0, "no empty session is left behind");
}

#[test]
fn schema_is_shown_with_valid_examples() {
    let stage = CliFixture::with_config("");
    let shown = stage.run(&["--json", "command", "enrichments"]).expect(0).json();
    assert_eq!(shown["parameters"]["oneOf"].as_array().unwrap().len(), 4);
    let text = stage.run(&["command", "enrichments"]).expect(0).out;
    for example in shown["examples"].as_array().unwrap() {
        let kind = example["type"].as_str().unwrap();
        assert!(text.contains(&format!("{{\"type\": \"{kind}\"")), "{kind} in {text}");
    }
}

#[test]
fn chat_accepts_enrichments_for_next_message() {
    let (stage, zone) = with_zone();
    let typed = format!("/enrich {{\n/enrich {}\nWhat is in it?\n", pointer(&zone));
    let done = stage.run_with(&["chat"], &typed).expect(0);
    assert!(done.err.contains("/enrich: not valid JSON"), "{}", done.err);
    let list = stage.run(&["--json", "session", "list"]).json();
    let session = list["sessions"].as_array().unwrap().iter().find_map(|session| {
        let id = session["id"].as_str().or(session["session"].as_str())?;
        let messages = stage.run(&["session", "messages", id]).out;
        messages.contains("What is in it?").then_some(messages)
    });
    assert!(session.unwrap().contains("What is in it?\n[the zone “Health”]"));
}

#[test]
fn unknown_id_is_refused_with_existing_ids() {
    let (stage, zone) = with_zone();
    let sessions =
        || stage.run(&["--json", "session", "list"]).expect(0).json()["sessions"].as_array().unwrap().len();
    let before = sessions();
    let done = stage.run(&["chat", "--message", "Look.", "--enrich", &pointer("zon_nowhere")]).expect(5);
    let says = format!("error: there is no zone “zon_nowhere”; there are: “Health” ({zone})\n");
    assert!(done.err.starts_with(&says), "{}", done.err);
    let done = stage
        .run(&["chat", "--message", "Look.", "--enrich", r#"{"type": "USE", "id": "tool_x"}"#])
        .expect(5);
    assert!(done.err.starts_with("error: there is no tool “tool_x”; there are none yet\n"), "{}", done.err);
    assert_eq!(sessions(), before, "nothing was made for a message that is refused");
    let add = ["automation", "create", "look", "--manual", "--message", "Look.", "--enrich"];
    stage.run(&[&add[..], &[&pointer("zon_nowhere")]].concat()).expect(5);
}
