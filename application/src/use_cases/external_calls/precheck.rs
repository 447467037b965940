//! Checks of manual actions before they are requested.

use std::sync::Arc;

use entracte_domain::command::Command;
use entracte_domain::id::SessionId;

use super::{ExternalCaller, RunManualAction};
use crate::command_naming::CommandNaming;
use crate::commands::Catalog;
use crate::ports::{ActionPlanError, CallRequest, Clock, ResourceReader, WorkspaceStore};
use crate::settings::WorkspaceLocale;
use crate::texts::LocalizedTexts;
use crate::use_cases::run_command::{NOT_FOUND, failed};
use crate::use_cases::{UseCaseError, settings_of};

/// Plans an action in advance, so that no person is asked to approve an action on a missing object.
pub(super) struct ActionPrecheck {
    pub(super) rows: Arc<dyn ResourceReader>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) clock: Arc<dyn Clock>,
}

impl ActionPrecheck {
    /// Refuses an action on a missing object. Other faults are reported by the call itself.
    pub(super) async fn check(
        &self,
        store: &dyn WorkspaceStore,
        who: &ExternalCaller,
        session: &SessionId,
        command: &Command,
    ) -> Result<(), UseCaseError> {
        let known = self.catalog.find(&command.name).filter(|known| RunManualAction::supports_command(known));
        let Some(known) = known.filter(|known| known.faults(&command.arguments).is_empty()) else {
            return Ok(());
        };
        let locale = settings_of(store, &who.workspace).await?.locale();
        let texts = LocalizedTexts::for_language(locale.language);
        let name = known.spec.name.clone();
        let request = self.request(who, session, Command { name, ..command.clone() }, locale);
        match known.executor.plan(request, self.rows.clone()).await {
            Err(ActionPlanError::Refused(failure)) if failure.code == NOT_FOUND => {
                Err(failed(&known.spec.name, &failure, texts))
            }
            Ok(_) | Err(ActionPlanError::Refused(_)) => Ok(()),
            Err(ActionPlanError::Store(error)) => Err(error.into()),
        }
    }

    /// Builds the request of the call for planning only.
    fn request(
        &self,
        who: &ExternalCaller,
        session: &SessionId,
        command: Command,
        locale: WorkspaceLocale,
    ) -> CallRequest {
        let (call, now) = (session.call_id(0, 0), self.clock.now());
        CallRequest {
            workspace: who.workspace.clone(),
            session: session.clone(),
            key: call.to_string(),
            call,
            command,
            acts_as: Some(who.name.clone()),
            via: Vec::new(),
            task: None,
            attempt: 1,
            now,
            reference: now,
            locale,
            naming: CommandNaming::Types,
            restriction: who.restriction.clone(),
            progress: crate::ports::CallProgressSink::default(),
        }
    }
}
