//! What the reference MCP server offers beside plain calls: a question to a person, prompts.

use serde_json::Value;

use crate::cli_fixture::CliFixture;
use crate::files::{installed, node};
use crate::terminal::{CTRL_D, PseudoTerminal};

/// The reference server as `every`, and a model that plays these turns.
fn stage(turns: &str) -> CliFixture {
    let stage = CliFixture::with_script("");
    let script = installed("server-everything");
    stage.write(
        "entracte.toml",
        &format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             [mcp.every]\ncommand = {:?}\nargs = [{script:?}]\n",
            node()
        ),
    );
    stage.write("story.toml", turns);
    stage
}

/// The task that asks, once there is one.
fn asking_task(stage: &CliFixture) -> Value {
    for _ in 0..200 {
        let tasks = stage.run(&["--json", "task", "list", "--open"]).expect(0).json();
        let tasks = tasks["tasks"].as_array().unwrap().clone();
        if let Some(task) = tasks.into_iter().find(|task| task["question"].is_string()) {
            return task;
        }
    }
    panic!("no task asks");
}

/// Input: a tool whose server asks for a name while it runs; expected: the question waits in the inbox, a wrong answer
/// leaves it there, and the model reads the result after the right one.
#[test]
fn question_of_a_tool_waits_in_the_inbox() {
    let stage = stage(
        r#"
[[turn]]
envelope = '''{"pre_text": "I ask you.", "actions": [{"type": "EVERY_TRIGGER_ELICITATION_REQUEST", "params": {}}], "keep_control": true}'''
[[turn]]
text = "You will be asked."
[[turn]]
expect = "Name: Ann"
text = "Welcome, Ann."
"#,
    );
    let mut chat = PseudoTerminal::open(&stage, 100, &["chat"]);
    chat.until_prompt("you>");
    chat.type_line("Ask me who I am.");
    chat.until("You will be asked.");
    chat.until_prompt("you>");
    let task = asking_task(&stage);
    let (id, question) = (task["id"].as_str().unwrap(), task["question"].as_str().unwrap());
    assert!(question.starts_with("│ Please provide inputs for the following fields: ["), "{question}");
    assert!(task["remote"].is_null(), "the state of the call is shown to nobody: {task}");
    let inbox = stage.run(&["inbox"]).expect(0).out;
    assert!(inbox.contains(id), "{inbox}");
    stage.run(&["task", "answer", id, r#"{"shoe": 1}"#]);
    assert_eq!(asking_task(&stage)["question"], question);
    stage.run(&["task", "answer", id, r#"{"name": "Ann"}"#]).expect(0);
    chat.until("Welcome, Ann.");
    chat.until_prompt("you>");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: prompts of a server in a chat; expected: one is sent only after a yes, and a missing argument is named.
#[test]
fn prompt_is_sent_after_a_yes() {
    let stage = stage("[[turn]]\nexpect = \"What's weather in Paris?\"\ntext = \"It rains.\"\n");
    let list = stage.run(&["--json", "mcp", "prompts", "every"]).expect(0).json();
    let args = list["prompts"].as_array().unwrap().iter().find(|prompt| prompt["prompt"] == "args-prompt");
    let arguments = &args.unwrap()["arguments"];
    assert_eq!((&arguments[0]["name"], &arguments[0]["required"]), (&"city".into(), &true.into()));
    let lines = stage.run(&["mcp", "prompts"]).expect(0).out;
    assert!(lines.contains("/every:args-prompt") && lines.contains("city=… [state=…]"), "{lines}");
    stage.run(&["mcp", "prompts", "other"]).expect(5);

    let mut chat = PseudoTerminal::open(&stage, 100, &["chat"]);
    chat.until_prompt("you>");
    chat.type_line("/prompts");
    chat.until("/every:simple-prompt");
    chat.until_prompt("you>");
    chat.type_line("/every:args-prompt");
    chat.until("the argument “city” is missing; write city=VALUE");
    chat.until_prompt("you>");
    chat.type_line("/every:args-prompt city=Paris");
    chat.until("│ What's weather in Paris?");
    chat.until_prompt("send it as your message?");
    chat.type_line("n");
    chat.until("the prompt was not sent");
    chat.until_prompt("you>");
    chat.type_line("/every:args-prompt city=Paris");
    chat.until_times("│ What's weather in Paris?", 2);
    chat.until_prompt("send it as your message?");
    chat.type_line("y");
    chat.until("It rains.");
    chat.until_prompt("you>");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}
