//! Use cases: one struct a verb. They take ports and nothing else, so they are tested with mocks.
//!
//! Those that change something hand a request in at the [`MailSender`](crate::ports::MailSender) and give its answer;
//! those that look read what was committed. No use case decides what a session does: the machine does.
//!
//! # Cancel safety
//!
//! Every future of a use case may be dropped while it is waited for; each says what that leaves behind. Of those that hand
//! one request in: dropped before the request was handed in, nothing is done; dropped afterwards, it is done whole or
//! refused as it would have been, and nobody is told. Which of them it was can be read. Where it must not be done twice, ask
//! again under the same id or key (`a_dropped_use_case_loses_nothing`).
//!
//! # Errors
//!
//! What [`UseCaseError`] says of each kind holds for all of them: whether it makes sense to ask again, and whether anything
//! was done.

#[macro_use]
mod use_case_macro;

mod agent_tree;
mod approval_rules;
mod ask;
mod automation;
mod call_decisions;
mod change_session;
mod check_enrichments;
mod copy_session;
mod cost_report;
mod decide_approvals;
mod disabled_items;
mod examine_sessions;
mod export_session;
mod external_calls;
mod find_by_prefix;
mod follow_turn;
mod forecast_sessions;
mod inbox;
mod instructions;
mod invitations;
mod knowledge;
mod localize_enrichments;
mod login_links;
mod measure_context;
mod measure_session;
mod new_token;
mod notification_targets;
mod people;
mod person_secrets;
mod read_approvals;
mod read_deletions;
mod read_events;
mod read_queue;
mod read_receipt;
mod read_session;
mod read_unread;
mod rebuild_prompt;
mod relay_stream;
mod run_command;
mod settings;
mod start_chat;
mod tasks;
mod token_idempotency;
mod token_issuer;
mod token_validation;
mod tokens;
mod turn_outcome;
mod turn_view;
mod unfinished_sessions;
mod verify_session;

