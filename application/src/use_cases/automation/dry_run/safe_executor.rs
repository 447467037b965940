//! Commands without side effects: the workspace's data is read, and no external system is contacted.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::value::JsonValue;

use crate::commands::{Catalog, CatalogError, ResultsExecutor};
use crate::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, CommandExecutor, CommandSpec,
    LogReader, ResourceModel, ResourceReader, SchemaRequirement, StoreError,
};
use crate::settings::RuntimeSettings;
use crate::system::sha256;
use crate::texts::{LocalizedTexts, say};

/// Wraps the commands of a catalog so that their effects are held back; results are read from this log.
///
/// # Errors
/// When the catalog itself could not be built.
pub(super) fn catalog(
    whole: &Catalog,
    log: Arc<dyn LogReader>,
    settings: &RuntimeSettings,
) -> Result<Catalog, CatalogError> {
    let reads_results = |executor: &Arc<dyn CommandExecutor>| {
        executor.commands().iter().any(|spec| spec.name == ResultsExecutor::NAME)
    };
    let hold = |executor: &Arc<dyn CommandExecutor>| -> Arc<dyn CommandExecutor> {
        if reads_results(executor) {
            Arc::new(ResultsExecutor::new(log.clone(), settings.result_max_chars))
        } else {
            Arc::new(SideEffectFreeExecutor(executor.clone()))
        }
    };
    let executors: Vec<_> = whole.executors().iter().map(hold).collect();
    Catalog::with_bounds(&executors, &settings.bounds)
}

/// Whether a command only reads the workspace’s own data, so that a dry run may execute it.
pub(super) fn may_run(spec: &CommandSpec) -> bool {
    match spec.kind {
        CommandKind::Query => spec.target.is_null() && !spec.may_need_approval(),
        CommandKind::Action => false,
    }
}

/// The command as declared in a dry run. It calls no agent: an agent's session would play its caller's script.
fn without_side_effects(spec: CommandSpec) -> CommandSpec {
    match spec.effect {
        EffectClass::Child => CommandSpec { effect: EffectClass::Once, agent: None, ..spec },
        EffectClass::Read
        | EffectClass::Local
        | EffectClass::Idempotent
        | EffectClass::Probe
        | EffectClass::Once => spec,
    }
}

/// An executor without external effects.
struct SideEffectFreeExecutor(Arc<dyn CommandExecutor>);

impl SideEffectFreeExecutor {
    fn spec(&self, name: &str) -> Option<CommandSpec> {
        self.0.commands().into_iter().find(|spec| spec.name == name)
    }
}

#[async_trait]
impl CommandExecutor for SideEffectFreeExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.0.commands().into_iter().map(without_side_effects).collect()
    }

    fn schemas_are_tested(&self) -> bool {
        self.0.schemas_are_tested()
    }

    fn resource_model(&self) -> Option<Arc<dyn ResourceModel>> {
        self.0.resource_model()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let texts = LocalizedTexts::for_language(request.locale.language);
        match self.spec(&request.command.name) {
            Some(spec) if may_run(&spec) => self.0.run(request).await,
            Some(spec) if spec.kind == CommandKind::Query => CallOutcome::Failed(CallFailure {
                code: "DRY_RUN".into(),
                message: say!(texts, "dry-not-asked"),
                path: None,
                retryable: false,
            }),
            Some(_) | None => {
                let content = say!(texts, "dry-not-done");
                CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content, files: Vec::new() }
            }
        }
    }

    async fn plan(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        let texts = LocalizedTexts::for_language(request.locale.language);
        // A refusal in a real run is a refusal here too.
        self.0.plan(request, rows).await?;
        Ok(ActionPlan { changes: Vec::new(), content: say!(texts, "dry-not-done") })
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

    async fn overwrites(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Vec<(String, JsonValue)>, StoreError> {
        self.0.overwrites(request, rows).await
    }

    async fn schema(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Option<SchemaRequirement>, StoreError> {
        self.0.schema(request, rows).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit;

    #[test]
    fn only_queries_of_own_data_may_run() {
        let outside =
            CommandSpec { target: serde_json::json!({ "url": "https://x.example" }), ..kit::list() };
        let sends = CommandSpec { egress: true, ..kit::list() };
        let specs = [kit::list(), outside, sends, kit::create(), kit::send()];
        assert_eq!(specs.each_ref().map(may_run), [true, false, false, false, false]);
    }

    fn request() -> CallRequest {
        CallRequest {
            workspace: kit::workspace(),
            session: kit::session(),
            call: kit::session().call_id(1, 0),
            command: kit::command(kit::SEND),
            acts_as: None,
            via: Vec::new(),
            key: "key".into(),
            task: None,
            attempt: 1,
            now: kit::NOON,
            reference: kit::NOON,
            locale: crate::settings::WorkspaceSettings::default().locale(),
            naming: crate::command_naming::CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: crate::ports::CallProgressSink::default(),
        }
    }

    #[test]
    fn no_agent_is_called() {
        let agents =
            crate::commands::AgentsExecutor::new([crate::agents::AgentDeclaration::default().with_name("A")]);
        let held = SideEffectFreeExecutor(Arc::new(agents)).commands();
        assert_eq!(held.len(), 2);
        for spec in held {
            assert_eq!((spec.effect, spec.agent.is_none()), (EffectClass::Once, true), "{}", spec.name);
        }
    }

    #[tokio::test]
    async fn nothing_of_an_action_reaches_its_executor() {
        // None of its effectful methods is expected: a call of one would panic.
        let held = SideEffectFreeExecutor(Arc::new(kit::executor(vec![kit::send()])));
        let outcome = held.run(request()).await;
        assert!(matches!(outcome, CallOutcome::Succeeded { content, .. } if content.contains("dry run")));
        let asked = held.probe_outcome(request()).await;
        assert!(matches!(asked, CallOutcome::Lost { .. }));
    }
}
