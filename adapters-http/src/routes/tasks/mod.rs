//! Routes of long tasks: list, read, cancel and answer.

pub(crate) mod answer;
pub(crate) mod cancel;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod mark_seen;

use entracte_application::mail::MailAnswer;
use entracte_application::texts::LocalizedMessage;
use entracte_application::use_cases::ReadTasks;
use entracte_domain::id::TaskId;
use entracte_domain::task::Task;

use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::task::HeardShape;

/// The stored answer to an earlier request under the same key; otherwise checks that the task's state fits the request.
/// Refusing before posting ensures that no refusal is stored under a key.
async fn replay_or_require_task(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    id: &TaskId,
    is_fit: fn(&Task) -> bool,
    why: LocalizedMessage,
) -> Result<Option<HeardShape>, Problem> {
    if let Some(MailAnswer::Heard { verdict }) = caller.find_replayed_answer(state).await? {
        return Ok(Some(HeardShape { task_id: id.to_string(), verdict: verdict.word() }));
    }
    let read = ReadTasks::new(state.ports.tasks.clone());
    let (task, _) = read.one(caller.workspace(), id.as_str()).await?;
    match is_fit(&task) {
        true => Ok(None),
        false => Err(Problem::new(ProblemCode::Conflict, why)),
    }
}
