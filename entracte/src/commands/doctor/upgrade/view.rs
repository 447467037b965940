//! A program's view of the open sessions: plain data, printed by one program and read by another. Fields are only
//! added, never removed; fields that one of the two does not know are not compared.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use entracte_adapters_db::Database;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::commands::{Catalog, CatalogEntry};
use entracte_application::ports::{Clock, SecretError, SecretReference, SecretStore};
use entracte_application::system::SystemClock;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{
    ApprovalView, ForecastSessions, SessionDefect, SessionForecast, SessionForecastDetails, settings_of,
};
use entracte_domain::session::{Effect, SessionRules};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::command_context::CommandContext;
use crate::config::{AppSettings, DatabaseSource, LayerProviderEntry, limits};
use crate::error::{CliError, CliExitCode};
use crate::knowledge_services::KnowledgeServices;
use crate::program_stores::ProgramStores;
use crate::render::time::iso;
use crate::tools::ExecutorSet;
use crate::user_text::message;

/// The file name of the copy, which no database of a person has.
pub(super) const COPY: &str = "upgrade-copy.db";

/// The schema name in JSON.
pub(super) const SCHEMA: &str = "entracte.upgrade_view/1";

/// The view of a program without its sessions, which follow in the member `sessions`.
#[derive(Debug, Default, Serialize)]
pub(super) struct UpgradeViewHead {
    pub(super) schema: String,
    /// The version of the program.
    pub(super) version: String,
    /// All commands, with the versions of their declarations.
    pub(super) commands: BTreeMap<String, String>,
}

/// An open session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct UpgradeSessionView {
    pub(super) id: String,
    #[serde(default)]
    pub(super) unreadable: Option<String>,
    #[serde(default)]
    pub(super) phase: String,
    /// The work it wants done now, and its next wake-up.
    #[serde(default)]
    pub(super) next: Vec<String>,
    #[serde(default)]
    pub(super) approvals: Vec<UpgradeApprovalView>,
    #[serde(default)]
    pub(super) faults: Vec<UpgradeSessionFault>,
    #[serde(default)]
    pub(super) policy: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) model: String,
    /// The model configured for its provider.
    #[serde(default)]
    pub(super) offered: Option<String>,
    /// The kind and address of its provider.
    #[serde(default)]
    pub(super) provider: Option<String>,
    #[serde(default)]
    pub(super) replays: bool,
}

/// An open approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UpgradeApprovalView {
    pub(super) id: String,
    pub(super) command: String,
    /// Whether a decision first gets a new card.
    #[serde(default)]
    pub(super) changed: bool,
    /// The levels that require it.
    #[serde(default)]
    pub(super) levels: Vec<String>,
}

/// A fault of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UpgradeSessionFault {
    pub(super) kind: String,
    /// The affected command, pattern or provider.
    #[serde(default)]
    pub(super) of: String,
    #[serde(default)]
    pub(super) why: String,
}

/// Prints the view of this program, with this configuration, of the copy in `folder`.
pub(crate) async fn print(context: &CommandContext, folder: &Path) -> Result<CliExitCode, CliError> {
    if !folder.join(COPY).is_file() {
        let text = message!("upgrade-no-copy", folder = folder.display().to_string());
        return Err(CliError::new(CliExitCode::NotFound, text));
    }
    let view = UpgradeViewSource::open(&context.settings, folder)?;
    context.out.write_data_fragment(&begin_view(&view.head()))?;
    let mut is_first = true;
    view.read_sessions(|session| {
        let comma = if std::mem::take(&mut is_first) { "" } else { "," };
        // Texts, numbers and lists of them, so JSON can represent everything.
        let text = serde_json::to_string(&session).unwrap_or_default();
        context.out.write_data_fragment(&format!("{comma}{text}"))
    })
    .await?;
    context.out.write_data_line(VIEW_END)?;
    Ok(CliExitCode::Done)
}

/// The text of a view before its sessions.
pub(super) fn begin_view(head: &UpgradeViewHead) -> String {
    // Texts only, so JSON can represent everything.
    let mut text = serde_json::to_string(head).unwrap_or_default();
    text.pop();
    text.push_str(",\"sessions\":[");
    text
}

/// The text of a view after its sessions.
pub(super) const VIEW_END: &str = "]}";

/// The copy in a folder, as this program with a configuration sees it. Reads no secret and starts no program, whatever the
/// configuration names.
pub(super) struct UpgradeViewSource {
    settings: AppSettings,
    database: Database,
    catalog: Arc<Catalog>,
    look: ForecastSessions,
}

impl UpgradeViewSource {
    /// Opens the copy in `folder`.
    pub(super) fn open(settings: &AppSettings, folder: &Path) -> Result<Self, CliError> {
        let mut settings = settings.clone();
        settings.database = DatabaseSource::Given(folder.join(COPY).display().to_string());
        settings.data = folder.to_owned();
        let location = settings.database.location(&EmptySecretStore)?;
        let database = Database::open_at(location, settings.database_options.clone())?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let stores = ProgramStores::of(&database);
        let knowledge = KnowledgeServices::new(&settings, &stores, &clock);
        let tools = ExecutorSet::new(&settings, &stores, knowledge.executor(), knowledge.images.clone())?;
        let catalog = tools.catalog()?;
        let entries =
            settings.providers.iter().map(|entry| (entry.name.clone(), entry.config.clone())).collect();
        let look = ForecastSessions::new(
            database.store(),
            database.log_reader(),
            database.resource_reader(),
            catalog.clone(),
            Arc::new(ConfigProviderRegistry::new(
                entries,
                Arc::new(EmptySecretStore),
                Arc::new(SystemClock),
                settings.parts.crypto(),
            )),
            clock,
        );
        Ok(Self { settings, database, catalog, look })
    }

