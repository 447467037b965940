//! Settings of the workspace.

use super::{refused, texts};
use crate::mail::MailAnswer;
use crate::ports::SessionFilter;
use crate::runtime::draft::Draft;
use crate::runtime::workspace::{TurnError, Workspace};

impl Workspace {
    /// Changes settings, all or none. A workspace that is not there yet is made, also by no change at all.
    pub(super) async fn change_settings(
        &mut self,
        draft: &mut Draft,
        author: &str,
        changes: &[(String, Option<String>)],
    ) -> Result<MailAnswer, TurnError> {
        let mut settings = draft.body.settings.clone();
        for (key, value) in changes {
            if let Err(fault) = settings.change(key, value.as_deref()) {
                let code = if fault.is_unknown() { "not_found" } else { "invalid" };
                return Ok(refused(code, &fault.says(texts(draft))));
            }
        }
        draft.is_body_changed |= draft.expected_seq.is_none();
        if settings == draft.body.settings {
            return Ok(MailAnswer::Done);
        }
        let keys: Vec<&str> = changes.iter().map(|(key, _)| key.as_str()).collect();
        tracing::info!(workspace = %self.key(), author, ?keys, "settings were changed");
        draft.body.settings = settings;
        draft.is_body_changed = true;
        self.recheck_waiting(draft).await?;
        Ok(MailAnswer::Done)
    }

    /// Looks again at the approval that the calls of all waiting sessions need, so that who looks at the inbox sees
    /// the reasons of now. Calls of other sessions are looked at before they start.
    pub(super) async fn recheck_waiting(&mut self, draft: &mut Draft) -> Result<(), TurnError> {
        let workspace = Some(self.key().clone());
        let filter = SessionFilter { workspace, waiting: true, open: true, ..SessionFilter::default() };
        let waiting = self.services.log.lines(&filter).await?.into_iter().map(|line| line.id);
        let drafted: Vec<_> = draft.sessions.keys().cloned().collect();
        for session in waiting.chain(drafted) {
            if self.draft_session(draft, &session).await? {
                self.recheck(draft, &session).await?;
            }
        }
        Ok(())
    }
}
