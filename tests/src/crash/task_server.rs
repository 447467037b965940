//! The external side of long tasks: it accepts each task once, however often it is sent, and reports it as done when
//! queried. Accepted tasks outlive every process.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    CallRequest, CommandExecutor, CommandSpec, TaskGateway, TaskGatewayRequest, TaskSpec,
};
use entracte_application::system::sha256;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::EffectClass;
use entracte_domain::task::{CancelResponse, TaskHandle, TaskOutcome, TaskProtocol, TaskUpdate};
use entracte_domain::time::Millis;

/// The result of every task.
pub(super) const BOOKS_CLOSED: &str = "15 invoices were booked";

/// The folder with one file per accepted task.
#[derive(Clone)]
pub(super) struct FileTaskServer(pub(super) PathBuf);

#[async_trait]
impl CommandExecutor for FileTaskServer {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = serde_json::json!({ "type": "object" });
        let (word, name, doc) = ("CLOSE_BOOKS", "books.close", "Closes the books.");
        let close = CommandSpec::action(word, name, doc, EffectClass::Idempotent, schema);
        let task =
            TaskSpec { gateway: TaskProtocol::Http, is_registered: true, deadline: Millis::hours(24 * 30) };
        vec![CommandSpec { task: Some(task), key_lifetime: Millis::hours(24 * 30), ..close }]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let lost = CallOutcome::Lost { found_by_start: None, lands_by: None };
        let Some(task) = request.task else { return lost };
        let taken = std::fs::create_dir_all(&self.0)
            .and_then(|()| std::fs::write(self.0.join(task.as_str()), request.call.as_str()));
        if taken.is_err() {
            return lost;
        }
        let handle = TaskHandle {
            remote: Some(task.as_str().to_owned()),
            poll_after: Some(Millis::seconds(1)),
            until: None,
        };
        CallOutcome::Accepted { content: format!("{task} has begun"), task, handle }
    }

    fn gateway(&self) -> Option<Arc<dyn TaskGateway>> {
        Some(Arc::new(self.clone()))
    }
}

#[async_trait]
impl TaskGateway for FileTaskServer {
    async fn poll(&self, request: TaskGatewayRequest) -> TaskUpdate {
        if !self.0.join(request.task.id.as_str()).exists() {
            return TaskUpdate::Gone;
        }
        let (outcome, digest) = (TaskOutcome::Completed, sha256(BOOKS_CLOSED.as_bytes()));
        TaskUpdate::Final { outcome, content: BOOKS_CLOSED.to_owned(), digest }
    }

    async fn cancel(&self, _: TaskGatewayRequest) -> TaskUpdate {
        TaskUpdate::CancelAnswered(CancelResponse::Confirmed)
    }

    async fn answer(&self, _: TaskGatewayRequest) -> TaskUpdate {
        TaskUpdate::answer_taken()
    }
}
