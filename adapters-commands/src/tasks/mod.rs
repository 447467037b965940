//! Commands that dispatch long tasks to another service, declared in the configuration.
//!
//! A task is dispatched once, with a POST signed as Standard Webhooks 1 defines; the response accepts it, and its end
//! is reported by a callback or found by polling. Every request goes through [`EgressClient`], follows no redirect,
//! and goes only to the declared host. Secrets are read when they are used, and never appear in an answer or an
//! error.
//!
//! This module never waits, retries or remembers: the state machine decides when a task is polled, cancelled or over.

mod config;
mod config_check;
mod gateway;
mod response_outcome;
#[cfg(test)]
mod tests;
mod tool;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, SecretStore, StoreError,
    TaskGateway, UserContextQuery, UserContextSource,
};
use entracte_application::settings::UserContext;
use entracte_application::texts::{LocalizedTexts, say, saying};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::TaskId;
use entracte_domain::value::JsonValue;
use reqwest::Method;

pub use self::config::{TaskConfig, TaskKind};
pub use self::config_check::TaskConfigFault;

use self::response_outcome::DispatchedTask;
use self::tool::{SigningError, TaskDispatchExtras, TaskKeyring, TaskTool};
use crate::call_outcome::{failure, texts, unknown_command};
use crate::display_text::one_line;
use crate::egress::{EgressClient, host_of};
use crate::secret;

/// Dispatches the declared tasks to their servers. Clones share their state.
#[derive(Clone)]
pub struct TaskServerExecutor {
    tasks: Arc<BTreeMap<String, TaskTool>>,
    egress: Arc<EgressClient>,
    secrets: Arc<dyn SecretStore>,
    contexts: Vec<Arc<dyn UserContextSource>>,
    public_url: Option<String>,
}

impl TaskServerExecutor {
    /// An executor of these task commands.
    ///
    /// # Errors
    /// The first fault of a declaration, or a duplicate name.
    pub fn new(
        configs: Vec<TaskConfig>,
        egress: Arc<EgressClient>,
        secrets: Arc<dyn SecretStore>,
    ) -> Result<Self, TaskConfigFault> {
        let mut tasks = BTreeMap::new();
        for config in configs {
            let twice = config.fault("name", saying!("fault-twice"), saying!("fault-rename-one"));
            if tasks.insert(config.name.clone(), TaskTool::new(config)?).is_some() {
                return Err(twice);
            }
        }
        Ok(Self { tasks: Arc::new(tasks), egress, secrets, contexts: Vec::new(), public_url: None })
    }

    /// Sends the user context of these sources with a task; for a duplicate key the later source counts.
    #[must_use]
    pub fn with_contexts(self, contexts: Vec<Arc<dyn UserContextSource>>) -> Self {
        Self { contexts, ..self }
    }

    /// Sets the public address for callbacks. Without one every task is polled.
    #[must_use]
    pub fn with_callback_url(self, public_url: Option<String>) -> Self {
        let public_url = public_url.map(|url| url.trim_end_matches('/').to_owned());
        Self { public_url, ..self }
    }

    /// The callback address of a task.
    fn callback(&self, task: &TaskId) -> Option<String> {
        self.public_url.as_ref().map(|url| format!("{url}/v1/callbacks/{}", task.as_str()))
    }

    async fn dispatch_task(&self, tool: &TaskTool, call: &CallRequest) -> Result<CallOutcome, CallFailure> {
        let texts = texts(call);
        let task = task_of(call)?;
        let keyring = self.keyring(tool, texts)?;
        let context = self.context(tool, call).await?;
        let beside = TaskDispatchExtras { context, callback: self.callback(task) };
        let key = keyring.keys.first().ok_or_else(|| response_outcome::unsent_failure(texts))?;
        let request = tool
            .dispatch_request(call, task, beside, key)
            .ok_or_else(|| response_outcome::unsent_failure(texts))?;
        let sent = self.egress.send_once(request).await;
        let given = DispatchedTask {
            tool,
            task,
            called_back: self.public_url.is_some(),
            scrubber: &keyring.scrubber,
            texts,
        };
        Ok(given.outcome(sent))
    }