pub use agent_tree::{AgentTreeNode, DelegationStep, ReadAgentTree};
pub use approval_rules::{AddApprovalRule, ReadApprovalRules, RevokeApprovalRule};
pub use ask::{
    AnswerQuestion, AttachSession, CompactSession, ConfirmCompletion, DeleteSession, EndSession,
    InterruptRound, LeaveSession, MarkRead, MarkSeen, OpenSession, RejectCompletion, ResumeSession,
    SendMessage, SettleCall, StopSession, WithdrawMessage,
};
pub use automation::{
    AutomationDetails, AutomationList, AutomationParams, AutomationUpdate, AutomationView, CreateAutomation,
    DamagedAutomation, DeleteAutomation, DryRunAutomation, DryRunCall, DryRunCommand, DryRunFinding,
    DryRunOptions, DryRunPorts, DryRunReport, DryRunRequest, DryRunScriptSource, EditAutomation,
    FindAutomation, ListAutomations, OccurrenceView, PolicyUpdate, PreviewNextOccurrences, PreviewSchedule,
    ReadAutomationHistory, RunAutomation, SchedulePreview, SeedUpdate, SeedView, ShowAutomation,
    UpcomingOccurrences,
};
pub use call_decisions::CallDecision;
pub use change_session::{ChangeSession, SessionUpdate};
pub use check_enrichments::CheckEnrichments;
pub use copy_session::{ForkSession, ImportSession, SessionFork, SessionImport};
pub use cost_report::{AttemptCost, CostTotal, ReportCosts, group_by};
pub use decide_approvals::{ApprovalChoice, ApprovalSelection, DecideApprovals};
pub use disabled_items::{DisabledItem, DisabledItemKind, ReadDisabledItems};
pub use examine_sessions::{ExamineSessions, SessionDefect, SessionFinding};
pub use export_session::ExportSession;
pub use external_calls::{
    AcceptedExternalCall, ExternalCallOutcome, ExternalCaller, ManualActionOutcome, ManualActionPorts,
    OPEN_CALLS_MAX, RunExternalCall, RunManualAction,
};
pub use find_by_prefix::FindByIdPrefix;
pub use follow_turn::{FollowTurn, FollowUpdate};
pub use forecast_sessions::{ForecastSessions, SessionForecast, SessionForecastDetails};
pub use inbox::{InboxItem, InboxKind, ReadInbox};
pub use instructions::{InstructionUpdate, ReadInstructions, SetInstructions};
pub use invitations::{AcceptInvitation, InvitationError, InvitePerson, NewInvitation};
pub use knowledge::{
    AddDocument, AddDocumentOutcome, ChunkCitation, DocumentExcerpt, DocumentUpload, KnowledgeError,
    KnowledgeSearchResult, QueryStructuredDocument, ReadDocuments, RemoveDocument, SearchKnowledge,
};
pub use localize_enrichments::LocalizeEnrichments;
pub use login_links::{CreateLoginLink, LoginLinkError, RedeemLoginLink};
pub use measure_context::{ContextUsage, MeasureContext};
pub use measure_session::{MeasureSession, SessionMetrics, SessionOrigin};
pub use new_token::NewToken;
pub use notification_targets::{
    AddNotificationTarget, ChangeNotificationTarget, NOTIFICATIONS_MAX, NewNotificationTarget,
    NotificationTargetView, ReadNotificationTargets, RemoveNotificationTarget,
};
pub use people::{AddPerson, ReadPerson, RemovePersonAccess};
pub use person_secrets::ManagePersonSecrets;
pub use read_approvals::ReadApprovals;
pub use read_deletions::ReadDeletions;
pub use read_events::{EventReader, ReadEvents};
pub use read_queue::{QueuePosition, QueuePredecessor, ReadQueue};
pub use read_receipt::ReadReceipt;
pub use read_session::{CallView, ListSessions, ReadCalls, ReadLog, SessionSearch, SessionView, ShowSession};
pub use read_unread::{ReadUnreadMessages, UNREAD_LOOK, UnreadMessages};
pub use rebuild_prompt::{
    CHARS_PER_TOKEN, ModelCall, PromptPart, RebuildPrompt, RebuiltPrompt, RequestDigestCheck,
};
pub use relay_stream::{OwnerHostLocation, RelayRemoteStream, StreamRelayPorts};
pub use run_command::RunQueryCommand;
pub use settings::{
    ChangeSettings, ListWorkspaces, SettingChange, WorkspaceView, settings_of, stored_settings_of,
};
pub use start_chat::{NewChat, StartChat, StartChatWithMessage};
pub use tasks::{
    AcknowledgeTask, AnswerTaskQuestion, CallbackError, CancelTask, ReadTasks, ReceiveTaskCallback,
    TASKS_SHOWN, TaskCallbackPorts,
};
pub use token_idempotency::{CreateTokenIdempotently, TokenCreationOutcome};
pub use token_issuer::TokenIssuer;
pub use tokens::{AuthenticateToken, AuthenticationError, CreateToken, IssuedToken, ListTokens, RevokeToken};
pub use turn_outcome::TurnOutcome;
pub use turn_view::{
    ApprovalView, CallStatusView, LocalizedReason, ModelReplyView, PendingDecision, TurnInterruption,
    TurnView,
};
pub use unfinished_sessions::FindUnfinishedSessions;
pub use verify_session::{ReplayMismatch, VerifySession};

use crate::codec::CodecError;
use crate::mail::{MailAnswer, RefusalCode};
use crate::ports::{MailPostError, StoreError};
use crate::texts::{RefusalText, saying};
use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::workspace::ActivationResult;

