//! A dry run: what a run of an automation would be asked, may use and has to ask for, played once where it changes nothing.

mod provider;
mod recorded_script;
mod report;
mod runner;
mod safe_executor;

use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Input;

use self::runner::DryRunSetup;
use super::show::seed_of;
use super::{ReadAutomationHistory, SeedView};
use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::journal::JournalEntry;
use crate::ports::{
    AutomationReader, Clock, DryRunSandboxError, DryRunSandboxFactory, DryRunScript, IdGenerator, LogReader,
    ProviderRegistry, ResourceReader, ScheduleCalculator, StoreError, StoreOutage, WorkspaceStore,
};
use crate::rule_book::RuleBook;
use crate::settings::RuntimeSettings;
use crate::texts::{LocalizedTexts, say, saying};
use crate::use_cases::{ReadLog, UseCaseError};

pub use self::report::{
    DryRunCall, DryRunCommand, DryRunFinding, DryRunReport, DryRunRequest, DryRunScriptSource,
};

/// What a dry run reads: the workspace as it is.
#[derive(Clone)]
pub struct DryRunPorts {
    /// What was committed.
    pub store: Arc<dyn WorkspaceStore>,
    /// Logs.
    pub log: Arc<dyn LogReader>,
    /// The workspace’s data.
    pub rows: Arc<dyn ResourceReader>,
    /// The automations.
    pub automations: Arc<dyn AutomationReader>,
    /// The commands.
    pub catalog: Arc<Catalog>,
    /// The providers, to write requests; none is sent.
    pub providers: Arc<dyn ProviderRegistry>,
    /// Where it is played.
    pub stages: Arc<dyn DryRunSandboxFactory>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids.
    pub ids: Arc<dyn IdGenerator>,
    /// When triggers are due.
    pub calculator: Arc<dyn ScheduleCalculator>,
    /// Limits and policies of runs.
    pub rules: RuleBook,
    /// Settings of the process.
    pub settings: RuntimeSettings,
}

/// How a dry run is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DryRunOptions {
    /// What the model says: a script of the rehearsal (TOML). None: what it said in the latest run.
    pub script: Option<String>,
    /// An event to report with it, as JSON.
    pub event: Option<String>,
}

use_case! {
    /// Plays a run of an automation where it changes nothing. The workspace’s data, settings, standing approvals and commands are
    /// those of now, and are only read. The run itself has a store of its own, which is gone afterwards; its model is the
    /// rehearsal; no action is carried out, and nothing outside is asked.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut stages = MockDryRunSandboxFactory::new();
    /// stages.expect_set().returning(|_| Err(NoDryStage::Script("line 1: this is no TOML".to_owned())));
    /// let dry = DryRunAutomation::new(DryPorts {
    ///     stages: Arc::new(stages),
    /// #     store: Arc::new(samples::store()),
    /// #     log: Arc::new(samples::empty_log()),
    /// #     rows: Arc::new(MockResourceReader::new()),
    /// #     automations: Arc::new(MockAutomationReader::new()),
    /// #     catalog: samples::catalog().unwrap(),
    /// #     providers: Arc::new(MockProviderRegistry::new()),
    /// #     clock: Arc::new(SystemClock),
    /// #     ids: Arc::new(RandomIds),
    /// #     calculator: Arc::new(CronCalculator),
    /// #     rules: RuleBook::default(),
    ///     settings: RuntimeSettings::default(),
    /// });
    /// let plan = DryPlan { script: Some("Say hello.".to_owned()), event: None };
    /// let refused = dry.run(&samples::workspace(), &samples::automation(), plan).await;
    /// assert!(matches!(refused, Err(UseCaseError::Invalid(why)) if why.starts_with("line 1")));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// To drop it takes the stage down, with all that was played on it. Nothing of the workspace is touched.
    pub struct DryRunAutomation with (ports: DryRunPorts)
}

