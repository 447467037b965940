//! The context of every command: settings, output, environment, and access to the use cases.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use entracte_adapters_http::api_transport::ApiTransport;
use entracte_adapters_http::api_transport::server_address::ServerAddress;
use entracte_adapters_http::observability::TelemetryExporter;
use entracte_application::ports::{Clock, OwnerDescription, WorkspaceStore};
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::WorkspaceSettings;
use entracte_application::texts::{LocalizedTexts, ReaderLanguage, say};
use entracte_application::use_cases::{
    ContextUsage, FindByIdPrefix, FollowTurn, MeasureContext, QueuePosition, ReadEvents, ReadLog, ReadQueue,
    ShowSession, settings_of, stored_settings_of,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use jiff::tz::TimeZone;

use crate::app_services::AppServices;
use crate::config::{AppSettings, ConfigFlags};
use crate::environment::ProcessEnvironment;
use crate::error::CliError;
use crate::output::{OutputStyle, TerminalOutput};
use crate::progress_display::ProgressDisplay;
use crate::render::entry::EntryRenderer;
use crate::render::text::one_line;
use crate::render::time::{TimeFormatter, iso};
use crate::runtime_access::LazyRuntimeAccess;

/// The context of a command.
pub(crate) struct CommandContext {
    /// The configuration.
    pub(crate) settings: AppSettings,
    /// The output of the command.
    pub(crate) out: Arc<TerminalOutput>,
    /// The process environment.
    pub(crate) environment: ProcessEnvironment,
    /// The time zone of displayed times: the workspace's.
    pub(crate) zone: DisplayZone,
    /// What the command line says about the configuration.
    pub(crate) flags: ConfigFlags,
    /// The server that the command names; `None`: the database of this machine.
    pub(crate) server: Option<ServerAddress>,
    /// Builds the API of this process.
    pub(crate) local_api: LocalApiFactory,
    /// The store, once the database is open.
    pub(crate) opened: OnceLock<Arc<dyn WorkspaceStore>>,
    /// Whether the workspace had no settings yet when this command read them.
    pub(crate) is_workspace_new: AtomicBool,
    /// The telemetry exporters of all constructed services.
    pub(crate) told: Mutex<Vec<Arc<TelemetryExporter>>>,
}

/// Builds the API of this process over its services. The commands that an operator of a server can run are behind it,
/// so only the top of the program can build it.
pub(crate) type LocalApiFactory =
    fn(&CommandContext, &Arc<AppServices>, &Arc<LazyRuntimeAccess>) -> Arc<dyn ApiTransport>;

/// The time zone of displayed times. The system's, until the settings of the workspace are read, which happens before
/// anything but messages about opening the database is shown.
#[derive(Default)]
pub(crate) struct DisplayZone {
    zone: OnceLock<TimeZone>,
    /// The clock for relative times.
    clock: OnceLock<Arc<dyn Clock>>,
}

impl DisplayZone {
    /// Sets the zone of these settings, and the clock.
    fn set_zone(&self, settings: &WorkspaceSettings, clock: &Arc<dyn Clock>) {
        self.zone.get_or_init(|| settings.locale().time_zone());
        self.clock.get_or_init(|| clock.clone());
    }
}

impl<'a> From<&'a DisplayZone> for TimeFormatter<'a> {
    fn from(zone: &'a DisplayZone) -> Self {
        Self { zone, now: zone.clock.get().map(|clock| clock.now()) }
    }
}

impl Deref for DisplayZone {
    type Target = TimeZone;

    fn deref(&self) -> &TimeZone {
        static SYSTEM: LazyLock<TimeZone> = LazyLock::new(TimeZone::system);
        self.zone.get().unwrap_or(&SYSTEM)
    }
}

impl CommandContext {
    /// The context of a command on the database of this machine.
    pub(crate) fn new(
        settings: AppSettings,
        out: Arc<TerminalOutput>,
        environment: ProcessEnvironment,
        flags: ConfigFlags,
        local_api: LocalApiFactory,
    ) -> Self {
        Self {
            settings,
            out,
            environment,
            zone: DisplayZone::default(),
            flags,
            server: None,
            local_api,
            opened: OnceLock::new(),
            is_workspace_new: AtomicBool::new(false),
            told: Mutex::default(),
        }
    }