/// Why a use case did not do what was asked.
///
/// After every one but [`Post`](Self::Post) and [`Store`](Self::Store) nothing was done, and the same request gives the same
/// again until something else has changed. Those two say themselves whether anything may be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UseCaseError {
    /// What was named does not exist in this workspace, or not any more.
    #[error("{0}")]
    NotFound(RefusalText),
    /// Somebody decided otherwise first, what was read is not what is there now, a limit is reached, or the session has
    /// ended. Read again before asking again.
    #[error("{0}")]
    Conflict(RefusalText),
    /// The request is wrong as it stands; only another one helps.
    #[error("{0}")]
    Invalid(RefusalText),
    /// Somebody else must decide it: the words of whoever asks led to it.
    #[error("{0}")]
    FourEyes(RefusalText),
    /// Somebody else has to consent to it first: the person in whose name it would be.
    #[error("{0}")]
    NeedsConsent(RefusalText),
    /// It would let something through without a yes, and whoever asks has no right to say yes: the scope `approve`.
    #[error("{0}")]
    NeedsApprove(RefusalText),
    /// There is nothing here that it could apply to, as things stand; or something outside that it needs did not do its part.
    #[error("{0}")]
    NotApplicable(RefusalText),
    /// The key of the request was used for another one; draw a new key.
    #[error("{0}")]
    KeyReused(RefusalText),
    /// The request did not get through, or its answer did not come back: [`MailPostError`] says which, and whether it may be
    /// done all the same.
    #[error(transparent)]
    Post(#[from] MailPostError),
    /// The database cannot be read; of use cases that write beside the owner (tokens, people, targets), or written:
    /// [`StoreError`] says what may be there then. It may pass.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is stored cannot be read: it is damaged, or a newer Entracte wrote it. Asking again gives the same.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// What an accepted request became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRequest {
    /// The session.
    pub session: SessionId,
    /// The message, when it became one.
    pub message: Option<MessageId>,
    /// What came of asking for its slot; none when it wants none.
    pub activation: Option<ActivationResult>,
}

/// The answer, where it is no refusal; what is replayed is the first one.
fn reject_refusal(answer: MailAnswer) -> Result<MailAnswer, UseCaseError> {
    match answer {
        MailAnswer::Replayed(first) => reject_refusal(*first),
        MailAnswer::Refused { code, text, topic } => {
            Err(refusal(code, RefusalText::from_rendered(text, topic)))
        }
        MailAnswer::Accepted { .. }
        | MailAnswer::Done
        | MailAnswer::Made { .. }
        | MailAnswer::Heard { .. } => Ok(answer),
    }
}

fn missing_answer_error() -> UseCaseError {
    UseCaseError::Invalid(saying!("request-unanswered").into())
}

fn expect_accepted(answer: MailAnswer) -> Result<AcceptedRequest, UseCaseError> {
    match reject_refusal(answer)? {
        MailAnswer::Accepted { message, session, activation } => {
            Ok(AcceptedRequest { session, message, activation })
        }
        _ => Err(missing_answer_error()),
    }
}

/// The same of requests whose answer says nothing more.
fn expect_accepted_empty(answer: MailAnswer) -> Result<(), UseCaseError> {
    expect_accepted(answer).map(drop)
}

/// For requests that no session takes in.
fn expect_done(answer: MailAnswer) -> Result<(), UseCaseError> {
    reject_refusal(answer).map(drop)
}

/// The id of what was made; none where the owner of the database is of a version that does not say it.
fn expect_created_id(answer: MailAnswer) -> Result<Option<String>, UseCaseError> {
    match reject_refusal(answer)? {
        MailAnswer::Made { id } => Ok(Some(id)),
        _ => Ok(None),
    }
}

fn refusal(code: RefusalCode, text: RefusalText) -> UseCaseError {
    match code {
        RefusalCode::NotFound => UseCaseError::NotFound(text),
        RefusalCode::Conflict | RefusalCode::Ended | RefusalCode::QueueFull => UseCaseError::Conflict(text),
        RefusalCode::FourEyes => UseCaseError::FourEyes(text),
        RefusalCode::NeedsApprove => UseCaseError::NeedsApprove(text),
        RefusalCode::NotApplicable => UseCaseError::NotApplicable(text),
        RefusalCode::KeyReused => UseCaseError::KeyReused(text),
        RefusalCode::Invalid => UseCaseError::Invalid(text),
    }
}

#[cfg(test)]
mod tests;
