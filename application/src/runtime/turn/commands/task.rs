//! Requests about long tasks.

use entracte_domain::id::Digest;
use entracte_domain::task::{CancelReason, TaskUpdate, TaskUpdateVerdict};

use super::{ApplyToTask, TaskDraftEdit};
use crate::mail::{
    AnswerTaskRequest, CancelTaskRequest, MailAnswer, MailRefusal, MarkTaskSeenRequest,
    ReceiveTaskUpdateRequest,
};
use crate::ports::TaskArrivalRow;
use crate::runtime::turn::context::TurnStop;
use crate::runtime::turn::questions::KnownTaskUpdateQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::system::sha256;
use crate::texts::saying;

impl ApplyToTask for ReceiveTaskUpdateRequest {
    fn apply(&self, edit: &mut TaskDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { webhook_id, arrival } = self;
        if let Some(webhook_id) = webhook_id
            && is_update_known(edit, webhook_id)?
        {
            return Ok(MailAnswer::Heard { verdict: TaskUpdateVerdict::Duplicate });
        }
        let verdict = edit.apply_update(arrival)?;
        if let Some(webhook_id) = webhook_id {
            edit.record_arrival(TaskArrivalRow {
                task: edit.task().id.clone(),
                webhook_id: webhook_id.clone(),
                digest: digest_of(arrival),
                verdict: verdict.word().to_owned(),
                at: edit.draft().now,
            });
        }
        Ok(MailAnswer::Heard { verdict })
    }
}

impl ApplyToTask for CancelTaskRequest {
    fn apply(&self, edit: &mut TaskDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let author = Some(self.author.clone());
        let verdict = edit.apply_update(&TaskUpdate::CancelAsked { why: CancelReason::Person, author })?;
        Ok(MailAnswer::Heard { verdict })
    }
}

impl ApplyToTask for AnswerTaskRequest {
    fn apply(&self, edit: &mut TaskDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        if let (Some(read), Some(asked)) = (&self.question, &edit.task().question)
            && sha256(asked.as_bytes()).as_str() != read
        {
            let task = edit.task().id.to_string();
            return Err(MailRefusal::Invalid(saying!("task-question-changed", task = task)).into());
        }
        let verdict = edit.apply_update(&TaskUpdate::Answered { answer: self.answer.clone() })?;
        Ok(MailAnswer::Heard { verdict })
    }
}

impl ApplyToTask for MarkTaskSeenRequest {
    fn apply(&self, edit: &mut TaskDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        Ok(MailAnswer::Heard { verdict: edit.mark_seen_by(&self.author) })
    }
}

/// Whether an update was received under this id of its sender, in this turn or before.
fn is_update_known(edit: &TaskDraftEdit<'_>, webhook_id: &str) -> Result<bool, TurnStop> {
    let task = &edit.task().id;
    if edit.draft().arrivals.iter().any(|row| row.task == *task && row.webhook_id == webhook_id) {
        return Ok(true);
    }
    let question = KnownTaskUpdateQuestion { task: task.clone(), webhook_id: webhook_id.to_owned() };
    edit.turn().ask(question).copied()
}

/// The hash of the update.
fn digest_of(arrival: &TaskUpdate) -> Digest {
    match arrival {
        TaskUpdate::Final { digest, .. } => digest.clone(),
        TaskUpdate::Progress { text, .. } => sha256(text.as_bytes()),
        other => sha256(format!("{other:?}").as_bytes()),
    }
}
