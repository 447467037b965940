//! Requests that stop, resume or end the work of a session.

use entracte_domain::session::Input;

use crate::mail::{
    CompactContextRequest, ConfirmCompletionRequest, InterruptRoundRequest, MailAnswer,
    RejectCompletionRequest, ResumeSessionRequest, StopSessionRequest,
};
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;

impl ApplyToSession for InterruptRoundRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.stop_agents(&self.author)?;
        let (author, reply) = (self.author.clone(), edit.shown_reply()?);
        edit.apply_or_refuse(Input::RoundInterrupted { author, reply }, "request-already-idle")
    }
}

impl ApplyToSession for StopSessionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.stop_agents(&self.author)?;
        let (author, reply) = (self.author.clone(), edit.shown_reply()?);
        edit.apply_or_refuse(Input::StopRequested { author, end: self.end, reply }, "request-already-idle")
    }
}

impl ApplyToSession for ResumeSessionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.apply_or_refuse(
            Input::SessionActivationRequested { author: self.author.clone() },
            "request-not-applicable",
        )
    }
}

impl ApplyToSession for CompactContextRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.apply_or_refuse(
            Input::CompactionRequested { author: self.author.clone() },
            "request-no-compaction",
        )
    }
}

impl ApplyToSession for ConfirmCompletionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.apply_or_refuse(
            Input::CompletionConfirmed { author: self.author.clone() },
            "request-not-applicable",
        )
    }
}

impl ApplyToSession for RejectCompletionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        let (author, reason) = (self.author.clone(), self.reason.clone());
        edit.apply_or_refuse(Input::CompletionRejected { author, reason }, "request-not-applicable")
    }
}
