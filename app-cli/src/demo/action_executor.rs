//! An executor that carries out its effect and then never answers: the worst moment for a kill, because the effect
//! has happened but is not recorded.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, CommandExecutor, CommandSpec,
    ResourceReader, StoreError,
};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;

/// Wraps an executor; its actions hang after their effect.
pub(super) struct HangingActionExecutor {
    pub(super) inner: Arc<dyn CommandExecutor>,
}

#[async_trait]
impl CommandExecutor for HangingActionExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.inner.commands()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let name = request.command.name.clone();
        let outcome = self.inner.run(request).await;
        let is_action =
            self.inner.commands().iter().any(|spec| spec.name == name && spec.kind == CommandKind::Action);
        if is_action {
            std::future::pending::<()>().await;
        }
        outcome
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        self.inner.probe_outcome(request).await
    }

    async fn plan(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        self.inner.plan(request, rows).await
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        self.inner.describe(request, rows).await
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionTarget, StoreError> {
        self.inner.target(request, rows).await
    }
}
