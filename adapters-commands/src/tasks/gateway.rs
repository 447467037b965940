//! The ports for a dispatched task: polling, cancelling, and verifying callbacks.

use async_trait::async_trait;
use entracte_application::ports::{CallbackVerifier, SignedMessage, TaskGateway, TaskGatewayRequest};
use entracte_domain::task::{CancelResponse, TaskUpdate};
use entracte_domain::time::Timestamp;
use reqwest::Method;

use super::{TaskServerExecutor, response_outcome};
use crate::egress::{EgressError, EgressResponse};
use crate::webhook::{self, WebhookSigningKey};
use entracte_application::system::SecretScrubber;

impl TaskServerExecutor {
    /// Sends one request about a task, with `mark` in its id; `None` if nothing could be sent, and the log has the reason.
    async fn send_task_request(
        &self,
        method: Method,
        mark: char,
        asked: &TaskGatewayRequest,
    ) -> Option<(Result<EgressResponse, EgressError>, SecretScrubber)> {
        let (task, now) = (&asked.task, asked.now);
        let Some(tool) = self.tasks.get(&task.command) else {
            tracing::warn!(
                task = task.id.as_str(),
                command = task.command,
                "the configuration has no such task any more"
            );
            return None;
        };
        let keyring = tool.keyring(self.secrets.as_ref()).inspect_err(|why| {
            tracing::error!(
                task = task.id.as_str(),
                command = task.command,
                ?why,
                "a task cannot be asked about without its secret"
            );
        });
        let keyring = keyring.ok()?;
        let id = format!("{}.{mark}{}", task.id.as_str(), now.0);
        let key = keyring.keys.first()?;
        let request = tool.task_request(method, id, &task.id, task.remote.as_deref(), key, now)?;
        Some((self.egress.send_once(request).await, keyring.scrubber))
    }
}

#[async_trait]
impl TaskGateway for TaskServerExecutor {
    async fn poll(&self, asked: TaskGatewayRequest) -> TaskUpdate {
        match self.send_task_request(Method::GET, 'p', &asked).await {
            Some((sent, scrubber)) => response_outcome::poll_arrival(&asked.task.id, sent, &scrubber),
            None => TaskUpdate::Unreachable,
        }
    }

    async fn cancel(&self, asked: TaskGatewayRequest) -> TaskUpdate {
        match self.send_task_request(Method::DELETE, 'c', &asked).await {
            Some((sent, scrubber)) => response_outcome::cancel_arrival(&asked.task.id, sent, &scrubber),
            None => TaskUpdate::CancelAnswered(CancelResponse::Unconfirmed),
        }
    }

    /// A task server requests no input, so there is nothing to answer.
    async fn answer(&self, _: TaskGatewayRequest) -> TaskUpdate {
        TaskUpdate::AnswerRefused
    }
}

impl CallbackVerifier for TaskServerExecutor {
    fn verify(&self, command: Option<String>, message: &SignedMessage, now: Timestamp) -> bool {
        let tool = command.and_then(|command| self.tasks.get(&command));
        let keyring = tool.and_then(|tool| {
            let keyring = tool.keyring(self.secrets.as_ref());
            let command = &tool.config.name;
            keyring
                .inspect_err(|why| {
                    tracing::error!(command, ?why, "a callback cannot be proved without its secret")
                })
                .ok()
        });
        match keyring {
            Some(keyring) => webhook::verify_signature(&keyring.keys, message, now),
            // An unknown task takes as long to verify, so that timing does not reveal which tasks exist.
            None => {
                let _ = webhook::verify_signature(&[WebhookSigningKey::dummy()], message, now);
                false
            }
        }
    }

    fn task_type(&self, command: &str) -> Option<String> {
        Some(self.tasks.get(command)?.config.task_type().to_owned())
    }
}