impl DryRunAutomation {
    /// Plays one run, for at most `runtime.dry_run_lasts`, and tells what came of it. What would keep a real run from being made
    /// is told too, as a finding.
    ///
    /// # Errors
    /// When the seed of the automation is gone, the script cannot be played, too many dry runs are under way, or a database
    /// cannot be used.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        automation: &Automation,
        plan: DryRunOptions,
    ) -> Result<DryRunReport, UseCaseError> {
        let ports = &self.ports;
        let body = WorkspaceBody::load(&*ports.store, workspace).await?;
        let texts = LocalizedTexts::for_language(body.settings.language);
        let seed = seed_of(&ports.store, &ports.log, workspace, automation).await?;
        let (play, plays) = self.play(workspace, automation, &seed, plan.script, texts).await?;
        let stage = ports.stages.create_sandbox(play).await.map_err(sandbox_error)?;
        let author = self.author(workspace, &automation.seed).await?;
        let played = DryRunSetup { ports, workspace, automation, seed: &seed, body: &body, author };
        let seen = played.play_run(&stage, plan.event).await?;
        Ok(report::report(ports, automation, &seed, &body, plays, seen))
    }

    /// What its model says, and where that comes from.
    async fn play(
        &self,
        workspace: &WorkspaceKey,
        automation: &Automation,
        seed: &SeedView,
        script: Option<String>,
        texts: &LocalizedTexts,
    ) -> Result<(DryRunScript, DryRunScriptSource), UseCaseError> {
        if let Some(script) = script {
            return Ok((DryRunScript::Script(script), DryRunScriptSource::Script));
        }
        let last = self.last_run(workspace, automation).await?;
        let (entries, plays) = match last {
            Some((session, entries)) => (entries, DryRunScriptSource::LastRun(session)),
            None => (Vec::new(), DryRunScriptSource::Nothing),
        };
        let done = say!(texts, "dry-done");
        Ok((DryRunScript::Turns(recorded_script::turns(&entries, seed.voice.dialect, &done)), plays))
    }

    /// The latest run that a model answered, with its log.
    async fn last_run(
        &self,
        workspace: &WorkspaceKey,
        automation: &Automation,
    ) -> Result<Option<(SessionId, Vec<JournalEntry>)>, UseCaseError> {
        let history = ReadAutomationHistory::new(self.ports.store.clone(), self.ports.automations.clone());
        let past = history.run(workspace, &automation.id, None, LOOKED_AT).await?;
        for run in past.into_iter().filter_map(|past| past.run) {
            let session = run.facts.id;
            let entries = ReadLog::new(self.ports.log.clone()).entries(workspace, &session, 0).await?;
            if entries.iter().any(|entry| matches!(entry.input, Input::AiResponseReceived(_))) {
                return Ok(Some((session, entries)));
            }
        }
        Ok(None)
    }

    /// Who wrote what the runs begin with: whose rights they have.
    async fn author(&self, workspace: &WorkspaceKey, seed: &SessionId) -> Result<String, UseCaseError> {
        let entries = ReadLog::new(self.ports.log.clone()).entries(workspace, seed, 0).await?;
        let author = entries.into_iter().find_map(|entry| match entry.input {
            Input::UserMessageSent(sent) => Some(sent.author),
            _ => None,
        });
        Ok(author.unwrap_or_default())
    }
}

/// Past occurrences among which the latest run with an answer is looked for.
const LOOKED_AT: u32 = 20;

fn sandbox_error(why: DryRunSandboxError) -> UseCaseError {
    match why {
        DryRunSandboxError::Script(text) => UseCaseError::Invalid(text.into()),
        DryRunSandboxError::Busy(count) => UseCaseError::Conflict(saying!("dry-busy", count = count).into()),
        DryRunSandboxError::Unavailable(text) => {
            UseCaseError::Store(StoreError::Unavailable(StoreOutage::from(text)))
        }
    }
}
