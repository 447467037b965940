//! Requests: one struct each, which applies itself to the part of the draft that it may touch.

mod edit;
mod receipt;
mod session;
mod task;
mod workspace;

use self::edit::{SessionDraftEdit, TaskDraftEdit, WorkspaceDraftEdit};
use super::context::TurnContext;
use super::draft::TurnDraft;
use super::request_not_applied::RequestNotApplied;
use crate::mail::{Mail, MailAnswer, MailRequest, SessionRequest, TaskRequest, WorkspaceRequest};

pub(super) use self::receipt::{apply_idempotently, initial_receipt_question};

/// A request to the workspace.
trait ApplyToWorkspace {
    /// Applies the request and answers it. A refused one adds nothing to the draft.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied>;
}

/// A request to a session.
trait ApplyToSession {
    /// Applies the request and answers it. A refused one adds nothing to the draft except what the session had to
    /// receive anyway: changed rules or flags.
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied>;
}

/// A request about a task.
trait ApplyToTask {
    /// Applies the request and answers it.
    fn apply(&self, edit: &mut TaskDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied>;
}

/// Applies one request to the draft and answers it.
fn apply_request(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    mail: &Mail,
) -> Result<MailAnswer, RequestNotApplied> {
    match &mail.request {
        MailRequest::Workspace(request) => {
            workspace_command(request).apply(&mut WorkspaceDraftEdit::new(turn, draft, mail))
        }
        MailRequest::Session(session, request) => {
            session_command(request).apply(&mut SessionDraftEdit::open(turn, draft, session, mail)?)
        }
        MailRequest::Task(task, request) => {
            task_command(request).apply(&mut TaskDraftEdit::open(turn, draft, task)?)
        }
    }
}

fn workspace_command(request: &WorkspaceRequest) -> &dyn ApplyToWorkspace {
    match request {
        WorkspaceRequest::StartSession(request) => request,
        WorkspaceRequest::StartWithMessage(request) => request,
        WorkspaceRequest::ImportSession(request) => request,
        WorkspaceRequest::ChangeSettings(request) => request,
        WorkspaceRequest::SetInstructions(request) => request,
        WorkspaceRequest::AddRule(request) => request,
        WorkspaceRequest::RevokeRule(request) => request,
        WorkspaceRequest::CreateAutomation(request) => request,
        WorkspaceRequest::EditAutomation(request) => request,
        WorkspaceRequest::DeleteAutomation(request) => request,
        WorkspaceRequest::RunAutomation(request) => request,
        WorkspaceRequest::HoldRetention(request) => request,
        WorkspaceRequest::ReleaseRetention(request) => request,
        WorkspaceRequest::ApplyRetention(request) => request,
        WorkspaceRequest::SnoozeItems(request) => request,
        WorkspaceRequest::WakeItems(request) => request,
        WorkspaceRequest::AssignItems(request) => request,
    }
}

fn session_command(request: &SessionRequest) -> &dyn ApplyToSession {
    match request {
        SessionRequest::SendMessage(request) => request,
        SessionRequest::RequestCall(request) => request,
        SessionRequest::DecideCalls(request) => request,
        SessionRequest::AnswerQuestion(request) => request,
        SessionRequest::CancelQuestion(request) => request,
        SessionRequest::InterruptRound(request) => request,
        SessionRequest::CompactContext(request) => request,
        SessionRequest::Stop(request) => request,
        SessionRequest::Resume(request) => request,
        SessionRequest::SettleCall(request) => request,
        SessionRequest::AnswerSpending(request) => request,
        SessionRequest::SettleUsage(request) => request,
        SessionRequest::ConfirmCompletion(request) => request,
        SessionRequest::RejectCompletion(request) => request,
        SessionRequest::Change(request) => request,
        SessionRequest::MarkRead(request) => request,
        SessionRequest::WithdrawMessage(request) => request,
        SessionRequest::MarkEndSeen(request) => request,
        SessionRequest::Open(request) => request,
        SessionRequest::Leave(request) => request,
        SessionRequest::Fork(request) => request,
        SessionRequest::Delete(request) => request,
    }
}

fn task_command(request: &TaskRequest) -> &dyn ApplyToTask {
    match request {
        TaskRequest::ReceiveUpdate(request) => request,
        TaskRequest::Cancel(request) => request,
        TaskRequest::AnswerQuestion(request) => request,
        TaskRequest::MarkNoticeSeen(request) => request,
    }
}
