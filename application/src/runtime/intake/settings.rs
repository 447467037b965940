//! Settings of the workspace.

use super::refused;
use crate::codec::MailAnswer;
use crate::runtime::draft::Draft;

/// Changes settings, all or none.
pub(super) fn change_settings(draft: &mut Draft, changes: &[(String, Option<String>)]) -> MailAnswer {
    let mut settings = draft.body.settings.clone();
    for (key, value) in changes {
        if let Err(fault) = settings.change(key, value.as_deref()) {
            return refused(if fault.is_unknown() { "not_found" } else { "invalid" }, &fault.to_string());
        }
    }
    if settings != draft.body.settings {
        draft.body.settings = settings;
        draft.is_body_changed = true;
    }
    MailAnswer::Done
}
