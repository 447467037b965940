//! `task`: manages long tasks.

use entracte_adapters_http::shapes::task::{TaskAnswerShape, TaskLineShape, TaskShape};
use entracte_application::texts::say;
use serde::Serialize;

use crate::api_client::{ApiClient, ShortIdKind, post, post_empty};
use crate::args::TaskCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads_of, write_table};
use crate::render::task::{line, sheet};
use crate::render::text::block;

/// The command that lists tasks.
const LIST: &str = "entracte task list";

/// Runs `task …`.
pub(crate) async fn run(context: &CommandContext, command: TaskCommand) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        TaskCommand::List { open, session } => list(context, &api, open, session.as_deref()).await,
        TaskCommand::Show { task } => show(context, &api, &task).await,
        TaskCommand::Cancel { task } => cancel(context, &api, &task).await,
        TaskCommand::Answer { task, text } => answer(context, &api, &task, text).await,
    }
}

/// What `task list --json` prints.
#[derive(Serialize)]
struct TasksObject {
    tasks: Vec<TaskLineShape>,
}

async fn list(
    context: &CommandContext,
    api: &ApiClient<'_>,
    open: bool,
    session: Option<&str>,
) -> Result<CliExitCode, CliError> {
    let session = match session {
        Some(named) => Some(api.find(ShortIdKind::Session, named).await?),
        None => None,
    };
    let path = api.path(&["tasks"]).with("open", if open { "true" } else { "false" });
    let mut tasks: Vec<TaskLineShape> = api.list(&path.with_some("session", session.as_deref())).await?;
    // Tasks that wait for a person come first.
    tasks.sort_by_key(|task| (!task.asks, task.is_final()));
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.tasks/1", TasksObject { tasks }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if tasks.is_empty() {
        context.out.write_notice(&say!(texts, "task-list-none", workspace = api.workspace().as_str()));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = tasks.iter().map(|task| line(task, texts, &context.zone)).collect();
    let heads = heads_of(texts, "task", &["task", "state", "command", "session", "made", "news"]);
    write_table(&context.out, &heads, &rows)?;
    Ok(CliExitCode::Done)
}

async fn show(context: &CommandContext, api: &ApiClient<'_>, named: &str) -> Result<CliExitCode, CliError> {
    let task = named_task(api, named).await?;
    if context.out.json {
        return print_object(context, task);
    }
    let texts = api.texts().await?;
    for line in sheet(&task, texts, &context.zone) {
        context.out.write_data_line(&block(&line))?;
    }
    Ok(CliExitCode::Done)
}

async fn cancel(context: &CommandContext, api: &ApiClient<'_>, named: &str) -> Result<CliExitCode, CliError> {
    let task = named_task(api, named).await?.line.id;
    api.change_only(post_empty(&api.path(&["tasks", &task, "cancel"]))).await?;
    report_task(context, api, &task, "task-cancelled-now").await
}

async fn answer(
    context: &CommandContext,
    api: &ApiClient<'_>,
    named: &str,
    text: String,
) -> Result<CliExitCode, CliError> {
    let task = named_task(api, named).await?;
    let (id, answer) = (task.line.id, TaskAnswerShape { text, question: task.line.question });
    api.change_only(post(&api.path(&["tasks", &id, "answer"]), &answer)).await?;
    report_task(context, api, &id, "task-answered-now").await
}

/// Reports the state of the task after a request.
async fn report_task(
    context: &CommandContext,
    api: &ApiClient<'_>,
    task: &str,
    key: &str,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        return print_object(context, api.get(&api.path(&["tasks", task])).await?);
    }
    let texts = api.texts().await?;
    context.out.write_notice(&say!(texts, key, task = task));
    Ok(CliExitCode::Done)
}

/// Prints a single task as JSON.
fn print_object(context: &CommandContext, task: TaskShape) -> Result<CliExitCode, CliError> {
    context.out.write_json_line(&VersionedShape::new("entracte.task/1", task))?;
    Ok(CliExitCode::Done)
}

async fn named_task(api: &ApiClient<'_>, named: &str) -> Result<TaskShape, CliError> {
    let hint = |error: CliError| error.or_next(LIST);
    let id = api.find(ShortIdKind::Task, named).await.map_err(hint)?;
    api.get(&api.path(&["tasks", &id])).await.map_err(hint)
}
