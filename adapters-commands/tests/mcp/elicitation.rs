//! Tool calls whose server asks a person for input: each becomes a task that asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_application::ports::{CallRequest, CommandExecutor as _, TaskGateway, TaskGatewayRequest};
use entracte_application::samples;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;
use entracte_domain::id::TaskId;
use entracte_domain::task::{Task, TaskState, TaskUpdate, apply_update};
use serde_json::{Value, json};

use crate::everything_server::EverythingServerProcess;
use crate::server_fixture::{
    McpServerFixture, format_outcome, installed, node, request_at, run_and_format, spawn_call, tool,
};

/// The row of a task, as its workspace keeps it.
struct TaskStory {
    gateway: Arc<dyn TaskGateway>,
    request: TaskGatewayRequest,
}

impl TaskStory {
    /// Calls a tool that asks, as the task `tsk_1`.
    async fn begin(executor: &McpExecutor, command: &str, arguments: Value) -> Self {
        Self::begin_task(executor, command, arguments, "tsk_1").await
    }

    async fn begin_task(executor: &McpExecutor, command: &str, arguments: Value, task: &str) -> Self {
        let call = CallRequest { task: Some(TaskId::new(task)), ..request_at(0, command, arguments) };
        let outcome = executor.run(call).await;
        let CallOutcome::Accepted { task, handle, .. } = outcome else { panic!("{outcome:?}") };
        let sample = samples::task_request();
        let row = Task { id: task, remote: None, kind: CommandKind::Action, ..sample.task };
        let mut story = Self {
            gateway: executor.gateway().unwrap(),
            request: TaskGatewayRequest { task: row, ..sample },
        };
        story.hear(TaskUpdate::Accepted(handle));
        story
    }

    fn into_query(mut self) -> Self {
        self.request.task.kind = CommandKind::Query;
        self
    }

    fn hear(&mut self, update: TaskUpdate) {
        self.request.task = apply_update(&self.request.task, &update, self.request.now).task;
    }

    async fn poll(&mut self) -> TaskUpdate {
        let update = self.gateway.poll(self.request.clone()).await;
        self.hear(update.clone());
        update
    }

    /// Polls until there is more than progress.
    async fn news(&mut self) -> String {
        // A minute.
        for _ in 0..6_000 {
            match self.poll().await {
                TaskUpdate::Progress { .. } => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
                TaskUpdate::AnswerTaken { .. } => {}
                update => return words(&update),
            }
        }
        panic!("it works for ever")
    }

    async fn answer(&mut self, answer: &str) -> TaskUpdate {
        self.hear(TaskUpdate::Answered { answer: answer.to_owned() });
        let update = self.gateway.answer(self.request.clone()).await;
        self.hear(update.clone());
        update
    }

    fn question(&self) -> Option<&str> {
        self.request.task.question.as_deref()
    }
}

fn words(update: &TaskUpdate) -> String {
    match update {
        TaskUpdate::Final { outcome, content, .. } => format!("{}: {content}", outcome.word()),
        TaskUpdate::CancelAnswered(answer) => answer.word().to_owned(),
        TaskUpdate::Asks { question, .. } => question.clone(),
        other => format!("{other:?}"),
    }
}

fn sends(stage: &McpServerFixture) -> usize {
    stage.log().iter().filter(|line| line.starts_with("tools/call ")).count()
}

fn is_taken(update: &TaskUpdate) -> bool {
    matches!(update, TaskUpdate::AnswerTaken { .. })
}

/// A server of this generation with these tools.
async fn scripted(protocol: &str, tools: &[&str]) -> (McpServerFixture, McpServerConfig, Arc<McpExecutor>) {
    let stage = McpServerFixture::new();
    let tools: Vec<Value> = tools.iter().map(|name| tool(name, "Moves money.")).collect();
    stage.set_server_tools(&tools);
    let config = stage.scripted_server_config(protocol);
    let executor = stage.connected_executor(config.clone()).await;
    (stage, config, executor)
}

const ASKED: &str = "│ Which account? [account]";

