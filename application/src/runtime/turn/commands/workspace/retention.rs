//! Requests about retention: a person holds something or releases it; the owner removes what goes.

use crate::instructions::InstructionScope;
use crate::mail::{
    ApplyRetentionRequest, HoldRetentionRequest, MailAnswer, MailRefusal, ReleaseRetentionRequest,
};
use crate::retention::RetentionHold;
use crate::runtime::turn::commands::{ApplyToWorkspace, WorkspaceDraftEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::schedule::find_automation;
use crate::texts::saying;

/// The maximum length of a reason, in characters.
const REASON_MAX: usize = 500;

impl ApplyToWorkspace for HoldRetentionRequest {
    /// Holds it. What another person holds stays theirs; a person's own hold takes over the reason.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, scope, reason } = self;
        let reason = reason.trim();
        if reason.is_empty() || reason.chars().count() > REASON_MAX {
            return Err(MailRefusal::Invalid(saying!("request-hold-reason", most = REASON_MAX)).into());
        }
        match scope {
            InstructionScope::Automation(id) if find_automation(edit.turn(), edit.draft(), id).is_none() => {
                return Err(MailRefusal::no_automation(id).into());
            }
            InstructionScope::Session(id) if !edit.draft_session(id)? => {
                return Err(MailRefusal::no_session(id).into());
            }
            InstructionScope::Workspace | InstructionScope::Automation(_) | InstructionScope::Session(_) => {}
        }
        let mut holds = edit.draft().body.holds.clone();
        match holds.iter_mut().find(|hold| hold.scope == *scope) {
            Some(hold) if hold.author != *author => return Err(MailRefusal::already_held(hold).into()),
            Some(hold) => reason.clone_into(&mut hold.reason),
            None => {
                let most = edit.turn().memory.runtime.retention.holds;
                if holds.len() >= most {
                    return Err(MailRefusal::Conflict(saying!("request-holds-too-many", most = most)).into());
                }
                let (scope, author, reason) = (scope.clone(), author.clone(), reason.to_owned());
                holds.push(RetentionHold { scope, author, reason, at: edit.draft().now });
            }
        }
        edit.change_holds(holds);
        Ok(MailAnswer::Done)
    }
}

impl ApplyToWorkspace for ReleaseRetentionRequest {
    /// Releases a hold. What it kept may go at the next run, so it takes a person who may approve.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, scope } = self;
        if !edit.may_approve() {
            return Err(MailRefusal::NeedsApprove.into());
        }
        let mut holds = edit.draft().body.holds.clone();
        let before = holds.len();
        holds.retain(|hold| hold.scope != *scope);
        if holds.len() == before {
            return Err(MailRefusal::NotFound(saying!("request-no-hold", what = scope.name())).into());
        }
        tracing::info!(workspace = %edit.turn().memory.key, author, what = scope.name(), "a hold was released");
        edit.change_holds(holds);
        Ok(MailAnswer::Done)
    }
}

impl ApplyToWorkspace for ApplyRetentionRequest {
    /// Removes nothing under other limits than those of the plan, which may have waited in the database, or come from a
    /// process that reads another configuration.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { steps, limits } = self;
        let policy = &edit.turn().memory.runtime.retention.policy;
        let policy = policy.with_overrides(&edit.draft().body.settings.retention);
        if policy.text() != *limits {
            return Err(MailRefusal::Conflict(saying!("request-retention-limits")).into());
        }
        Ok(MailAnswer::Applied { steps: edit.apply_retention(steps)? })
    }
}