    /// The texts of the reader.
    pub(super) async fn texts(&self) -> &'static LocalizedTexts {
        let (store, workspace) = (self.database.store(), &self.settings.workspace);
        let language = settings_of(&*store, workspace).await.map(|settings| settings.language);
        self.settings.reader.texts(language.unwrap_or_default())
    }

    /// The view without its sessions.
    pub(super) fn head(&self) -> UpgradeViewHead {
        let version = |known: &Arc<CatalogEntry>| (known.spec.name.clone(), known.version.to_string());
        UpgradeViewHead {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commands: self.catalog.entries().map(version).collect(),
        }
    }

    /// Gives each open session to `take`, one after the other.
    pub(super) async fn read_sessions(
        &self,
        mut take: impl FnMut(UpgradeSessionView) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        self.look.run(&self.settings.rules, |sight| take(session(&self.settings, &sight))).await
    }
}

fn session(settings: &AppSettings, sight: &SessionForecast) -> UpgradeSessionView {
    let id = sight.session.to_string();
    match &sight.stand {
        Ok(stand) => UpgradeSessionView { id, ..standing(settings, stand) },
        Err(why) => UpgradeSessionView { id, unreadable: Some(why.clone()), ..UpgradeSessionView::default() },
    }
}

fn standing(settings: &AppSettings, stand: &SessionForecastDetails) -> UpgradeSessionView {
    let facts = &stand.view.facts;
    let entry = settings.providers.iter().find(|entry| entry.name == facts.provider);
    UpgradeSessionView {
        id: String::new(),
        unreadable: None,
        phase: stand.view.phase.label().word().to_owned(),
        next: next(stand),
        approvals: stand.approvals.iter().map(approval).collect(),
        faults: stand.ailments.iter().map(fault).collect(),
        policy: policy(settings, &stand.rules),
        model: facts.model.clone(),
        offered: entry.and_then(|entry| entry.config.model.clone()),
        provider: entry.map(address),
        replays: stand.replays,
    }
}

fn address(entry: &LayerProviderEntry) -> String {
    let base = entry.config.base_url.as_deref().or(entry.config.script.as_deref()).unwrap_or_default();
    format!("{} {base}", entry.config.kind.word()).trim_end().to_owned()
}

fn next(stand: &SessionForecastDetails) -> Vec<String> {
    let mut next: Vec<String> = stand.next.iter().map(effect).collect();
    next.extend(stand.woken.map(|(at, why)| format!("{} {}", why.word(), iso(at))));
    next
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::CallModel { round, closing, words_only, .. } => {
            let marks = [(*closing, " closing"), (*words_only, " words_only")];
            let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
            format!("call_model {round}{marks}")
        }
        Effect::RunCall { call, .. } => format!("run_call {call}"),
        Effect::AskCall { call, .. } => format!("ask_call {call}"),
        Effect::AskPolicy { call, .. } => format!("ask_policy {call}"),
        Effect::PlanCall { call } => format!("plan_call {call}"),
        Effect::Compact { round, .. } => format!("compact {round}"),
    }
}

fn approval(approval: &ApprovalView) -> UpgradeApprovalView {
    UpgradeApprovalView {
        id: approval.id.to_string(),
        command: approval.call.effective_command().name.clone(),
        changed: approval.is_changed,
        levels: approval.reasons.iter().map(|reason| reason.level.word().to_owned()).collect(),
    }
}

fn fault(ailment: &SessionDefect) -> UpgradeSessionFault {
    let (kind, of, why) = match ailment {
        SessionDefect::Unreadable(why) => ("unreadable", String::new(), why.clone()),
        SessionDefect::Quarantined => ("quarantined", String::new(), String::new()),
        SessionDefect::CommandGone { command } => ("command_gone", command.clone(), String::new()),
        SessionDefect::CommandChanged { command, what } => {
            ("command_changed", command.clone(), what.join(", "))
        }
        SessionDefect::ArgumentsUnfit { command, fault } => {
            ("schema_tightened", command.clone(), fault.clone())
        }
        SessionDefect::RestrictionEmpty { pattern } => {
            ("restriction_empty", pattern.to_string(), String::new())
        }
        SessionDefect::ProviderGone { provider, why } => ("model_gone", provider.clone(), why.clone()),
    };
    UpgradeSessionFault { kind: kind.to_owned(), of, why }
}

/// The limits and policies under the names of their settings.
fn policy(settings: &AppSettings, rules: &SessionRules) -> BTreeMap<String, String> {
    let mut policy = limits(rules);
    let workspace = settings.runtime.require_validation.to_string();
    policy.insert("validation.workspace".to_owned(), workspace);
    policy
}

/// Provides no secrets, because a read-only view needs none.
struct EmptySecretStore;

impl SecretStore for EmptySecretStore {
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
        let named = match reference {
            SecretReference::Environment(name) => name.clone(),
            SecretReference::File(path) => path.clone(),
            SecretReference::Command(program) => program.name().to_owned(),
        };
        Err(SecretError::NotSet(named))
    }
}
