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
pub(crate) async fn run(desk: &CommandContext, command: TaskCommand) -> Result<CliExitCode, CliError> {
    match command {
        TaskCommand::List { open, session } => list(desk, open, session.as_deref()).await,
        TaskCommand::Show { task } => show(desk, &task).await,
        TaskCommand::Cancel { task } => cancel(desk, &task).await,
        TaskCommand::Answer { task, text } => answer(desk, &task, text).await,
    }
}

fn reader(wiring: &AppServices) -> ReadTasks {
    ReadTasks::new(wiring.tasks.clone())
}

/// The long tasks of a session, unfinished ones first.
pub(crate) async fn tasks_of(
    wiring: &AppServices,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Result<Vec<Task>, CliError> {
    let filter = TaskFilter { session: Some(session.clone()), open: false, limit: Some(TASKS_SHOWN) };
    Ok(reader(wiring).all(workspace, filter).await?)
}

async fn list(desk: &CommandContext, open: bool, session: Option<&str>) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let session = match session {
        Some(named) => Some(wiring.named_session(workspace, named).await?),
        None => None,
    };
    let filter = TaskFilter { session, open, limit: Some(TASKS_SHOWN) };
    let mut tasks = reader(&wiring).all(workspace, filter).await?;
    // Tasks that wait for a person come first.
    tasks.sort_by_key(|task| (!task.is_asking(), task.state.is_final()));
    if desk.out.json {
        desk.out.write_json_line(&TasksObject::new(&tasks))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    if tasks.is_empty() {
        desk.out.write_notice(&say!(texts, "task-list-none", workspace = workspace.as_str()));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = tasks.iter().map(|task| line(task, texts, &desk.zone)).collect();
    let head = ["task", "state", "command", "session", "made", "news"];
    let head = head.map(|name| texts.render(&format!("task-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, desk.out.style) {
        desk.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

async fn show(desk: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let (task, arrivals) = reader(&wiring).one(workspace, named).await?;
    if desk.out.json {
        desk.out.write_json_line(&TaskObject::single(&task, &arrivals))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    for line in sheet(&task, &arrivals, texts, &desk.zone) {
        desk.out.write_data_line(&block(&line))?;
    }
    Ok(CliExitCode::Done)
}

async fn cancel(desk: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let (task, _) = reader(&wiring).one(workspace, named).await?;
    let way = RuntimeAccess::open(wiring.clone()).await?;
    let cancelled = CancelTask::new(way.clone()).run(workspace, &task.id, desk.settings.author.clone()).await;
    drain_before_exit(&wiring, &way, |line| desk.out.write_notice(line)).await?;
    cancelled?;
    report_task(desk, &wiring, &task, "task-cancelled-now").await
}

async fn answer(desk: &CommandContext, named: &str, text: String) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let (task, _) = reader(&wiring).one(workspace, named).await?;
    let way = RuntimeAccess::open(wiring.clone()).await?;
    let author = desk.settings.author.clone();
    let answered = AnswerTaskQuestion::new(way.clone()).run(workspace, &task.id, author, text).await;
    drain_before_exit(&wiring, &way, |line| desk.out.write_notice(line)).await?;
    answered?;
    report_task(desk, &wiring, &task, "task-answered-now").await
}

/// Reports the state of the task after a request.
async fn report_task(
    desk: &CommandContext,
    wiring: &AppServices,
    task: &Task,
    key: &str,
) -> Result<CliExitCode, CliError> {
    let workspace = &desk.settings.workspace;
    let (task, arrivals) = reader(wiring).one(workspace, task.id.as_str()).await?;
    if desk.out.json {
        desk.out.write_json_line(&TaskObject::single(&task, &arrivals))?;
        return Ok(CliExitCode::Done);
    }
    let texts: &LocalizedTexts = desk.texts(wiring, workspace).await?;
    desk.out.write_notice(&say!(texts, key, task = task.id.as_str()));
    Ok(CliExitCode::Done)
}
