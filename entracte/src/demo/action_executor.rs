//! The executor of the story's actions. In the process that is killed, it carries out the effect and then never answers:
//! the worst moment for a kill, because the effect has happened but is not recorded.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, CommandExecutor, CommandSpec,
    ResourceReader, StoreError,
};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;
use entracte_domain::time::Millis;

/// How long an action may take. The process that goes on waits for as long before it tries a lost one again.
pub(super) const ACTION_TIMEOUT: Millis = Millis::seconds(2);

/// Wraps an executor, for a story: its actions have a short time limit.
pub(super) struct DemoActionExecutor {
    pub(super) inner: Arc<dyn CommandExecutor>,
    /// Whether actions hang after their effect.
    pub(super) hangs: bool,
}

#[async_trait]
impl CommandExecutor for DemoActionExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let mut specs = self.inner.commands();
        for spec in specs.iter_mut().filter(|spec| spec.kind == CommandKind::Action) {
            spec.timeout = Some(ACTION_TIMEOUT);
        }
        specs
    }

    fn schemas_are_tested(&self) -> bool {
        self.inner.schemas_are_tested()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let name = request.command.name.clone();
        let outcome = self.inner.run(request).await;
        let is_action =
            self.inner.commands().iter().any(|spec| spec.name == name && spec.kind == CommandKind::Action);
        if is_action && self.hangs {
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
