//! Executes the run of a dry run, from the first commit of its own store to its end.

use std::sync::Arc;

use entracte_domain::automation::{Automation, Trigger};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;

use super::provider::{DryRunProvider, DryRunProviderRegistry};
use super::{DryRunPorts, safe_executor};
use crate::codec::WorkspaceBody;
use crate::commands::CurrentCatalog;
use crate::permissions::lacks_grant;
use crate::ports::{
    DryRunSandbox, NoopObserver, NoopScrubber, ProviderFailure, ProviderRegistry, StoreError,
    WorkspaceCommit, WorkspaceRow,
};
use crate::rule_book::RuleBook;
use crate::runtime::{LocalRuntime, ProviderAccounts, RuntimeServices};
use crate::stream::LiveText;
use crate::use_cases::automation::{AutomationParams, CreateAutomation, RunAutomation, SeedView};
use crate::use_cases::{
    ApprovalChoice, ApprovalSelection, ApprovalView, CallView, DecideApprovals, FollowTurn, ModelCall,
    PendingDecision, ReadCalls, RebuildPrompt, RebuiltPrompt, TurnView, UseCaseError,
};

/// A run to be simulated.
pub(super) struct DryRunSetup<'a> {
    pub(super) ports: &'a DryRunPorts,
    pub(super) workspace: &'a WorkspaceKey,
    pub(super) automation: &'a Automation,
    pub(super) seed: &'a SeedView,
    pub(super) body: &'a WorkspaceBody,
    /// The person whose rights the run has.
    pub(super) author: String,
}

/// The observations of a simulated run.
#[derive(Default)]
pub(super) struct DryRunTrace {
    /// Why no run could be created.
    pub(super) refused: Option<String>,
    /// Why the provider of the automation is unavailable.
    pub(super) provider: Option<ProviderFailure>,
    /// The run at its end; `None` if it was not created.
    pub(super) turn: Option<TurnView>,
    /// The approvals a person would have been asked for, in order.
    pub(super) asked: Vec<ApprovalView>,
    /// The calls of the run.
    pub(super) calls: Vec<CallView>,
    /// The model calls of the run.
    pub(super) requests: Vec<ModelCall>,
    /// The first request, as the real provider would receive it.
    pub(super) first: Option<RebuiltPrompt>,
    /// Whether it did not end within the time limit.
    pub(super) unfinished: bool,
}

/// The author of approvals in a dry run, so that it continues. No person can have this name.
const NOBODY: &str = "(dry run)";