    /// Opens the database and constructs the services.
    pub(crate) fn open_services(&self) -> Result<Arc<AppServices>, CliError> {
        let progress = self.progress();
        let services = AppServices::new(&self.settings, &|step| progress.show_opening(step));
        progress.clear();
        let services = services?;
        self.opened.get_or_init(|| services.store.clone());
        let (out, texts) = (self.out.clone(), self.environment.texts());
        services.set_first_start_notice(Box::new(move |servers| {
            let servers = servers.join(", ");
            out.progress(&one_line(&say!(texts, "mcp-first-start", servers = servers)));
        }));
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.extend(services.telemetry.clone());
        drop(told);
        Ok(Arc::new(services))
    }

    /// Shows the progress of long work.
    pub(crate) fn progress(&self) -> ProgressDisplay<'_> {
        ProgressDisplay::new(&self.out, self.environment.texts())
    }

    /// Another context with the same settings and environment.
    pub(crate) fn clone_for_server(&self) -> Self {
        Self {
            settings: self.settings.clone(),
            flags: self.flags.clone(),
            server: self.server.clone(),
            local_api: self.local_api,
            out: self.out.clone(),
            environment: self.environment.clone(),
            zone: DisplayZone::default(),
            opened: self.opened.clone(),
            is_workspace_new: AtomicBool::new(false),
            told: Mutex::default(),
        }
    }

    /// Exports pending telemetry; waits only briefly.
    pub(crate) async fn flush_telemetry(&self) {
        let told = std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner));
        for telemetry in told {
            telemetry.finish().await;
        }
    }

    /// The description of this process as the owner of the database.
    pub(crate) fn owner_kind(&self, kind: &str, url: Option<String>) -> OwnerDescription {
        let host = self.environment.variable("HOSTNAME").map(str::to_owned);
        OwnerDescription { kind: kind.to_owned(), host, url }
    }

    /// The texts in the language of the reader, in this workspace; also sets the zone of displayed times.
    pub(crate) async fn texts(
        &self,
        services: &AppServices,
        workspace: &WorkspaceKey,
    ) -> Result<&'static LocalizedTexts, CliError> {
        Ok(self.use_settings(services.stored_settings(workspace).await?))
    }

    /// The texts in the language of the reader, in a workspace with these settings; also sets the zone of displayed times.
    pub(crate) fn use_settings(&self, stored: Option<WorkspaceSettings>) -> &'static LocalizedTexts {
        let texts = self.language(stored.as_ref());
        self.is_workspace_new.fetch_or(stored.is_none() && self.server.is_none(), Ordering::Relaxed);
        let first = || WorkspaceSettings::of_new_workspace(&self.settings.runtime);
        self.zone.set_zone(&stored.unwrap_or_else(first), &self.settings.parts.clock);
        texts
    }

    /// Says on which clocks a workspace shows times that this command created. One on the clocks of UTC shows the zone
    /// beside every time, as always.
    pub(crate) async fn report_zone_of_new_workspace(&self) {
        let zone = &self.settings.runtime.zone;
        if !self.is_workspace_new.load(Ordering::Relaxed) || zone == "UTC" {
            return;
        }
        let Some(store) = self.opened.get() else { return };
        let workspace = &self.settings.workspace;
        let Ok(Some(stored)) = stored_settings_of(&**store, workspace).await else { return };
        if stored.zone == *zone {
            let texts = self.language(Some(&stored));
            let workspace = one_line(workspace.as_str());
            self.out.write_notice(&say!(texts, "workspace-zone", workspace = workspace, zone = zone));
        }
    }

    /// The instant after this time from now, as the API writes instants.
    pub(crate) fn instant_after(&self, lasts: Millis) -> String {
        iso(self.settings.parts.clock.now().plus(lasts))
    }

    /// The API of this process.
    pub(crate) fn local_api(
        &self,
        services: &Arc<AppServices>,
        runtime: &Arc<LazyRuntimeAccess>,
    ) -> Arc<dyn ApiTransport> {
        (self.local_api)(self, services, runtime)
    }

    /// The texts in the language of the environment; if it asks for none, in that of these settings.
    pub(crate) fn language(&self, stored: Option<&WorkspaceSettings>) -> &'static LocalizedTexts {
        self.texts_for(self.environment.reader(), stored)
    }

    /// The texts of a reader, who may be elsewhere, in a workspace with these settings; without settings, a reader
    /// who asks for no language gets that of the environment.
    pub(crate) fn texts_for(
        &self,
        reader: ReaderLanguage,
        stored: Option<&WorkspaceSettings>,
    ) -> &'static LocalizedTexts {
        let language = stored.map_or_else(|| self.environment.language(), |settings| settings.language);
        reader.texts(language)
    }

    /// The rules of a workspace: the configuration's, in the workspace's profile and mode.
    pub(crate) async fn rules(
        &self,
        services: &AppServices,
        workspace: &WorkspaceKey,
    ) -> Result<RuleBook, CliError> {
        Ok(self.settings.rules.for_workspace(&settings_of(&*services.store, workspace).await?))
    }

    /// How much of its token budget the prompt of a session uses.
    pub(crate) async fn prompt_fullness(
        &self,
        services: &AppServices,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<ContextUsage, CliError> {
        let measure = MeasureContext::new(
            services.store.clone(),
            services.log.clone(),
            services.providers.clone(),
            self.settings.runtime.clone(),
            self.settings.rules.clone(),
        );
        Ok(measure.run(workspace, session).await?)
    }

    /// Localizes an error in the language of the reader.
    pub(crate) async fn localize_error(&self, error: CliError) -> CliError {
        error.localized(self.workspace_texts().await)
    }

    /// The texts in the language of the environment; if it asks for none, in that of the workspace, if it can be read.
    pub(crate) async fn workspace_texts(&self) -> &'static LocalizedTexts {
        let Some(store) = self.opened.get() else { return self.environment.texts() };
        let stored = stored_settings_of(&**store, &self.settings.workspace).await;
        self.language(stored.ok().flatten().as_ref())
    }

    /// A renderer for log entries.
    pub(crate) fn entry_renderer(&self, style: OutputStyle, texts: &'static LocalizedTexts) -> EntryRenderer {
        EntryRenderer { style, zone: TimeZone::clone(&self.zone), texts }
    }
}

