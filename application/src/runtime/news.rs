//! What a session is told when data that is always sent has changed.

use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, Phase, RulesChange, SessionKind};

use super::data::{self, Section};
use super::draft::Draft;
use super::overlay::Overlay;
use super::workspace::{TurnError, Workspace};
use crate::ports::ResourceChange;
use crate::settings::WorkspaceSettings;

/// The sections as they were read, and the settings they were read under. They hold until rows or settings change.
#[derive(Clone)]
pub(super) struct KnownSections {
    pub(super) settings: WorkspaceSettings,
    pub(super) sections: Arc<[Section]>,
}

impl Workspace {
    /// The data that is always sent, with what this turn changes.
    pub(super) async fn sections(&mut self, draft: &mut Draft) -> Result<Arc<[Section]>, TurnError> {
        // Rows change in this turn's commit only, so what is known after it becomes what is known of all.
        let is_changing = !draft.resources.is_empty();
        let known = if is_changing { &draft.sections } else { &self.sections };
        if let Some(known) = known
            && known.settings == self.settings
        {
            return Ok(known.sections.clone());
        }
        let rows = Overlay::new(self.services.rows.clone(), self.key(), &draft.resources);
        let sections = data::sections(&rows, &self.settings, &self.services.settings).await?;
        let known = KnownSections { settings: self.settings.clone(), sections: sections.into() };
        let sections = known.sections.clone();
        if is_changing {
            draft.sections = Some(known);
        } else {
            self.sections = Some(known);
        }
        Ok(sections)
    }

    /// Takes changes of rows into the draft.
    pub(super) fn change_rows(&self, draft: &mut Draft, changes: Vec<ResourceChange>) {
        if !changes.is_empty() {
            draft.resources.extend(changes);
            draft.sections = None;
        }
    }

    /// Tells a session what changed since it was told last.
    pub(super) async fn tell_now(&mut self, draft: &mut Draft, session: &SessionId) -> Result<(), TurnError> {
        let sections = self.sections(draft).await?;
        self.tell_news(draft, session, &sections)
    }

    /// Tells a session what changed since it was told last.
    pub(super) fn tell_news(
        &self,
        draft: &mut Draft,
        session: &SessionId,
        sections: &[Section],
    ) -> Result<(), TurnError> {
        let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
        let over = drafted.facts.end_reason.is_some() || matches!(drafted.phase, Phase::Completed { .. });
        if over || drafted.facts.kind == SessionKind::Seed {
            return Ok(());
        }
        let Some(notice) = data::news(&drafted.facts.told, sections, self.settings.language) else {
            return Ok(());
        };
        let told = Some(data::told(sections));
        let change = RulesChange { notice: Some(notice), told, ..RulesChange::default() };
        draft.feed(session, Input::RulesChanged(Box::new(change)), &self.rules)?;
        Ok(())
    }
}