impl DryRunSetup<'_> {
    pub(super) async fn play_run(
        &self,
        stage: &DryRunSandbox,
        event: Option<String>,
    ) -> Result<DryRunTrace, UseCaseError> {
        let ports = self.ports;
        let real = ports.providers.provider(&self.seed.voice.provider);
        let (real, provider) = match real {
            Ok(real) => (Some(real), None),
            Err(failure) => (None, Some(failure)),
        };
        let plays = stage.provider.clone();
        let name = self.seed.voice.provider.clone();
        let providers: Arc<dyn ProviderRegistry> =
            Arc::new(DryRunProviderRegistry(Arc::new(DryRunProvider { real, plays, name })));
        let live = Arc::new(LiveText::default());
        let services = Arc::new(self.services(stage, providers.clone(), live.clone())?);
        let owner = services.acquire_ownership().await.map_err(unusable)?;
        stage.store.commit(self.first_commit(owner.epoch())?).await.map_err(unusable)?;
        let runtime = Arc::new(LocalRuntime::start(services.clone(), owner).await?);
        let mut seen = DryRunTrace { provider, ..DryRunTrace::default() };
        match self.begin(&runtime, event).await {
            Ok(run) => {
                let follow = services.follow().with_live_text(live);
                self.play(&runtime, &run, follow, &mut seen).await?;
                self.look(&services, &run, providers, &mut seen).await?;
            }
            Err(UseCaseError::Invalid(text) | UseCaseError::NotApplicable(text)) => {
                seen.refused = Some(text.into())
            }
            Err(error) => return Err(error),
        }
        Ok(seen)
    }

    /// The services of the sandbox: its own store, and the workspace’s data, which is only read.
    fn services(
        &self,
        stage: &DryRunSandbox,
        providers: Arc<dyn ProviderRegistry>,
        live: Arc<LiveText>,
    ) -> Result<RuntimeServices, UseCaseError> {
        let ports = self.ports;
        let settings = ports.settings.clone();
        let catalog = safe_executor::catalog(&ports.catalog, stage.log.clone(), &settings)
            .map_err(|fault| UseCaseError::Invalid(fault.to_string().into()))?;
        Ok(RuntimeServices {
            store: stage.store.clone(),
            log: stage.log.clone(),
            rows: ports.rows.clone(),
            mail_store: stage.mail_store.clone(),
            automations: stage.automations.clone(),
            tasks: stage.tasks.clone(),
            ownership: stage.ownership.clone(),
            knowledge: None,
            files: None,
            calculator: ports.calculator.clone(),
            providers,
            catalog: CurrentCatalog::new(catalog),
            prompt_parts: Arc::default(),
            accounts: Arc::new(
                ProviderAccounts::new(settings.calls_at_once).with_tree_limit(settings.calls_in_tree),
            ),
            connectivity: None,
            secrets: Arc::new(NoopScrubber),
            // Nothing outside is called in a dry run.
            policy_hook: None,
            policy_queue: Arc::default(),
            clock: ports.clock.clone(),
            ids: ports.ids.clone(),
            feed: live,
            observer: Arc::new(NoopObserver),
            rules: self.rules(),
            settings,
            started_at: ports.clock.now(),
        })
    }

    /// The rules of the workspace, without the delays in which a person may reject the completion.
    fn rules(&self) -> RuleBook {
        let mut rules = self.ports.rules.clone();
        rules.change(|_, rules| {
            rules.completion_delay = Millis(1);
            rules.closing_delay = Millis(1);
        });
        rules
    }

    /// The initial workspace row with its settings and standing approvals only.
    fn first_commit(&self, epoch: u64) -> Result<WorkspaceCommit, UseCaseError> {
        let workspace = WorkspaceRow {
            key: self.workspace.clone(),
            seq: 0,
            body: self.body.encode()?,
            created_at: self.ports.clock.now(),
            epoch,
        };
        Ok(WorkspaceCommit::for_workspace(workspace))
    }

    /// Creates a copy of the automation with its seed, and a run of it.
    async fn begin(
        &self,
        runtime: &Arc<LocalRuntime>,
        event: Option<String>,
    ) -> Result<SessionId, UseCaseError> {
        let (automation, seed, ids) = (self.automation, self.seed, self.ports.ids.clone());
        let mut policies = automation.policies.clone();
        if lacks_grant(automation) {
            // This policy is not granted in the sandbox: a real run would wait, too.
            policies.run.unattended = None;
        }
        let plan = AutomationParams {
            name: automation.name.clone(),
            trigger: Trigger::Manual,
            policies,
            enabled: false,
            message: seed.message.clone(),
            voice: seed.voice.clone(),
            require_validation: seed.require_validation,
            restriction: seed.restriction.clone(),
        };
        let create = CreateAutomation::new(runtime.clone(), ids.clone());
        let copy = create.run(self.workspace, self.author.clone(), plan).await?;
        let run = RunAutomation::new(runtime.clone(), ids);
        Ok(run.run(self.workspace, self.author.clone(), &copy, event).await?.session)
    }

    /// Drives the run to its end; needed approvals are recorded and given.
    async fn play(
        &self,
        runtime: &Arc<LocalRuntime>,
        run: &SessionId,
        follow: FollowTurn,
        seen: &mut DryRunTrace,
    ) -> Result<(), UseCaseError> {
        let services = runtime.services();
        let to_the_end = async {
            loop {
                let turn = follow.run_until_idle(self.workspace, run, 0).await?;
                let Some(PendingDecision::Validation(asked)) = turn.waiting else {
                    return Ok::<_, UseCaseError>(());
                };
                let shown: Vec<ApprovalSelection> =
                    asked.iter().map(ApprovalSelection::from_approval).collect();
                seen.asked.extend(asked);
                let answer = DecideApprovals::new(runtime.clone(), services.store.clone());
                let yes = answer.run_for_selection(
                    self.workspace,
                    run,
                    NOBODY.to_owned(),
                    &shown,
                    &ApprovalChoice::Approve,
                );
                match yes.await {
                    Ok(_) => {}
                    // The data on the card changed meanwhile: the new card is used.
                    Err(UseCaseError::Conflict(_)) => follow.wait_for_change().await,
                    Err(error) => return Err(error),
                }
            }
        };
        let unfinished = tokio::select! {
            biased;
            ended = to_the_end => { ended?; false }
            () = services.clock.sleep(services.settings.dry_run_lasts) => true,
        };
        seen.unfinished = unfinished;
        seen.turn = Some(follow.view(self.workspace, run, 0).await?);
        Ok(())
    }

    /// Reads the results from the sandbox's store.
    async fn look(
        &self,
        services: &RuntimeServices,
        run: &SessionId,
        providers: Arc<dyn ProviderRegistry>,
        seen: &mut DryRunTrace,
    ) -> Result<(), UseCaseError> {
        let (store, log) = (services.store.clone(), services.log.clone());
        seen.calls = ReadCalls::new(store.clone(), log.clone()).run(self.workspace, run).await?;
        let prompts = RebuildPrompt::new(store, log, providers, services.settings.clone());
        seen.requests = prompts.calls(self.workspace, run).await?;
        if let Some(first) = seen.requests.first() {
            seen.first = Some(prompts.run(self.workspace, first.id.as_str()).await?);
        }
        Ok(())
    }
}

/// Whether a provider is unavailable because of its configuration.
pub(super) fn is_misconfigured(failure: &ProviderFailure) -> bool {
    failure.class == FailureClass::Misconfigured
}

/// The error when the sandbox's store cannot be used.
fn unusable(why: impl std::error::Error) -> UseCaseError {
    UseCaseError::Store(StoreError::Unavailable(why.to_string().into()))
}
