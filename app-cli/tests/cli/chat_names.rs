//! The name of a chat: the given one, otherwise the beginning of its first message.

use crate::cli_fixture::CliFixture;

const TALK: &str = r#"
[[turn]]
text = "Gladly."
[[turn]]
text = "Of course."
[[turn]]
envelope = '''{"pre_text": "Yes.", "completed": false}'''
"#;

fn name(stage: &CliFixture, session: &str) -> String {
    let shown = stage.run(&["--json", "session", "show", session]).expect(0).json();
    shown["name"].as_str().unwrap().to_owned()
}

/// Input: a first and a second message without a name, in both dialects; expected: the first one names the chat.
#[test]
fn chat_name_comes_from_first_message() {
    for dialect in ["envelope", "tools"] {
        let config = format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\ndialect = \"{dialect}\"\n"
        );
        let stage = CliFixture::with_config(&config);
        stage.write("story.toml", TALK);
        let long = "Compare the weights of this week with those of the week before, please";
        let session = stage.send_in_new_session(long, 0);
        let title = "Compare the weights of this week with those of…";
        assert_eq!(name(&stage, &session), title, "{dialect}");
        stage.run(&["chat", "--session", &session, "--message", "And now?"]).expect(0);
        assert_eq!(name(&stage, &session), title, "{dialect}: only the first one");
        let list = stage.run(&["session", "list"]).expect(0).out;
        assert!(list.contains(title), "{list}");
        stage.run(&["session", "verify", &session]).expect(0);
    }
}

/// Input: names given by a person; expected: they stay whatever messages follow, the journal records their author, and
/// an invalid name is refused.
#[test]
fn a_name_that_is_given_stays() {
    let stage = CliFixture::with_script(TALK);
    let named = stage.run(&["--json", "chat", "--name", "Mine", "--message", "Hello"]).expect(0).json();
    let session = named["session"].as_str().unwrap().to_owned();
    assert_eq!(name(&stage, &session), "Mine");
    let renamed = stage.run(&["session", "rename", &session, "Yours"]).expect(0);
    assert!(renamed.err.contains("“Yours”"), "{}", renamed.err);
    stage.run(&["chat", "--session", &session, "--message", "And now?"]).expect(0);
    assert_eq!(name(&stage, &session), "Yours");
    let journal = stage.run(&["session", "journal", &session]).expect(0).out;
    assert!(journal.contains("name “Yours”, given by ann"), "{journal}");
    for wrong in ["", "  ", &"x".repeat(201)] {
        stage.run(&["session", "rename", &session, wrong]).expect(2);
    }
    // Also after its end, and without control characters.
    stage.run(&["session", "stop", &session, "--end"]);
    stage.run(&["session", "rename", &session, "\u{1b}[31mRed"]).expect(0);
    let shown = name(&stage, &session);
    assert!(shown.contains("Red") && !shown.contains('\u{1b}'), "{shown:?}");
    stage.run(&["session", "verify", &session]).expect(0);
}
