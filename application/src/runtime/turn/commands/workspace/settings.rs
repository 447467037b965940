//! Requests that change the settings of the workspace.

use crate::mail::{ChangeSettingsRequest, MailAnswer, MailRefusal};
use crate::permissions::check_settings_change;
use crate::runtime::turn::commands::{ApplyToWorkspace, WorkspaceDraftEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::settings::SettingFault;
use crate::texts::LocalizedTexts;

impl ApplyToWorkspace for ChangeSettingsRequest {
    /// Changes settings, all or none. Creates a missing workspace, even without any change.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, changes } = self;
        let before = &edit.draft().body.settings;
        let mut settings = before.clone();
        for (key, value) in changes {
            let changed = settings.change(key, value.as_deref());
            changed.map_err(|fault| refusal_of(&fault, edit.refusal_texts()))?;
        }
        let is_same = settings == *before;
        // What an earlier version stored hinders no change of another setting.
        if settings.approval != before.approval {
            settings.check_quorum().map_err(|fault| refusal_of(&fault, edit.refusal_texts()))?;
        }
        if !is_same {
            check_settings_change(before, &settings, edit.may_approve()).map_err(MailRefusal::from)?;
        }
        edit.create_if_new();
        if is_same {
            return Ok(MailAnswer::Done);
        }
        let keys: Vec<&str> = changes.iter().map(|(key, _)| key.as_str()).collect();
        tracing::info!(workspace = %edit.turn().memory.key, author, ?keys, "settings were changed");
        edit.change_settings(settings);
        edit.queue_rechecks()?;
        Ok(MailAnswer::Done)
    }
}

fn refusal_of(fault: &SettingFault, texts: &LocalizedTexts) -> MailRefusal {
    match fault {
        SettingFault::Unknown(_) => MailRefusal::NotFound(fault.saying(texts)),
        SettingFault::Value { .. } | SettingFault::Quorum { .. } => MailRefusal::Invalid(fault.saying(texts)),
    }
}
