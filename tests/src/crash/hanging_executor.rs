//! An executor that performs actions and never answers.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::CommandSpec;
use entracte_application::ports::{
    ActionDescription, ActionTarget, CallRequest, CommandExecutor, ResourceReader, StoreError,
};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;

/// Passes calls on, but leaves actions unanswered.
pub(super) struct UnansweringActionExecutor(pub(super) Arc<dyn CommandExecutor>);

#[async_trait]
impl CommandExecutor for UnansweringActionExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.0.commands()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let name = request.command.name.clone();
        let outcome = self.0.run(request).await;
        let is_action = |spec: &CommandSpec| spec.name == name && spec.kind == CommandKind::Action;
        if self.commands().iter().any(is_action) {
            std::future::pending::<()>().await;
        }
        outcome
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        self.0.probe_outcome(request).await
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        self.0.describe(request, rows).await
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionTarget, StoreError> {
        self.0.target(request, rows).await
    }
}
