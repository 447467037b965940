//! The services of a process of the story: a database and a journal file in one folder, a rehearsal provider.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use entracte_adapters_commands::{JournalFileExecutor, ResourcesExecutor};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::commands::{Catalog, CurrentCatalog};
use entracte_application::ports::{
    Clock, CommandExecutor, NoopObserver, NoopScrubber, Provider, ProviderFailure, ProviderRegistry,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RuntimeServices;
use entracte_application::settings::RuntimeSettings;
use entracte_application::stream::LiveText;
use entracte_application::system::{CronScheduleCalculator, RandomIdGenerator, SystemClock};
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;

use super::action_executor::DemoActionExecutor;
use super::story::script;
use crate::error::{CliError, CliExitCode};

/// The files of the story.
pub(super) struct DemoFiles {
    folder: PathBuf,
}

impl DemoFiles {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The external file that the story writes to.
    pub(super) fn outside(&self) -> PathBuf {
        self.folder.join("outside.jsonl")
    }

    pub(super) fn open(&self) -> Result<Database, CliError> {
        let path = self.folder.join("entracte.db");
        Database::open(&path.to_string_lossy(), DatabaseOptions::default()).map_err(CliError::from)
    }
}

/// How often a process of the story looks for a decision of the other one.
pub(super) const MAIL_POLL: Millis = Millis(50);

/// The workspace of the story.
pub(super) fn workspace() -> WorkspaceKey {
    WorkspaceKey::new("demo:story")
}

/// The session of the story.
pub(super) fn session() -> SessionId {
    SessionId::new("ses_demo")
}

/// The services of a process. With `hang` its external actions never answer.
pub(super) fn services(
    files: &DemoFiles,
    database: &Database,
    hang: bool,
    texts: &LocalizedTexts,
) -> Result<Arc<RuntimeServices>, CliError> {
    let clock = Arc::new(SystemClock);
    let failure = |text: String| CliError::new(CliExitCode::Failure, text);
    let rehearsal = RehearsalProvider::from_script(&script(texts), clock.clone())
        .map_err(|error| failure(format!("the story cannot be read: {error}")))?;
    let journal: Arc<dyn CommandExecutor> = Arc::new(JournalFileExecutor::new(files.outside(), true));
    let outside = Arc::new(DemoActionExecutor { inner: journal, hangs: hang });
    let resources = Arc::new(ResourcesExecutor::new(database.resource_reader()));
    let catalog = Catalog::new(&[resources, outside]).map_err(|error| failure(error.to_string()))?;
    let started_at = clock.now();
    Ok(Arc::new(RuntimeServices {
        store: database.store(),
        log: database.log_reader(),
        rows: database.resource_reader(),
        mail_store: database.mail_store(),
        automations: database.automation_reader(),
        tasks: database.task_reader(),
        ownership: database.ownership(),
        knowledge: None,
        files: None,
        calculator: Arc::new(CronScheduleCalculator),
        prompt_parts: Arc::default(),
        accounts: Arc::default(),
        connectivity: None,
        secrets: Arc::new(NoopScrubber),
        policy_hook: None,
        policy_queue: Arc::default(),
        providers: Arc::new(SingleProviderRegistry(Arc::new(rehearsal))),
        catalog: CurrentCatalog::new(catalog),
        clock,
        ids: Arc::new(RandomIdGenerator),
        feed: Arc::new(LiveText::default()),
        observer: Arc::new(NoopObserver),
        rules: RuleBook::default(),
        settings: RuntimeSettings { mail_poll: MAIL_POLL, ..RuntimeSettings::default() },
        started_at,
    }))
}

struct SingleProviderRegistry(Arc<dyn Provider>);

impl ProviderRegistry for SingleProviderRegistry {
    fn provider(&self, _name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        Ok(self.0.clone())
    }

    fn names(&self) -> Vec<String> {
        vec!["rehearsal".into()]
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;
    use crate::demo::action_executor::ACTION_TIMEOUT;
    use crate::demo::story::WORD_DELAY;

    /// Input: the story in each language; expected: its pauses, of the model's words, of the lost action and of a decision
    /// on its way to the other process, leave a second of four for the work.
    #[test]
    fn pauses_of_the_story_are_short() {
        for language in [Language::En, Language::Fr] {
            let script = script(LocalizedTexts::for_language(language));
            let words = i64::try_from(script.split_whitespace().count()).unwrap();
            let pauses = WORD_DELAY.0 * words + ACTION_TIMEOUT.0 + MAIL_POLL.0;
            assert!(pauses <= 3_000, "{language:?}: {pauses} ms");
        }
    }
}
