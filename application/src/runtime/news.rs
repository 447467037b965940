//! What a session is told when data that is always sent has changed.

use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, Phase, RulesChange, SessionKind};
use entracte_domain::time::Timestamp;

use super::data::{self, Section};
use super::draft::Draft;
use super::overlay::Overlay;
use super::workspace::{Fault, Workspace};
use crate::settings::WorkspaceSettings;

/// The sections as they were read, and what they were read under.
pub(super) struct Known {
    last_action_at: Option<Timestamp>,
    settings: WorkspaceSettings,
    sections: Arc<[Section]>,
}

impl Workspace {
    /// The data that is always sent, as committed.
    pub(super) async fn sections(&mut self, draft: &Draft) -> Result<Arc<[Section]>, Fault> {
        if let Some(known) = &self.sections
            && known.last_action_at == draft.body.last_action_at
            && known.settings == self.settings
        {
            return Ok(known.sections.clone());
        }
        let house = &self.house;
        let sections = data::sections(&*house.rows, self.key(), &self.settings, &house.settings).await?;
        let known = Known {
            last_action_at: draft.body.last_action_at,
            settings: self.settings.clone(),
            sections: sections.into(),
        };
        let sections = known.sections.clone();
        // What this turn planned is not committed yet, so the next turn reads again.
        self.sections = draft.resources.is_empty().then_some(known);
        Ok(sections)
    }

    /// The data that is always sent, with what this turn changes.
    pub(super) async fn sections_after(&self, draft: &Draft) -> Result<Vec<Section>, Fault> {
        let rows = Overlay::new(self.house.rows.clone(), draft.resources.clone());
        Ok(data::sections(&rows, self.key(), &self.settings, &self.house.settings).await?)
    }

    /// Tells a session what changed since it was told last.
    pub(super) fn tell_news(
        &self,
        draft: &mut Draft,
        session: &SessionId,
        sections: &[Section],
    ) -> Result<(), Fault> {
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
