//! Isolation of long tasks: a task of ann's workspace that has not ended, and eve's attempts with its id.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{CallRequest, CommandExecutor, CommandSpec, TaskFilter, TaskRow, TaskSpec};
use entracte_application::use_cases::{AcknowledgeTask, AnswerTaskQuestion, CancelTask, ReadTasks};
use entracte_domain::call::CallOutcome;
use entracte_domain::id::TaskId;
use entracte_domain::session::Dialect;
use entracte_domain::task::{TaskHandle, TaskProtocol};
use entracte_domain::time::Millis;
use entracte_tests::runtime_fixture::RuntimeFixture;
use serde_json::json;

use super::super::bilingual_model::BilingualModelStep;
use super::super::fixture::{SessionCopyFixture, chat};
use super::{IntrusionOutcome, WorkspaceIsolationFixture, classify_answer, nothing};

/// Dispatches tasks to no server: they never end by themselves.
pub(super) struct EndlessTaskGateway;

#[async_trait]
impl CommandExecutor for EndlessTaskGateway {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = json!({ "type": "object", "additionalProperties": false });
        let never = TaskSpec { gateway: TaskProtocol::Http, is_registered: true, deadline: Millis(0) };
        let close = CommandSpec::query("CLOSE_BOOKS", "books.close", "Closes the books.", schema);
        vec![CommandSpec { task: Some(never), ..close }]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let task = request.task.unwrap();
        CallOutcome::Accepted { task, content: "It has begun.".into(), handle: TaskHandle::default() }
    }
}

/// The stored tasks of a workspace.
async fn stored(life: &RuntimeFixture, of: &entracte_domain::id::WorkspaceKey) -> Vec<TaskRow> {
    life.services.tasks.tasks(of, TaskFilter::default()).await.unwrap()
}

/// A dispatched task of ann's.
pub(super) async fn given(stage: &SessionCopyFixture, life: &RuntimeFixture) -> TaskId {
    let session = chat(life, Dialect::Tools, false).await;
    let asks = BilingualModelStep::Asks(vec![("CLOSE_BOOKS", "books.close", json!({}), true)]);
    stage.model.push_steps([asks, BilingualModelStep::Words("They are being closed.")]);
    life.send_and_wait(&session, "close the books").await;
    let mut all = stored(life, &life.workspace).await;
    assert_eq!(all.len(), 1);
    all.remove(0).id
}

/// The outcomes of eve's attempts; `None` for a use case that is about something else.
pub(super) async fn tried(use_case: &str, case: &WorkspaceIsolationFixture) -> Option<Vec<IntrusionOutcome>> {
    let RuntimeFixture { services, mail_sender, workspace: at, .. } = &case.away;
    let before = stored(&case.away, &case.home).await;
    let (mail, task, eve) = (mail_sender.clone(), &case.task, "eve".to_owned());
    let came = match use_case {
        "CancelTask" => vec![classify_answer(CancelTask::new(mail).run(at, task, eve).await)],
        "AcknowledgeTask" => vec![classify_answer(AcknowledgeTask::new(mail).run(at, task, eve).await)],
        "AnswerTaskQuestion" => {
            vec![classify_answer(AnswerTaskQuestion::new(mail).run(at, task, eve, "yes".into(), None).await)]
        }
        "ReadTasks" => {
            let read = ReadTasks::new(Arc::clone(&services.tasks));
            let all = read.all(at, TaskFilter::default()).await.unwrap();
            vec![nothing(all.is_empty(), "listed"), classify_answer(read.one(at, task.as_str()).await)]
        }
        _ => return None,
    };
    assert_eq!(stored(&case.away, &case.home).await, before, "{use_case} changed a task");
    Some(came)
}
