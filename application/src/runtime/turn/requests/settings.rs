//! Requests that change the settings of the workspace.

use crate::mail::{MailAnswer, MailRefusal};
use crate::permissions::check_settings_change;
use crate::runtime::turn::{FactRequest, RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::runtime::turn_draft::{TurnDraft, texts};
use crate::runtime::turn_stages::TurnStage;
use crate::settings::SettingFault;
use crate::texts::LocalizedTexts;

impl WorkspaceTurn<'_> {
    /// Changes settings, all or none. Creates a missing workspace, even without any change.
    pub(super) fn change_settings(
        &self,
        draft: &mut TurnDraft,
        author: &str,
        may_approve: bool,
        changes: &[(String, Option<String>)],
    ) -> Result<MailAnswer, RequestNotApplied> {
        let mut settings = draft.body.settings.clone();
        for (key, value) in changes {
            settings.change(key, value.as_deref()).map_err(|fault| refusal_of(&fault, texts(draft)))?;
        }
        draft.is_body_changed |= draft.expected_seq.is_none();
        if settings == draft.body.settings {
            return Ok(MailAnswer::Done);
        }
        check_settings_change(&draft.body.settings, &settings, may_approve).map_err(MailRefusal::from)?;
        let keys: Vec<&str> = changes.iter().map(|(key, _)| key.as_str()).collect();
        tracing::info!(workspace = %self.memory.key, author, ?keys, "settings were changed");
        draft.body.settings = settings;
        draft.is_body_changed = true;
        self.recheck_waiting(draft)?;
        Ok(MailAnswer::Done)
    }

    /// Checks again which approval the calls of all waiting sessions need, so that the inbox shows the current
    /// reasons. Calls of other sessions are checked before they start.
    pub(super) fn recheck_waiting(&self, draft: &mut TurnDraft) -> Result<(), TurnStop> {
        let waiting = self.known.waiting.answer_or_request((), |()| FactRequest::Waiting)?;
        self.request_sessions_together(draft, waiting)?;
        let drafted = draft.sessions.keys();
        let rechecks: Vec<TurnStage> =
            waiting.iter().chain(drafted).cloned().map(TurnStage::Recheck).collect();
        draft.aside.next.extend(rechecks);
        Ok(())
    }
}

fn refusal_of(fault: &SettingFault, texts: &LocalizedTexts) -> MailRefusal {
    match fault {
        SettingFault::Unknown(_) => MailRefusal::NotFound(fault.saying(texts)),
        SettingFault::Value { .. } => MailRefusal::Invalid(fault.saying(texts)),
    }
}
