//! Communicates with the remote side of a task: queries its state, cancels it, sends it an answer. Dropping the
//! future really stops the work.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::task::{CancelResponse, Task, TaskUpdate, TaskWork};
use futures_util::FutureExt;

use super::effects::EffectContext;
use crate::failpoints::{FailpointOperation, run_between_failpoints};
use crate::mail::{Mail, MailRequest, ReceiveTaskUpdateRequest};
use crate::ports::{TaskGateway, TaskGatewayRequest};
use crate::settings::WorkspaceLocale;

/// The desired work of a task, with all the data it needs.
pub struct TaskWorkJob {
    /// Workspace of the task.
    pub workspace: WorkspaceKey,
    /// The task, as committed.
    pub task: Task,
    /// The work to perform.
    pub work: TaskWork,
    /// Date format and language of the workspace.
    pub locale: WorkspaceLocale,
}

/// Performs the work and returns the update to post. `None` if nothing was sent because another owner took over,
/// which then performs it.
pub async fn perform_task_work(means: EffectContext, errand: TaskWorkJob) -> Option<Mail> {
    let task = errand.task.id.clone();
    let work = errand.work;
    let arrival =
        run_between_failpoints(FailpointOperation::AskTask, exchange_with_gateway(&means, errand)).await?;
    tracing::debug!(%task, ?work, "the other side of a task answered");
    let update = ReceiveTaskUpdateRequest { webhook_id: None, arrival };
    Some(Mail::from_request(MailRequest::task(task, update)))
}

async fn exchange_with_gateway(means: &EffectContext, errand: TaskWorkJob) -> Option<TaskUpdate> {
    let TaskWorkJob { workspace, task, work, locale } = errand;
    if !means.may_send().await {
        return None;
    }
    let services = &means.services;
    let command = task.command.clone();
    let catalog = services.catalog.get();
    let Some(gateway) = catalog.find(&command).and_then(|known| known.executor.gateway()) else {
        tracing::warn!(task = %task.id, command, "nobody speaks with the other side of this task any more");
        return Some(no_answer_arrival(work));
    };
    let request = TaskGatewayRequest { workspace, task, now: services.clock.now(), locale };
    let id = request.task.id.clone();
    let spoken = AssertUnwindSafe(call_gateway(gateway, work, request)).catch_unwind();
    Some(tokio::select! {
        // An answer that is already there counts, even at the time limit.
        biased;
        heard = spoken => heard.unwrap_or_else(|_| {
            tracing::error!(task = %id, "the gateway of a task panicked");
            no_answer_arrival(work)
        }),
        () = services.clock.sleep(services.settings.task_answer) => no_answer_arrival(work),
    })
}

async fn call_gateway(
    gateway: Arc<dyn TaskGateway>,
    work: TaskWork,
    request: TaskGatewayRequest,
) -> TaskUpdate {
    match work {
        TaskWork::Poll => gateway.poll(request).await,
        TaskWork::Answer => gateway.answer(request).await,
        TaskWork::Cancel => gateway.cancel(request).await,
    }
}

/// The task update that stands for a missing answer.
fn no_answer_arrival(work: TaskWork) -> TaskUpdate {
    match work {
        TaskWork::Poll => TaskUpdate::Unreachable,
        TaskWork::Answer => TaskUpdate::AnswerRefused,
        TaskWork::Cancel => TaskUpdate::CancelAnswered(CancelResponse::Unconfirmed),
    }
}
