//! Agents on the command line: the agents of `examples/pinnokio.toml`, each model played by a script.

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::server::{send_request, serve, token};

pub(crate) const PINNOKIO: &str = include_str!("../../../examples/pinnokio.toml");

/// The example, with rehearsals in the place of its two models.
pub(crate) fn pinnokio_fixture(main: &str, small: &str) -> CliFixture {
    let (_, people) =
        PINNOKIO.split_once("# What holds for every agent").expect("the example has its agents");
    let rehearsals = "default_provider = \"main\"\n\
        [providers.main]\nkind = \"rehearsal\"\nscript = \"main.toml\"\n\
        [providers.small]\nkind = \"rehearsal\"\nscript = \"small.toml\"\n";
    let stage = CliFixture::with_config("");
    stage.write("main.toml", main);
    stage.write("small.toml", small);
    stage.write("entracte.toml", &format!("{rehearsals}# What holds for every agent{people}"));
    stage
}

#[test]
fn the_example_is_declared_and_shown() {
    let stage = pinnokio_fixture("", "");
    let all = stage.run(&["--json", "agent", "list"]).expect(0).json();
    let names: Vec<&str> =
        all["declared"].as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ContextManager", "JobManager", "TaskManager"]);
    let shown = stage.run(&["agent", "show", "ContextManager"]).expect(0).out;
    for said in ["UPDATE_CONTEXT_TEXT", "shared_texts.publish", "ROLE", "small"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(!shown.contains("matches no command"), "{shown}");
    let unknown = stage.run(&["agent", "show", "JobManger"]).expect(5);
    assert!(unknown.err.contains("JobManger"), "{}", unknown.err);
    // Every command of the office exists, also the services with long tasks.
    let commands = stage.run(&["--json", "command", "list"]).expect(0).out;
    for name in ["agents.JobManager", "agent.continue", "managers.ap_bookkeeper", "managers.erp_manager"] {
        assert!(commands.contains(name), "{name}");
    }
}

#[test]
fn job_manager_counts_and_caller_reports_result() {
    let main = r#"
[[turn]]
envelope = { pre_text = "I ask.", actions = [{ type = "JobManager", params = { query = "How many invoices of Bob are open?" } }], keep_control = true }
[[turn]]
expect = "MISSION_COMPLETED"
text = "Two are open."
"#;
    let small = r#"
[[turn]]
expect = ["You maintain the jobs of the office", "How many invoices of Bob are open?"]
envelope = { pre_text = "", queries = [{ type = "ZONES", params = {} }] }
[[turn]]
envelope = { pre_text = "", EXIT_WITH_RESULT = { reason = "counted", result = { open = 2, waiting = 0, late = 0 }, conclusion = "Two are open." } }
"#;
    let stage = pinnokio_fixture(main, small);
    let session = stage.send_in_new_session("how many?", 0);
    let below = stage.run(&["--json", "agent", "list", &session]).expect(0).json();
    let agent = &below["agents"][0];
    assert_eq!((&agent["agent"], &agent["status"]), (&json!("JobManager"), &json!("MISSION_COMPLETED")));
    assert_eq!(
        (&agent["rounds"], &agent["mission"]),
        (&json!(2), &json!("How many invoices of Bob are open?"))
    );
    let tree = stage.run(&["agent", "list", &session]).expect(0).out;
    assert!(tree.contains("JobManager") && tree.contains("How many invoices"), "{tree}");
    let of_kind = stage.run(&["--json", "session", "list", "--kind", "agent"]).expect(0).json();
    let listed: Vec<_> = of_kind["sessions"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(listed, [&agent["session"]]);
    for of in [session.as_str(), agent["session"].as_str().unwrap()] {
        stage.run(&["session", "verify", of]).expect(0);
    }
}

/// Input: the context manager proposes a text and publishes it; expected: a person sees the whole delegation chain, and
/// nothing is published before their approval.
#[test]
fn context_manager_publishes_only_approved_text() {
    let main = r#"
[[turn]]
envelope = { pre_text = "", actions = [{ type = "ContextManager", params = { query = "The company moved to Lyon." } }], keep_control = true }
[[turn]]
expect = "MISSION_COMPLETED"
text = "It is known now."
"#;
    let small = r#"
[[turn]]
envelope = { pre_text = "", actions = [{ type = "PROPOSE_SHARED_TEXT", params = { key = "general_context", version = 0, text = "The company is in Lyon." } }] }
[[turn]]
envelope = { pre_text = "", actions = [{ type = "PUBLISH_SHARED_TEXT", params = { proposal_id = "prp_{session}_3_0" } }] }
[[turn]]
envelope = { pre_text = "", EXIT_WITH_RESULT = { reason = "published", result = { published = ["general_context"] }, conclusion = "It is published." } }
"#;
    let stage = pinnokio_fixture(main, small);
    let turn = stage.run(&["--json", "chat", "--message", "we moved to Lyon"]).expect(3).json();
    let agents: Vec<&str> =
        turn["waits_in"].as_array().unwrap().iter().filter_map(|step| step["agent"].as_str()).collect();
    assert_eq!(agents, ["ContextManager"], "{turn}");
    let inbox = stage.run(&["inbox", "--list"]).expect(0).out;
    assert!(inbox.contains("agent ContextManager (“The company moved to Lyon.”)"), "{inbox}");
    let item = &stage.run(&["--json", "inbox"]).expect(0).json()["items"][0];
    assert_eq!(item["chain"][1]["mission"], "The company moved to Lyon.", "{item}");
    let id = item["id"].as_str().unwrap().to_owned();
    let told = stage.run(&["approve", &id]).expect(0).out;
    assert!(told.contains("It is published."), "{told}");
    let said = stage.run(&["session", "messages", item["session"].as_str().unwrap()]).expect(0).out;
    assert!(said.contains("mission ended (published): It is published."), "{said}");
    let session = turn["session"].as_str().unwrap();
    stage.run(&["session", "resume", session]);
    let below = stage.run(&["--json", "agent", "list", session]).expect(0).json();
    assert_eq!(below["agents"][0]["status"], "MISSION_COMPLETED", "{below}");
    let text = stage.run(&["text", "show", "general_context"]).expect(0).out;
    assert!(text.contains("The company is in Lyon."), "{text}");
}

/// Input: a chat whose agent waits for an approval; expected: over HTTP the chat waits, too, in each order, with open ones
/// only, and page by page, because a person answers there.
#[test]
fn chat_above_a_waiting_agent_waits() {
    let main = r#"
[[turn]]
envelope = { pre_text = "", actions = [{ type = "ContextManager", params = { query = "The company moved to Lyon." } }], keep_control = true }
"#;
    let small = r#"
[[turn]]
envelope = { pre_text = "", actions = [{ type = "PROPOSE_SHARED_TEXT", params = { key = "general_context", version = 0, text = "The company is in Lyon." } }] }
[[turn]]
envelope = { pre_text = "", actions = [{ type = "PUBLISH_SHARED_TEXT", params = { proposal_id = "prp_{session}_3_0" } }] }
"#;
    let stage = pinnokio_fixture(main, small);
    let session = stage.send_in_new_session("we moved to Lyon", 3);
    let agent = stage.run(&["--json", "agent", "list", &session]).expect(0).json();
    let agent = agent["agents"][0]["session"].as_str().unwrap().to_owned();
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read"]);
    let served = serve(&stage);
    let list = |query: &str| {
        let path = format!("/v1/workspaces/local:main/sessions?waiting=true{query}");
        let (status, page) = send_request(&served, "GET", &path, &ann, "", &Value::Null);
        assert_eq!(status, 200, "{page}");
        page
    };
    let ids = |page: &Value| {
        let items = page["items"].as_array().unwrap();
        assert!(items.iter().all(|item| item["waiting"] == true), "{page}");
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut both = vec![session.clone(), agent];
    both.sort();
    for query in ["", "&open=true", "&order=attention", "&details=true"] {
        let mut found = ids(&list(query));
        found.sort();
        assert_eq!(found, both, "{query}");
    }
    assert_eq!(ids(&list("&kind=chat")), [session]);
    let first = list("&limit=1");
    let rest = list(&format!("&limit=1&after={}", first["next"].as_str().unwrap()));
    assert_eq!(rest["next"], Value::Null, "{rest}");
    let mut found = [ids(&first), ids(&rest)].concat();
    found.sort();
    assert_eq!(found, both);
}
