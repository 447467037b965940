//! What every command works with: settings, output, surroundings; and the ways to the use cases.

use std::sync::{Arc, OnceLock};

use entracte_application::ports::Store;
use entracte_application::settings::Language;
use entracte_application::texts::Texts;
use entracte_application::use_cases::{
    Find, FollowTurn, Inbox, ReadLog, ReadQueue, ReadRules, ShowSession, settings_of,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use jiff::tz::TimeZone;

use crate::config::Settings;
use crate::environment::Environment;
use crate::error::CliError;
use crate::output::{Output, Style};
use crate::render::entry::Lines;
use crate::wiring::Wiring;

/// What every command works with.
pub(crate) struct Desk {
    /// The configuration.
    pub(crate) settings: Settings,
    /// Where everything is printed.
    pub(crate) out: Arc<Output>,
    /// The process's surroundings.
    pub(crate) environment: Environment,
    /// Zone of the times that are shown.
    pub(crate) zone: TimeZone,
    /// The rows, once the database was opened.
    pub(crate) opened: OnceLock<Arc<dyn Store>>,
}

impl Desk {
    /// Opens the database and builds the house over it.
    pub(crate) fn wire(&self) -> Result<Arc<Wiring>, CliError> {
        let wiring = Wiring::new(&self.settings)?;
        self.opened.get_or_init(|| wiring.store.clone());
        Ok(Arc::new(wiring))
    }

    /// The texts in the language of a workspace.
    pub(crate) async fn texts(
        &self,
        wiring: &Wiring,
        workspace: &WorkspaceKey,
    ) -> Result<&'static Texts, CliError> {
        Ok(Texts::of(settings_of(&*wiring.store, workspace).await?.language))
    }

    /// An error in the language of the workspace, as far as that can be read.
    pub(crate) async fn spoken(&self, error: CliError) -> CliError {
        let (Some(store), true) = (self.opened.get(), error.outage.is_some()) else { return error };
        let language =
            settings_of(&**store, &self.settings.workspace).await.map(|settings| settings.language);
        error.spoken(Texts::of(language.unwrap_or(Language::En)))
    }

    /// Draws entries of the log.
    pub(crate) fn lines(&self, style: Style) -> Lines {
        Lines { style, zone: self.zone.clone() }
    }
}

impl Wiring {
    /// Finds what a person named.
    pub(crate) fn find(&self) -> Find {
        Find::new(self.log.clone())
    }

    /// A session that a person named, and the workspace it lives in.
    pub(crate) async fn session(&self, named: &str) -> Result<(SessionId, WorkspaceKey), CliError> {
        let session = self.find().session(named).await?;
        let view = self.show().run(&session).await?;
        Ok((session, view.facts.workspace))
    }

    /// Shows sessions.
    pub(crate) fn show(&self) -> ShowSession {
        ShowSession::new(self.store.clone())
    }

    /// The sessions of a workspace that wait for a slot, the one that goes first first.
    pub(crate) async fn queue(&self, workspace: &WorkspaceKey) -> Result<Vec<SessionId>, CliError> {
        Ok(ReadQueue::new(self.store.clone(), self.clock.clone()).run(workspace).await?)
    }

    /// Reads logs.
    pub(crate) fn read(&self) -> ReadLog {
        ReadLog::new(self.log.clone())
    }

    /// Follows sessions.
    pub(crate) fn follow(&self) -> FollowTurn {
        FollowTurn::new(
            self.store.clone(),
            self.log.clone(),
            self.rows.clone(),
            self.catalog.clone(),
            self.clock.clone(),
        )
    }

    /// Reads leave that was given in advance.
    pub(crate) fn rules_given(&self) -> ReadRules {
        ReadRules::new(self.store.clone(), self.log.clone(), self.clock.clone())
    }

    /// Lists what waits for a person.
    pub(crate) fn inbox(&self) -> Inbox {
        Inbox::new(
            self.store.clone(),
            self.log.clone(),
            self.rows.clone(),
            self.catalog.clone(),
            self.clock.clone(),
        )
    }
}