impl AppServices {
    /// Finds entities by an id prefix.
    pub(crate) fn entity_finder(&self) -> FindByIdPrefix {
        FindByIdPrefix::new(self.log.clone())
    }

    /// The session of this workspace with an id or id prefix.
    pub(crate) async fn named_session(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<SessionId, CliError> {
        Ok(self.entity_finder().find_session(workspace, named).await?)
    }

    /// The session of this workspace with an id or id prefix, and the workspace.
    pub(crate) async fn session(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<(SessionId, WorkspaceKey), CliError> {
        Ok((self.named_session(workspace, named).await?, workspace.clone()))
    }

    /// The settings of a workspace; `None` if it has none of its own.
    pub(crate) async fn stored_settings(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Option<WorkspaceSettings>, CliError> {
        Ok(stored_settings_of(&*self.store, workspace).await?)
    }

    /// The use case that shows sessions.
    pub(crate) fn show(&self) -> ShowSession {
        ShowSession::new(self.store.clone())
    }

    /// The position of a session in the slot queue; `None` if it is not queued.
    pub(crate) async fn slot_place(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Option<QueuePosition>, CliError> {
        Ok(ReadQueue::new(self.store.clone(), self.clock.clone()).place(workspace, session).await?)
    }

    /// The use case that reads logs.
    pub(crate) fn read_log(&self) -> ReadLog {
        ReadLog::new(self.log.clone())
    }

    /// The use case that follows turns.
    pub(crate) fn follow(&self) -> FollowTurn {
        FollowTurn::new(
            self.store.clone(),
            self.log.clone(),
            self.rows.clone(),
            self.catalog(),
            self.clock.clone(),
        )
        .with_live_text(self.live.clone())
        .for_reader(self.reader)
    }

    /// The use case that reads live events.
    pub(crate) fn events(&self) -> ReadEvents {
        ReadEvents::new(self.store.clone(), self.log.clone(), self.live.clone(), self.clock.clone())
    }
}
