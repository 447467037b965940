//! Commands that are one HTTP request each, declared in the configuration.
//!
//! A declaration says where the request goes, what it contains, what it does, and what may be done when its outcome
//! is unknown. Every request goes through [`EgressClient`], so a host that is not public must be allowed by name. The
//! arguments of a model fill variables in the path, the query and the body; they never change the host. Secrets are
//! read when they are sent, and never appear in an answer or an error.

mod answer_file;
mod config;
mod config_check;
mod request_secrets;
mod response_outcome;
#[cfg(test)]
mod tests;
mod tool;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, EmptyPersonSecretStore, PersonSecretStore,
    ResourceReader, SecretStore, StoreError,
};
use entracte_application::texts::saying;
use entracte_domain::call::{CallFailure, CallOutcome};

pub use self::config::{HttpBody, HttpMethod, HttpProbeConfig, HttpToolConfig, HttpToolEffect, HttpToolKind};
pub use self::config_check::HttpToolFault;

use self::answer_file::AnswerFile;
use self::request_secrets::{RequestSecretSource, RequestSecrets};
use self::tool::HttpTool;
use crate::call_outcome::{failure, texts, unknown_command};
use crate::egress::{EgressClient, EgressError, EgressResponse};
use crate::result_files::{ResultFiles, StoredResultFiles};
use crate::secret::DeclaredSecrets;

/// Runs the declared HTTP tools.
pub struct HttpToolExecutor {
    tools: BTreeMap<String, HttpTool>,
    egress: Arc<EgressClient>,
    secrets: Arc<dyn SecretStore>,
    people: Arc<dyn PersonSecretStore>,
    declared: Arc<DeclaredSecrets>,
    files: Option<ResultFiles>,
}

impl HttpToolExecutor {
    /// An executor of these tools.
    ///
    /// # Errors
    /// The first fault of a declaration, or a duplicate name.
    pub fn new(
        configs: Vec<HttpToolConfig>,
        egress: Arc<EgressClient>,
        secrets: Arc<dyn SecretStore>,
    ) -> Result<Self, HttpToolFault> {
        let mut tools = BTreeMap::new();
        for config in configs {
            let twice = config.fault("name", saying!("fault-twice"), saying!("fault-rename-one"));
            if tools.insert(config.name.clone(), HttpTool::new(config)?).is_some() {
                return Err(twice);
            }
        }
        let declared = Arc::new(DeclaredSecrets::none());
        let people = Arc::new(EmptyPersonSecretStore);
        Ok(Self { tools, egress, secrets, people, declared, files: None })
    }

    /// Stores the images and PDFs of answers, so that a model sees them.
    #[must_use]
    pub fn with_files(self, files: Option<ResultFiles>) -> Self {
        Self { files, ..self }
    }

    /// Adds the secrets that people store for themselves.
    #[must_use]
    pub fn with_people(self, people: Arc<dyn PersonSecretStore>) -> Self {
        Self { people, ..self }
    }

    /// Limits secrets to the hosts they are declared for.
    #[must_use]
    pub fn with_declared(self, declared: Arc<DeclaredSecrets>) -> Self {
        Self { declared, ..self }
    }

    /// The file that an answer is, stored; none without a store.
    async fn stored_answer(
        &self,
        tool: &HttpTool,
        sent: &Result<EgressResponse, EgressError>,
        secrets: &RequestSecrets,
        request: &CallRequest,
    ) -> StoredResultFiles {
        let (Some(files), Ok(answer)) = (&self.files, sent) else { return StoredResultFiles::default() };
        match AnswerFile::from_answer(tool, answer, secrets) {
            Some(file) => files.store_all(&[file], request).await,
            None => StoredResultFiles::default(),
        }
    }

    fn vault(&self) -> RequestSecretSource<'_> {
        RequestSecretSource {
            store: self.secrets.as_ref(),
            people: self.people.as_ref(),
            declared: &self.declared,
        }
    }
}

#[async_trait]
impl CommandExecutor for HttpToolExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.tools.values().map(HttpTool::spec).collect()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let Some(tool) = self.tools.get(&request.command.name) else {
            return CallOutcome::Failed(unknown_command(&request));
        };
        match tool.request(&request, self.vault()) {
            Err(failure) => CallOutcome::Failed(failure),
            Ok((sent, secrets)) => {
                let mut answer = self.egress.send(sent.clone()).await;
                if let Some(wait) = response_outcome::resend_wait(tool, &answer) {
                    tokio::time::sleep(wait).await;
                    answer = self.egress.send(sent).await;
                }
                let brought = self.stored_answer(tool, &answer, &secrets, &request).await;
                response_outcome::outcome(tool, answer, brought, &secrets, texts(&request))
            }
        }
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        let lost = CallOutcome::Lost { found_by_start: None, lands_by: None };
        let Some(tool) = self.tools.get(&request.command.name) else { return lost };
        match tool.probe_request(&request, self.vault()) {
            Err(_) => lost,
            Ok((sent, secrets)) => {
                response_outcome::probe_outcome(tool, self.egress.send(sent).await, &secrets, &request)
            }
        }
    }

    async fn precheck(&self, request: CallRequest) -> Option<CallFailure> {
        let tool = self.tools.get(&request.command.name)?;
        let url = tool.url_of(&request).ok()?;
        let error = self.egress.lasting_refusal(&url).await?;
        Some(failure("NOT_CALLED", error.message(texts(&request))))
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let tool = self.tools.get(&request.command.name);
        Ok(tool.map(|tool| tool.describe(&request, self.vault())).unwrap_or_default())
    }
}
