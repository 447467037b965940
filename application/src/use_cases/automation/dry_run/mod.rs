//! Dry run of an automation: simulates one run without side effects, and shows its prompt, commands and approvals.

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
use crate::texts::{LocalizedTexts, ReaderLanguage, say, saying};
use crate::use_cases::{ReadLog, UseCaseError};

pub use self::report::{
    DryRunCall, DryRunCommand, DryRunFinding, DryRunReport, DryRunRequest, DryRunScriptSource,
};

/// The ports a dry run reads the current workspace through.
#[derive(Clone)]
pub struct DryRunPorts {
    /// The committed rows.
    pub store: Arc<dyn WorkspaceStore>,
    /// The logs of sessions.
    pub log: Arc<dyn LogReader>,
    /// The workspace’s own data.
    pub rows: Arc<dyn ResourceReader>,
    /// The stored automations.
    pub automations: Arc<dyn AutomationReader>,
    /// The catalog of commands.
    pub catalog: Arc<Catalog>,
    /// The providers, for encoding requests; none is sent.
    pub providers: Arc<dyn ProviderRegistry>,
    /// Creates the sandbox of the run.
    pub stages: Arc<dyn DryRunSandboxFactory>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// Creates ids.
    pub ids: Arc<dyn IdGenerator>,
    /// Computes when triggers are due.
    pub calculator: Arc<dyn ScheduleCalculator>,
    /// The limits and policies of runs.
    pub rules: RuleBook,
    /// The settings of the process.
    pub settings: RuntimeSettings,
}

/// The parameters of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DryRunOptions {
    /// The replies of the model: a rehearsal script (TOML). `None` repeats the replies of the latest run.
    pub script: Option<String>,
    /// The event to start the run with, as JSON.
    pub event: Option<String>,
}

use_case! {
    /// Simulates a run of an automation without side effects. It reads the workspace’s current data, settings,
    /// standing approvals and commands. The run itself has a temporary store of its own; its model is the rehearsal;
    /// no action is executed, and no external system is contacted.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut sandboxes = MockDryRunSandboxFactory::new();
    /// sandboxes.expect_create_sandbox().returning(|_| {
    ///     Err(DryRunSandboxError::Script("line 1: this is no TOML".to_owned()))
    /// });
    /// let dry = DryRunAutomation::new(DryRunPorts {
    ///     stages: Arc::new(sandboxes),
    /// #     store: Arc::new(samples::store()),
    /// #     log: Arc::new(samples::empty_log()),
    /// #     rows: Arc::new(MockResourceReader::new()),
    /// #     automations: Arc::new(MockAutomationReader::new()),
    /// #     catalog: samples::catalog().unwrap(),
    /// #     providers: Arc::new(MockProviderRegistry::new()),
    /// #     clock: Arc::new(SystemClock),
    /// #     ids: Arc::new(RandomIdGenerator),
    /// #     calculator: Arc::new(CronScheduleCalculator),
    /// #     rules: RuleBook::default(),
    ///     settings: RuntimeSettings::default(),
    /// });
    /// let plan = DryRunOptions { script: Some("Say hello.".to_owned()), event: None };
    /// let refused = dry.run(&samples::workspace(), &samples::automation(), plan).await;
    /// assert!(matches!(refused, Err(UseCaseError::Invalid(why)) if why.starts_with("line 1")));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Dropping it removes the sandbox and everything in it. The workspace is not touched.
    pub struct DryRunAutomation with (ports: DryRunPorts)
        and (
            /// The language of the report.
            reader: ReaderLanguage = ReaderLanguage::OF_WORKSPACE
        )
}

impl DryRunAutomation {
    /// Words the report in the language of this reader. What the run itself says is in that of the workspace.
    #[must_use]
    pub fn for_reader(self, reader: ReaderLanguage) -> Self {
        Self { reader, ..self }
    }

    /// Simulates one run, for at most `runtime.dry_run_lasts`, and reports the result. A condition that would prevent
    /// a real run is reported as a finding.
    ///
    /// # Errors
    /// When the seed of the automation is missing, the script is invalid, too many dry runs are running, or a database
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
        let texts = body.settings.texts_for(self.reader);
        Ok(report::report(ports, automation, &seed, &body, plays, seen, texts))
    }

    /// The script of the model, and its source.
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

    /// The latest run with a model reply, with its log.
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

    /// The author of the seed, whose rights the runs have.
    async fn author(&self, workspace: &WorkspaceKey, seed: &SessionId) -> Result<String, UseCaseError> {
        let entries = ReadLog::new(self.ports.log.clone()).entries(workspace, seed, 0).await?;
        let author = entries.into_iter().find_map(|entry| match entry.input {
            Input::UserMessageSent(sent) => Some(sent.author),
            _ => None,
        });
        Ok(author.unwrap_or_default())
    }
}

/// The number of past occurrences that are searched for the latest run with a reply.
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