    async fn find(&self, tool: &TaskTool, call: &CallRequest) -> Option<CallOutcome> {
        let texts = texts(call);
        let task = task_of(call).ok()?;
        let keyring = self.keyring(tool, texts).ok()?;
        let id = format!("{}.q{}", task.as_str(), call.attempt);
        let key = keyring.keys.first()?;
        let request = tool.task_request(Method::GET, id, task, None, key, call.now)?;
        let sent = self.egress.send_once(request).await;
        let given = DispatchedTask {
            tool,
            task,
            called_back: self.public_url.is_some(),
            scrubber: &keyring.scrubber,
            texts,
        };
        Some(given.probe_outcome(sent))
    }

    fn keyring(&self, tool: &TaskTool, texts: &LocalizedTexts) -> Result<TaskKeyring, CallFailure> {
        tool.keyring(self.secrets.as_ref()).map_err(|why| {
            let why = match why {
                SigningError::Secret(error) => secret::secret_error_message(&error, texts),
                SigningError::NoKey => say!(texts, "tools-notify-key"),
            };
            failure("NOT_CONFIGURED", say!(texts, "tools-task-unsigned", why = why))
        })
    }

    /// The user context to send with a task, if any. A source without an answer prevents the dispatch: without the
    /// context the server would do a different task.
    async fn context(&self, tool: &TaskTool, call: &CallRequest) -> Result<Option<UserContext>, CallFailure> {
        if !tool.config.sends_context() || self.contexts.is_empty() {
            return Ok(None);
        }
        let of = UserContextQuery {
            workspace: call.workspace.clone(),
            session: call.session.clone(),
            person: call.acts_as.clone(),
        };
        let mut all = UserContext::NONE;
        for source in &self.contexts {
            let known = source.read(&of, call.locale.language).await;
            let known = known.map_err(|no_context| CallFailure {
                retryable: true,
                ..failure("CONTEXT_UNAVAILABLE", say!(texts(call), "context-unknown", why = no_context.0))
            })?;
            all = all.merge(&known);
        }
        Ok(Some(all))
    }

    fn describe_of(&self, tool: &TaskTool, call: &CallRequest) -> ActionDescription {
        let texts = texts(call);
        let host = host_of(tool.url());
        let mut warnings = vec![say!(texts, "tools-http-warn-egress", host = &host)];
        if tool.config.sends_context() && !self.contexts.is_empty() {
            warnings.push(say!(texts, "tools-task-warn-context"));
        }
        if tool.url().scheme() == "http" {
            warnings.push(say!(texts, "tools-http-warn-plain"));
        }
        let plain = |value: &JsonValue| value.as_text().map_or_else(|| value.to_json(), str::to_owned);
        let field = |(name, value): &(String, JsonValue)| (one_line(name), one_line(&plain(value)));
        let after = call.command.arguments.as_object().unwrap_or_default().iter().map(field).collect();
        let says = say!(texts, "tools-task-give", task = tool.config.task_type(), url = &tool.config.url);
        let says = match tool.card() {
            Some(card) => card.fill(&call.command.arguments, texts),
            None => one_line(&says),
        };
        ActionDescription { says, before: Vec::new(), after, warnings }
    }
}

/// The task that belongs to a call.
fn task_of(call: &CallRequest) -> Result<&TaskId, CallFailure> {
    // A call requested before its command became a task has none.
    call.task.as_ref().ok_or_else(|| failure("NOT_CALLED", say!(texts(call), "tools-task-again")))
}

#[async_trait]
impl CommandExecutor for TaskServerExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.tasks.values().map(TaskTool::spec).collect()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let Some(tool) = self.tasks.get(&request.command.name) else {
            return CallOutcome::Failed(unknown_command(&request));
        };
        self.dispatch_task(tool, &request).await.unwrap_or_else(CallOutcome::Failed)
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        let lost = CallOutcome::Lost { found_by_start: None, lands_by: None };
        let Some(tool) = self.tasks.get(&request.command.name) else { return lost };
        self.find(tool, &request).await.unwrap_or(lost)
    }

    fn gateway(&self) -> Option<Arc<dyn TaskGateway>> {
        Some(Arc::new(self.clone()))
    }

    async fn precheck(&self, request: CallRequest) -> Option<CallFailure> {
        let tool = self.tasks.get(&request.command.name)?;
        let error = self.egress.lasting_refusal(tool.url().as_str()).await?;
        Some(failure("NOT_CALLED", error.message(texts(&request))))
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let tool = self.tasks.get(&request.command.name);
        Ok(tool.map(|tool| self.describe_of(tool, &request)).unwrap_or_default())
    }
}
