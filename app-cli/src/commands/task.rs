//! `task`: manages long tasks.

use entracte_application::ports::TaskFilter;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{AnswerTaskQuestion, CancelTask, ReadTasks, TASKS_SHOWN};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::task::Task;

use crate::app_services::AppServices;
use crate::args::TaskCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::json::{TaskObject, TasksObject};
use crate::render::listing::table;
use crate::render::task::{line, sheet};
use crate::render::text::block;
use crate::runtime_access::RuntimeAccess;

/// Runs `task …`.
pub(crate) async fn run(context: &CommandContext, command: TaskCommand) -> Result<CliExitCode, CliError> {
    match command {
        TaskCommand::List { open, session } => list(context, open, session.as_deref()).await,
        TaskCommand::Show { task } => show(context, &task).await,
        TaskCommand::Cancel { task } => cancel(context, &task).await,
        TaskCommand::Answer { task, text } => answer(context, &task, text).await,
    }
}

fn reader(services: &AppServices) -> ReadTasks {
    ReadTasks::new(services.tasks.clone())
}

/// The long tasks of a session, unfinished ones first.
pub(crate) async fn tasks_of(
    services: &AppServices,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Result<Vec<Task>, CliError> {
    let filter = TaskFilter { session: Some(session.clone()), open: false, limit: Some(TASKS_SHOWN) };
    Ok(reader(services).all(workspace, filter).await?)
}

async fn list(context: &CommandContext, open: bool, session: Option<&str>) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let session = match session {
        Some(named) => Some(services.named_session(workspace, named).await?),
        None => None,
    };
    let filter = TaskFilter { session, open, limit: Some(TASKS_SHOWN) };
    let mut tasks = reader(&services).all(workspace, filter).await?;
    // Tasks that wait for a person come first.
    tasks.sort_by_key(|task| (!task.is_asking(), task.state.is_final()));
    if context.out.json {
        context.out.write_json_line(&TasksObject::new(&tasks))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    if tasks.is_empty() {
        context.out.write_notice(&say!(texts, "task-list-none", workspace = workspace.as_str()));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = tasks.iter().map(|task| line(task, texts, &context.zone)).collect();
    let head = ["task", "state", "command", "session", "made", "news"];
    let head = head.map(|name| texts.render(&format!("task-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

async fn show(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let (task, arrivals) = reader(&services).one(workspace, named).await?;
    if context.out.json {
        context.out.write_json_line(&TaskObject::single(&task, &arrivals))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    for line in sheet(&task, &arrivals, texts, &context.zone) {
        context.out.write_data_line(&block(&line))?;
    }
    Ok(CliExitCode::Done)
}

async fn cancel(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let (task, _) = reader(&services).one(workspace, named).await?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let cancelled =
        CancelTask::new(runtime.clone()).run(workspace, &task.id, context.settings.author.clone()).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    cancelled?;
    report_task(context, &services, &task, "task-cancelled-now").await
}

async fn answer(context: &CommandContext, named: &str, text: String) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let (task, _) = reader(&services).one(workspace, named).await?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let author = context.settings.author.clone();
    let answer = AnswerTaskQuestion::new(runtime.clone());
    let answered = answer.run(workspace, &task.id, author, text, task.question.as_deref()).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    answered?;
    report_task(context, &services, &task, "task-answered-now").await
}

/// Reports the state of the task after a request.
async fn report_task(
    context: &CommandContext,
    services: &AppServices,
    task: &Task,
    key: &str,
) -> Result<CliExitCode, CliError> {
    let workspace = &context.settings.workspace;
    let (task, arrivals) = reader(services).one(workspace, task.id.as_str()).await?;
    if context.out.json {
        context.out.write_json_line(&TaskObject::single(&task, &arrivals))?;
        return Ok(CliExitCode::Done);
    }
    let texts: &LocalizedTexts = context.texts(services, workspace).await?;
    context.out.write_notice(&say!(texts, key, task = task.id.as_str()));
    Ok(CliExitCode::Done)
}