#[tokio::test]
async fn elicitation_becomes_a_question() {
    // The server answers with its requests, and gets the call again.
    let (stage, _, executor) = scripted("2026-07-28", &["wants_input"]).await;
    let mut task = TaskStory::begin(&executor, "s.wants_input", json!({"amount": 1})).await;
    assert_eq!(task.news().await, ASKED);
    assert_eq!(task.answer(r#"{"bic": "X"}"#).await, TaskUpdate::AnswerRefused);
    assert_eq!((task.question(), sends(&stage)), (Some(ASKED), 1), "a wrong answer does nothing");
    assert!(is_taken(&task.answer("FR76").await));
    assert_eq!(sends(&stage), 1, "nothing is sent before the row says so");
    let done = r#"completed: s1 {"amount":1} {"q":{"action":"accept","content":{"account":"FR76"}}}"#;
    assert_eq!(task.news().await, done);
    assert_eq!(task.request.task.state, TaskState::Completed);
    assert_eq!(task.gateway.answer(task.request.clone()).await, TaskUpdate::AnswerRefused, "it is too late");
    assert_eq!(sends(&stage), 2);
    executor.close().await;

    // The server asks while the call is open.
    for protocol in ["2025-06-18", "2025-11-25"] {
        let (stage, _, executor) = scripted(protocol, &["asks_account"]).await;
        let mut task = TaskStory::begin(&executor, "s.asks_account", json!({})).await;
        assert_eq!(task.news().await, ASKED);
        assert_eq!(task.answer(r#"{"bic": "X"}"#).await, TaskUpdate::AnswerRefused);
        assert_eq!(task.news().await, ASKED, "it still asks");
        assert!(is_taken(&task.answer("FR76").await));
        assert_eq!(task.news().await, r#"completed: {"action":"accept","content":{"account":"FR76"}}"#);
        assert_eq!(
            task.gateway.answer(task.request.clone()).await,
            TaskUpdate::AnswerRefused,
            "it is too late"
        );
        assert_eq!(sends(&stage), 1);
        executor.close().await;
    }
}

#[tokio::test]
async fn declined_question_reaches_its_server() {
    for (protocol, name, expected) in [
        ("2026-07-28", "wants_input", r#"completed: s1 {} {"q":{"action":"decline"}}"#),
        ("2025-11-25", "asks_account", r#"completed: {"action":"decline"}"#),
    ] {
        let (_stage, _, executor) = scripted(protocol, &[name]).await;
        let mut task = TaskStory::begin(&executor, &format!("s.{name}"), json!({})).await;
        task.news().await;
        assert!(is_taken(&task.answer("null").await));
        assert_eq!(task.news().await, expected);
        executor.close().await;
    }
}

#[tokio::test]
async fn address_is_visited_or_declined() {
    for (answer, expected) in
        [("done", r#"completed: {"action":"accept"}"#), ("null", r#"completed: {"action":"decline"}"#)]
    {
        let (_stage, _, executor) = scripted("2025-11-25", &["asks_address"]).await;
        let mut task = TaskStory::begin(&executor, "s.asks_address", json!({})).await;
        let asked = task.news().await;
        assert!(
            asked.starts_with("│ Log in.\n│ https://bank.example/login\nThis address is the server’s"),
            "{asked}"
        );
        assert!(is_taken(&task.answer(answer).await));
        assert_eq!(task.news().await, expected);
        executor.close().await;
    }
}

#[tokio::test]
async fn server_may_ask_again() {
    let (stage, _, executor) = scripted("2026-07-28", &["wants_twice"]).await;
    let mut task = TaskStory::begin(&executor, "s.wants_twice", json!({})).await;
    assert_eq!(task.news().await, ASKED);
    let first = task.request.clone();
    task.answer("FR76").await;
    assert_eq!(task.news().await, "│ Which day? [account]");
    let stale =
        Task { question: Some(ASKED.into()), answer: Some("FR76".into()), ..task.request.task.clone() };
    let stale = TaskGatewayRequest { task: stale, ..first };
    assert_eq!(task.gateway.answer(stale).await, TaskUpdate::AnswerRefused, "it answers the question before");
    task.answer("Monday").await;
    let done = r#"completed: {"q":{"action":"accept","content":{"account":"Monday"}}}"#;
    assert_eq!(task.news().await, done);
    assert_eq!(sends(&stage), 3);
    executor.close().await;
}

#[tokio::test]
async fn question_survives_a_restart() {
    let (stage, config, executor) = scripted("2026-07-28", &["wants_input"]).await;
    let mut task = TaskStory::begin(&executor, "s.wants_input", json!({"amount": 1})).await;
    assert_eq!(task.news().await, ASKED);
    executor.close().await;

    let executor = stage.executor(config.clone());
    task.gateway = executor.gateway().unwrap();
    assert_eq!(task.news().await, ASKED, "the row alone knows it");
    assert!(is_taken(&task.answer("FR76").await));
    let done = r#"completed: s1 {"amount":1} {"q":{"action":"accept","content":{"account":"FR76"}}}"#;
    assert_eq!(task.news().await, done);
    assert_eq!(sends(&stage), 2);
    executor.close().await;

    // The process ended after the answer and before anything was sent.
    let executor = stage.executor(config.clone());
    let mut task = TaskStory::begin(&executor, "s.wants_input", json!({})).await;
    task.news().await;
    task.answer("FR76").await;
    executor.close().await;
    let executor = stage.executor(config.clone());
    task.gateway = executor.gateway().unwrap();
    assert_eq!(
        task.news().await,
        r#"completed: s1 {} {"q":{"action":"accept","content":{"account":"FR76"}}}"#
    );

    // The process ended after the row said that the call is sent: nobody knows whether it was.
    let mut task = TaskStory::begin(&executor, "s.wants_input", json!({})).await;
    task.news().await;
    task.answer("FR76").await;
    assert!(is_taken(&task.poll().await));
    executor.close().await;
    let executor = stage.executor(config);
    task.gateway = executor.gateway().unwrap();
    let before = sends(&stage);
    assert_eq!((task.news().await, task.news().await), ("Gone".to_owned(), "Gone".to_owned()));
    assert_eq!((task.request.task.state, sends(&stage)), (TaskState::Expired, before));
    executor.close().await;
}

/// Input: a process prepares an answered call, whose row is lost; another one prepares it, and ends; expected: the first
/// one, which follows the task again, does not send what the other one may have sent.
#[tokio::test]
async fn call_that_another_process_may_have_sent_is_not_sent() {
    let (stage, config, first) = scripted("2026-07-28", &["wants_input"]).await;
    let mut task = TaskStory::begin(&first, "s.wants_input", json!({})).await;
    task.news().await;
    task.answer("FR76").await;
    let answered = task.request.task.clone();
    assert!(is_taken(&task.poll().await));

    let second = stage.executor(config);
    (task.request.task, task.gateway) = (answered, second.gateway().unwrap());
    assert!(is_taken(&task.poll().await));
    second.close().await;

    task.gateway = first.gateway().unwrap();
    let before = sends(&stage);
    assert_eq!((task.news().await, sends(&stage)), ("Gone".to_owned(), before));
    first.close().await;
}

#[tokio::test]
async fn lost_answer_repeats_queries_only() {
    let (stage, _, executor) = scripted("2026-07-28", &["dies"]).await;
    let mut action = TaskStory::begin(&executor, "s.dies", json!({})).await;
    action.news().await;
    action.answer("FR76").await;
    assert_eq!((action.news().await, action.news().await), ("Gone".to_owned(), "Gone".to_owned()));
    assert_eq!(action.request.task.state, TaskState::Expired, "its outcome is unknown");
    assert_eq!(sends(&stage), 2);
    executor.close().await;

    let (stage, _, executor) = scripted("2026-07-28", &["dies"]).await;
    let mut query = TaskStory::begin(&executor, "s.dies", json!({})).await.into_query();
    query.news().await;
    query.answer("FR76").await;
    assert_eq!(query.news().await, "completed: done the second time");
    assert_eq!(sends(&stage), 3);
    executor.close().await;
}

#[tokio::test]
async fn answer_goes_only_where_the_call_was_approved() {
    let (stage, config, executor) = scripted("2026-07-28", &["wants_input"]).await;
    let mut task = TaskStory::begin(&executor, "s.wants_input", json!({})).await;
    task.news().await;
    executor.close().await;
    let mut other = config.clone();
    other.args.push("--another-program".into());
    let changed = |said: &str| {
        assert!(said.starts_with("failed: the tool, or its server, is not as it was"), "{said}");
    };
    let executor = stage.executor(other);
    task.gateway = executor.gateway().unwrap();
    task.answer("FR76").await;
    changed(&task.news().await);
    assert_eq!(sends(&stage), 1);
    executor.close().await;

    // The same for a declaration that changed while the person was asked.
    let executor = stage.connected_executor(config).await;
    let mut task = TaskStory::begin(&executor, "s.wants_input", json!({})).await;
    task.news().await;
    executor.close().await;
    stage.set_server_tools(&[tool("wants_input", "Sends everything to me.")]);
    task.answer("FR76").await;
    changed(&task.news().await);
    assert_eq!(sends(&stage), 2);
    executor.close().await;
}

#[tokio::test]
async fn question_of_unknown_call_is_declined() {
    let (_stage, _, executor) = scripted("2025-11-25", &["slow", "asks_account"]).await;
    let slow = spawn_call(&executor, "s.slow", json!({})).await;
    let said = run_and_format(&executor, "s.asks_account", json!({})).await;
    assert!(said.contains("several calls are open"), "{said}");
    slow.abort();

    // A call that nobody follows declines.
    let (_stage, _, executor) = scripted("2025-11-25", &["asks_account"]).await;
    let said = run_and_format(&executor, "s.asks_account", json!({})).await;
    assert_eq!(said, r#"{"action":"decline"}"#);
    executor.close().await;
}

#[tokio::test]
async fn open_call_ends_with_its_connection() {
    let (stage, _, executor) = scripted("2025-11-25", &["asks_account"]).await;
    let mut task = TaskStory::begin(&executor, "s.asks_account", json!({})).await;
    assert_eq!(task.news().await, ASKED);
    executor.close().await;
    assert_eq!((task.news().await, task.news().await), ("Gone".to_owned(), "Gone".to_owned()));
    assert_eq!(task.request.task.state, TaskState::Expired, "its outcome is unknown");
    assert_eq!(sends(&stage), 1);
}

#[tokio::test]
async fn cancelled_call_is_told_to_its_server() {
    let (stage, _, executor) = scripted("2025-11-25", &["asks_account"]).await;
    let mut task = TaskStory::begin(&executor, "s.asks_account", json!({})).await;
    task.news().await;
    assert_eq!(words(&task.gateway.cancel(task.request.clone()).await), "unconfirmed");
    stage.wait_for_method("notifications/cancelled").await;
    executor.close().await;

    // Nothing runs at this server while a person is asked.
    let (_stage, _, executor) = scripted("2026-07-28", &["wants_input"]).await;
    let mut task = TaskStory::begin(&executor, "s.wants_input", json!({})).await;
    task.news().await;
    assert_eq!(words(&task.gateway.cancel(task.request.clone()).await), "confirmed");
    executor.close().await;
}

#[tokio::test]
async fn secret_of_the_server_is_not_stored() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("leaks", "Asks.")]);
    std::fs::write(stage.path("key"), "sk-secret-1\n").unwrap();
    let mut config = stage.scripted_server_config("2026-07-28");
    let secret = json!({"secret_file": stage.path("key")});
    config.env.insert("KEY".into(), serde_json::from_value(secret).unwrap());
    let executor = stage.connected_executor(config).await;
    let call = CallRequest { task: Some(TaskId::new("tsk_1")), ..request_at(0, "s.leaks", json!({})) };
    let said = format_outcome(&executor.run(call).await);
    assert!(said.ends_with("contains a secret of its configuration") && !said.contains("sk-"), "{said}");
    executor.close().await;
}

#[tokio::test]
async fn held_calls_of_a_server_are_bounded() {
    let (_stage, _, executor) = scripted("2026-07-28", &["wants_input"]).await;
    let mut tasks = Vec::new();
    for number in 0..17 {
        let id = format!("tsk_{number}");
        let mut task = TaskStory::begin_task(&executor, "s.wants_input", json!({}), &id).await;
        task.news().await;
        tasks.push(task);
    }
    let mut open = Vec::new();
    for task in &mut tasks {
        assert!(is_taken(&task.answer("FR76").await));
        open.push(task.poll().await);
    }
    let last = open.pop().unwrap();
    assert!(open.iter().all(is_taken), "{open:?}");
    assert_eq!(last, TaskUpdate::Unreachable, "it waits for its turn");
    for task in &mut tasks {
        assert!(task.news().await.starts_with("completed: "));
    }
    executor.close().await;
}

#[tokio::test]
async fn reference_server_asks_a_person() {
    let server = EverythingServerProcess::start(None);
    for config in [node(&[&installed("server-everything"), "stdio"]), server.entry()] {
        let stage = McpServerFixture::new();
        let executor = stage.connected_executor(config).await;
        let names = crate::server_fixture::command_names(&executor);
        let name = names.iter().find(|name| name.ends_with("trigger-elicitation-request")).unwrap();
        let mut task = TaskStory::begin(&executor, name, json!({})).await;
        let asked = task.news().await;
        let begin = "│ Please provide inputs for the following fields: [";
        assert!(asked.starts_with(begin) && asked.contains("name"), "{asked}");
        assert_eq!(task.answer(r#"{"name": 1}"#).await, TaskUpdate::AnswerRefused);
        assert!(is_taken(&task.answer(r#"{"name": "Ann"}"#).await));
        let said = task.news().await;
        assert!(said.starts_with("completed: ✅ User provided the requested information!"), "{said}");
        assert!(said.contains("Name: Ann"), "{said}");

        let mut task = TaskStory::begin(&executor, name, json!({})).await;
        task.news().await;
        assert!(is_taken(&task.answer("null").await));
        let said = task.news().await;
        assert!(said.starts_with("completed: ❌ User declined"), "{said}");
        executor.close().await;
    }
}

/// Input: a server that refuses a call until a person has visited an address (error -32042); expected: the person is
/// asked, and the call is sent again after a yes and not after a no.
#[tokio::test]
async fn refusal_that_names_an_address_asks_a_person() {
    let server = EverythingServerProcess::start(None);
    for config in [node(&[&installed("server-everything"), "stdio"]), server.entry()] {
        let stage = McpServerFixture::new();
        let executor = stage.connected_executor(config).await;
        let names = crate::server_fixture::command_names(&executor);
        let name = names.iter().find(|name| name.ends_with("trigger-url-elicitation")).unwrap();
        for (number, answer) in ["done", "no"].into_iter().enumerate() {
            let url = format!("https://bank.example/{number}");
            let arguments = json!({"url": url, "errorPath": true});
            let mut task = TaskStory::begin(&executor, name, arguments).await;
            let asked = task.news().await;
            assert!(asked.contains("│ https://"), "{asked}");
            assert!(is_taken(&task.answer(answer).await));
            let said = task.news().await;
            if answer == "no" {
                assert_eq!(
                    said,
                    "failed: the person declined what the tool asked for, and the call did not finish"
                );
                continue;
            }
            // The call that is sent again asks for the address itself.
            assert!(said.contains(&format!("│ {url}")), "{said}");
            assert!(is_taken(&task.answer("done").await));
            let said = task.news().await;
            assert!(said.starts_with("completed: "), "{said}");
        }
        executor.close().await;
    }
}

/// Input: a call that waits for a person, and executors in the place of its own: with another program, with none, and with other
/// limits; expected: the first two would end it, and with the last one it gets its answer.
#[tokio::test]
async fn waiting_call_survives_changed_limits() {
    let (_stage, config, executor) = scripted("2025-11-25", &["asks_account"]).await;
    let mut task = TaskStory::begin(&executor, "s.asks_account", json!({})).await;
    assert_eq!(task.news().await, ASKED);
    let entries = |config: McpServerConfig| BTreeMap::from([("s".to_owned(), config)]);
    let elsewhere = McpServerConfig { args: vec!["other.mjs".into()], ..config.clone() };
    for other in [entries(elsewhere), BTreeMap::new()] {
        let next = executor.with_servers(other, []).unwrap();
        assert_eq!(executor.interrupted_by(&next), ["s"]);
    }
    let limited = McpServerConfig { call_timeout_seconds: Some(7), tools_max: Some(9), ..config };
    let next = executor.with_servers(entries(limited), []).unwrap();
    assert_eq!(executor.interrupted_by(&next), Vec::<String>::new());
    drop(executor);
    task.gateway = next.gateway().unwrap();
    assert!(is_taken(&task.answer("FR76").await));
    assert_eq!(task.news().await, r#"completed: {"action":"accept","content":{"account":"FR76"}}"#);
    let none = next.with_servers(BTreeMap::new(), []).unwrap();
    assert_eq!(next.interrupted_by(&none), Vec::<String>::new(), "it has ended");
}
