//! Tool calls that run as long tasks. The server is that of the official Rust SDK with its task manager, in a process
//! of its own: this test executable, started again.

use std::sync::Arc;
use std::time::Duration;

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_application::ports::{CallRequest, CommandExecutor as _, TaskGateway, TaskGatewayRequest};
use entracte_application::samples;
use entracte_domain::call::CallOutcome;
use entracte_domain::id::TaskId;
use entracte_domain::task::{Task, TaskHandle, TaskUpdate};
use entracte_domain::time::{Millis, Timestamp};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    CreateTaskResult, GetTaskParams, GetTaskResult, Implementation, InputRequest, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};

use crate::server_fixture::{McpServerFixture, entry, format_outcome};

/// Tools that sum slowly, ask for an account, wait for ever, or want a model; one tool is not a task.
#[derive(Clone, Default)]
struct SlowTaskMcpServer {
    tasks: TaskManager,
}

fn text_result(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

async fn work(tool: String, context: TaskContext) -> Result<CallToolResult, TaskExit> {
    let asks = |request: Value| serde_json::from_value::<InputRequest>(request).unwrap();
    match tool.as_str() {
        "sum" => Ok(text_result("15 invoices")),
        "fails" => Ok(CallToolResult::error(vec![ContentBlock::text("no access")])),
        "breaks" => Err(TaskExit::Error(ErrorData::internal_error("boom", None))),
        "asks" => {
            let schema = json!({"type": "object", "properties": {"iban": {"type": "string"}}});
            let params = json!({"mode": "form", "message": "Which account?", "requestedSchema": schema});
            let request = asks(json!({"method": "elicitation/create", "params": params}));
            let answer = context.request_input("q", request).await?;
            Ok(text_result(&format!("paid: {}", answer["content"]["iban"].as_str().unwrap_or("nobody"))))
        }
        "samples" => {
            let params = json!({"messages": [], "maxTokens": 1});
            let request = asks(json!({"method": "sampling/createMessage", "params": params}));
            context.request_input("s", request).await?;
            Ok(text_result("sampled"))
        }
        _ => {
            context.set_status_message("3 of 15");
            context.cancelled().await;
            Err(TaskExit::Cancelled)
        }
    }
}

impl ServerHandler for SlowTaskMcpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("slow", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: JsonObject = [("type".to_owned(), json!("object"))].into_iter().collect();
        let tool = |name: &'static str| {
            Tool::new(name, "Works.", Arc::new(schema.clone()))
                .with_annotations(ToolAnnotations::new().read_only(true))
        };
        let names = ["sum", "fails", "breaks", "asks", "samples", "waits", "at_once"];
        Ok(ListToolsResult::with_all_items(names.map(tool).to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if name == "at_once" {
            return Ok(text_result("done").into());
        }
        let options = TaskOptions::new().with_poll_interval_ms(2_000).with_ttl_ms(60_000);
        let task = self.tasks.spawn(options, |context| Box::pin(work(name, context)));
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }
}

/// The server, over its standard streams, until its input is closed. It begins with a line end, because the test
/// runner has written to the same stream before.
#[tokio::test]
#[ignore = "it is the server of the other test"]
async fn serves_tasks() {
    println!();
    let service = SlowTaskMcpServer::default().serve(rmcp::transport::stdio()).await.unwrap();
    service.waiting().await.unwrap();
}

/// The configuration of the server; it skips the output of the test runner.
fn server() -> McpServerConfig {
    let exe = std::env::current_exe().unwrap();
    let line = r#""$0" --exact tasks::serves_tasks --ignored --nocapture --test-threads 1 | grep --line-buffered '^{'"#;
    entry(json!({"command": "sh", "args": ["-c", line, exe]}))
}

async fn run(executor: &McpExecutor, tool: &str) -> CallOutcome {
    let request = crate::server_fixture::request_at(0, &format!("s.{tool}"), json!({}));
    executor.run(CallRequest { task: Some(TaskId::new("tsk_1")), ..request }).await
}

/// Starts a task, and returns it as its row would have it.
async fn start_remote_task(executor: &McpExecutor, tool: &str) -> TaskGatewayRequest {
    let outcome = run(executor, tool).await;
    let CallOutcome::Accepted { task, handle, .. } = outcome else { panic!("{outcome:?}") };
    let TaskHandle { remote, poll_after, until } = handle;
    assert_eq!(poll_after, Some(Millis::seconds(2)));
    assert_eq!(until, Some(Timestamp(60_000_000)), "it is kept for a minute");
    let sample = samples::task_request();
    TaskGatewayRequest { task: Task { id: task, remote, ..sample.task }, ..sample }
}

/// The first update of a task that is not just progress.
async fn heard(gateway: &Arc<dyn TaskGateway>, task: &TaskGatewayRequest) -> TaskUpdate {
    // A minute.
    for _ in 0..6_000 {
        match gateway.poll(task.clone()).await {
            TaskUpdate::Progress { .. } => tokio::time::sleep(Duration::from_millis(10)).await,
            arrival => return arrival,
        }
    }
    panic!("it works for ever")
}

fn words(arrival: &TaskUpdate) -> String {
    match arrival {
        TaskUpdate::Final { outcome, content, .. } => format!("{}: {content}", outcome.word()),
        TaskUpdate::CancelAnswered(answer) => answer.word().to_owned(),
        TaskUpdate::Asks { question, .. } => question.clone(),
        TaskUpdate::Progress { text, .. } => text.clone(),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn mcp_task_is_a_task() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(server()).await;
    let gateway = executor.gateway().unwrap();
    assert_eq!(
        format_outcome(&run(&executor, "at_once").await),
        "done",
        "a tool may end at once like any other"
    );

    for (tool, expected) in
        [("sum", "completed: 15 invoices"), ("fails", "failed: no access"), ("breaks", "failed: boom")]
    {
        let task = start_remote_task(&executor, tool).await;
        assert_eq!(words(&heard(&gateway, &task).await), expected);
    }

    // An answer counts only for the question that was read.
    let task = start_remote_task(&executor, "asks").await;
    let question = words(&heard(&gateway, &task).await);
    assert_eq!(question, "│ Which account? [iban]");
    let answered = |question: &str, answer: &str| {
        let (question, answer) = (Some(question.to_owned()), Some(answer.to_owned()));
        TaskGatewayRequest { task: Task { question, answer, ..task.task.clone() }, ..task.clone() }
    };
    assert_eq!(gateway.answer(answered("│ Who are you?", "FR76")).await, TaskUpdate::AnswerRefused);
    assert_eq!(gateway.answer(answered(&question, r#"{"bic": "X"}"#)).await, TaskUpdate::AnswerRefused);
    assert_eq!(gateway.answer(answered(&question, "FR76")).await, TaskUpdate::answer_taken());
    assert_eq!(words(&heard(&gateway, &task).await), "completed: paid: FR76");
    assert_eq!(
        gateway.answer(answered(&question, "FR76")).await,
        TaskUpdate::AnswerRefused,
        "it asks no more"
    );

    // A task whose input never comes is cancelled on both sides.
    let task = start_remote_task(&executor, "samples").await;
    let ended = words(&heard(&gateway, &task).await);
    assert!(ended.starts_with("failed: its server asked for what nobody gives it:"), "{ended}");
    assert_eq!(words(&heard(&gateway, &task).await), "cancelled: ");

    // Cancelling is a request; only the reported result counts.
    let task = start_remote_task(&executor, "waits").await;
    assert_eq!(words(&gateway.poll(task.clone()).await), "3 of 15");
    let stopped = words(&gateway.cancel(task.clone()).await);
    assert!(["confirmed", "pending"].contains(&stopped.as_str()), "{stopped}");
    assert_eq!(words(&heard(&gateway, &task).await), "cancelled: ");

    // A restarted server does not know earlier tasks.
    let task = start_remote_task(&executor, "waits").await;
    executor.close().await;
    assert_eq!(gateway.poll(task.clone()).await, TaskUpdate::Gone);
    assert_eq!(words(&gateway.cancel(task).await), "unconfirmed");
    executor.close().await;
}

/// Input: a task, its server under the same name as another program, and its row as an earlier program wrote it; expected: the
/// other program is not asked about it, and the earlier row is read as it was.
#[tokio::test]
async fn task_is_asked_for_at_its_own_server() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(server()).await;
    let task = start_remote_task(&executor, "waits").await;
    let mut elsewhere = server();
    elsewhere.args.push("elsewhere".to_owned());
    let other = executor.with_servers([("s".to_owned(), elsewhere)].into(), []).unwrap();
    let gateway = other.gateway().unwrap();
    assert_eq!(gateway.poll(task.clone()).await, TaskUpdate::Gone);
    assert_eq!(words(&gateway.cancel(task.clone()).await), "unconfirmed");

    let parts: Vec<String> = serde_json::from_str(task.task.remote.as_deref().unwrap()).unwrap();
    let remote = Some(json!(parts[..2]).to_string());
    let earlier = TaskGatewayRequest { task: Task { remote, ..task.task.clone() }, ..task };
    assert_eq!(words(&executor.gateway().unwrap().poll(earlier).await), "3 of 15");
    executor.close().await;
}

/// A server without the task extension, and a call from before its tool could become a task.
#[tokio::test]
async fn older_server_answers_with_final_result() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    assert_eq!(
        crate::server_fixture::run_and_format(&executor, "s.echo", json!({"a": 1})).await,
        r#"echo {"a":1}"#
    );
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(server()).await;
    let before = executor.run(crate::server_fixture::request_at(0, "s.waits", json!({}))).await;
    assert_eq!(before, CallOutcome::Lost { found_by_start: None, lands_by: None });
    executor.close().await;
}
