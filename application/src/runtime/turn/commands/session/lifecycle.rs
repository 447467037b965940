//! Requests that stop, resume or end the work of a session.

use entracte_domain::session::Input;

use crate::mail::{
    CompactContextRequest, ConfirmCompletionRequest, InterruptRoundRequest, MailAnswer,
    RejectCompletionRequest, ResumeSessionRequest, StopSessionRequest,
};
use crate::runtime::turn::commands::{SessionCommand, SessionEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;

impl SessionCommand for InterruptRoundRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.stop_agents(&self.author)?;
        edit.apply_or_refuse(Input::RoundInterrupted { author: self.author.clone() }, "request-already-idle")
    }
}

impl SessionCommand for StopSessionRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.stop_agents(&self.author)?;
        edit.apply_or_refuse(
            Input::StopRequested { author: self.author.clone(), end: self.end },
            "request-already-idle",
        )
    }
}

impl SessionCommand for ResumeSessionRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.apply_or_refuse(
            Input::SessionActivationRequested { author: self.author.clone() },
            "request-not-applicable",
        )
    }
}

impl SessionCommand for CompactContextRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.apply_or_refuse(
            Input::CompactionRequested { author: self.author.clone() },
            "request-no-compaction",
        )
    }
}

impl SessionCommand for ConfirmCompletionRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        edit.apply_or_refuse(
            Input::CompletionConfirmed { author: self.author.clone() },
            "request-not-applicable",
        )
    }
}

impl SessionCommand for RejectCompletionRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        let (author, reason) = (self.author.clone(), self.reason.clone());
        edit.apply_or_refuse(Input::CompletionRejected { author, reason }, "request-not-applicable")
    }
}
