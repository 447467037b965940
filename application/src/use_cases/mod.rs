//! Use cases: one struct per verb. They depend on ports only, so they can be tested with mocks.
//!
//! A use case that changes a session posts a request through [`MailSender`](crate::ports::MailSender) and returns its
//! answer; one that reads queries committed rows. No use case decides how a session continues: the state machine does.
//!
//! # Cancel safety
//!
//! Every future of a use case may be dropped while it is pending; each documents the effect. For a use case that posts
//! one request: if it is dropped before the request was posted, nothing is done; afterwards, the request is executed
//! or refused as usual, and the answer is discarded. The outcome can be read from the stored rows. To avoid a second
//! execution, repeat the request under the same id or key (`a_dropped_use_case_loses_nothing`).
//!
//! # Errors
//!
//! The documentation of each kind of [`UseCaseError`] holds for all use cases: whether a retry makes sense, and
//! whether anything was done.

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
mod exported_files;
mod external_calls;
mod files;
mod find_by_prefix;
mod follow_turn;
mod forecast_sessions;
mod inbox;
mod inbox_page;
mod inbox_triage;
mod instructions;
mod invitations;
mod knowledge;
mod localize_enrichments;
mod login_links;
mod measure_context;
mod measure_session;
mod new_token;
mod notification_targets;
mod open_session_pages;
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
mod retention;
mod run_command;
mod settings;
mod snooze_end;
mod start_chat;
mod stream_tickets;
mod tasks;
mod token_idempotency;
mod token_issuer;
mod token_validation;
mod tokens;
mod turn_outcome;
mod turn_view;
mod unfinished_sessions;
mod verify_session;

pub use agent_tree::{
    AgentTreeNode, DelegationStep, ReadAgentTree, ReadRunningTree, RunningSession, running_tree_usage,
};
pub use approval_rules::{AddApprovalRule, ReadApprovalRules, RevokeApprovalRule};
pub use ask::{
    AnswerQuestion, AnswerSpending, AttachSession, CancelQuestion, CompactSession, ConfirmCompletion,
    DeleteSession, EndSession, InterruptRound, LeaveSession, MarkRead, MarkSeen, OpenSession,
    RejectCompletion, ResumeSession, SendMessage, SettleCall, SettleUsage, StopSession, WithdrawMessage,
};
pub use automation::{
    AutomationDetails, AutomationList, AutomationParams, AutomationUpdate, AutomationView, CreateAutomation,
    DamagedAutomation, DeleteAutomation, DryRunAutomation, DryRunCall, DryRunCommand, DryRunFinding,
    DryRunOptions, DryRunPorts, DryRunReport, DryRunRequest, DryRunScriptSource, EditAutomation,
    FindAutomation, ListAutomations, OccurrenceView, PolicyUpdate, PreviewNextOccurrences, PreviewSchedule,
    ReadAutomationHistory, RunAutomation, SchedulePreview, SeedUpdate, SeedView, ShowAutomation,
    UpcomingOccurrences,
};
pub use call_decisions::{CallDecision, DecisionComment};
pub use change_session::{ChangeSession, SessionUpdate};
pub use check_enrichments::CheckEnrichments;
pub use copy_session::{ForkSession, ImportSession, SessionFork, SessionImport};
pub use cost_report::{
    AUTOMATION_KEY, CostReport, CostReportGrouping, CostReportQuery, CostReportRow, CostTotal, ReportCosts,
};
pub use decide_approvals::{ApprovalChoice, ApprovalSelection, DecideApprovals};
pub use disabled_items::{DisabledItem, DisabledItemKind, ReadDisabledItems};
pub use examine_sessions::{ExamineSessions, SessionDefect, SessionFinding};
pub use export_session::ExportSession;
pub use exported_files::{AddExportFiles, StoreExportFiles, StoredExport};
pub use external_calls::{
    AcceptedExternalCall, ExternalCallOutcome, ExternalCaller, ManualActionOutcome, ManualActionPorts,
    OPEN_CALLS_MAX, RunExternalCall, RunManualAction,
};
pub use files::{AttachFiles, FileContent, FileUpload, MessageFile, ReadFile, StoreFile};
pub use find_by_prefix::FindByIdPrefix;
pub use follow_turn::{FollowTurn, FollowUpdate};
pub use forecast_sessions::{ForecastSessions, SessionForecast, SessionForecastDetails};
pub(crate) use inbox::parked_word;
pub use inbox::{InboxItem, InboxKind, ReadInbox};
pub use inbox_page::InboxPage;
pub use inbox_triage::{AssignItems, InboxTriage, ReadInboxTriage, SnoozeItems, WakeItems};
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
pub use open_session_pages::OpenSessionPages;
pub use people::{AddPerson, ReadPerson, RemovePersonAccess};
pub use person_secrets::ManagePersonSecrets;
pub use read_approvals::ReadApprovals;
pub use read_deletions::ReadDeletions;
pub use read_events::{EventReader, ReadEvents};
pub use read_queue::{QueuePosition, QueuePredecessor, ReadQueue};
pub use read_receipt::ReadReceipt;
pub use read_session::{
    CallView, ListSessions, ReadCalls, ReadLog, SessionLinesPage, SessionPageQuery, SessionSearch,
    SessionView, ShowSession,
};
pub use read_unread::{ReadUnreadMessages, UNREAD_LOOK, UnreadMessages};
pub use rebuild_prompt::{
    CHARS_PER_TOKEN, ModelCall, PromptPart, RebuildPrompt, RebuiltPrompt, RequestDigestCheck,
};
pub use relay_stream::{OwnProcess, OwnerHostLocation, RelayRemoteStream, StreamRelayPorts};
pub use retention::{
    HoldRetention, ReadRetention, ReleaseRetention, RetentionHoldView, RetentionView, RunRetention,
};
pub use run_command::RunQueryCommand;
pub use settings::{
    ChangeSettings, ListWorkspaces, SettingChange, WorkspaceView, settings_of, settings_or_first_of,
    stored_settings_of,
};
pub use snooze_end::SnoozeEnd;
pub use start_chat::{NewChat, StartChat, StartChatWithMessage};
pub use stream_tickets::{AuthenticateStreamTicket, IssueStreamTicket, IssuedStreamTicket};
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

/// Why a use case failed.
///
/// After every kind but [`Post`](Self::Post) and [`Store`](Self::Store) nothing was done, and the same request fails
/// again until something else has changed. Those two document themselves whether anything may have been done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UseCaseError {
    /// The named object does not exist in this workspace, or does not exist any more.
    #[error("{0}")]
    NotFound(RefusalText),
    /// Another decision came first, the version read is outdated, a limit is reached, or the session has ended. Reload
    /// before retrying.
    #[error("{0}")]
    Conflict(RefusalText),
    /// The request is invalid and must be changed.
    #[error("{0}")]
    Invalid(RefusalText),
    /// Another person must decide: the caller's words led to the call.
    #[error("{0}")]
    FourEyes(RefusalText),
    /// The person in whose name it would be must consent first.
    #[error("{0}")]
    NeedsConsent(RefusalText),
    /// The request would allow an action without approval, and the caller lacks the scope `approve`.
    #[error("{0}")]
    NeedsApprove(RefusalText),
    /// The request does not apply in the current state, or an external system it needs failed.
    #[error("{0}")]
    NotApplicable(RefusalText),
    /// No reader of documents and images is free, and nothing was done; the same request may succeed in a moment.
    #[error("{0}")]
    ReadersBusy(RefusalText),
    /// The idempotency key was used for another request; generate a new key.
    #[error("{0}")]
    KeyReused(RefusalText),
    /// The request was not accepted, or its answer was not received: [`MailPostError`] says which, and whether it may
    /// have been executed.
    #[error(transparent)]
    Post(#[from] MailPostError),
    /// The database cannot be read, or (for use cases that write beside the owner: tokens, people, targets) written:
    /// [`StoreError`] says what may have been written. It may be temporary.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stored data is damaged, or a newer Entracte wrote it. A retry gives the same error.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// The result of an accepted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRequest {
    /// The session of the request.
    pub session: SessionId,
    /// The message, if the request created one.
    pub message: Option<MessageId>,
    /// The result of requesting a slot; `None` if it needs none.
    pub activation: Option<ActivationResult>,
}

/// Converts a refusal to an error and unwraps a replayed answer.
fn reject_refusal(answer: MailAnswer) -> Result<MailAnswer, UseCaseError> {
    match answer {
        MailAnswer::Replayed(first) => reject_refusal(*first),
        MailAnswer::Refused { code, text, topic } => {
            Err(refusal(code, RefusalText::from_rendered(text, topic)))
        }
        MailAnswer::Accepted { .. }
        | MailAnswer::Done
        | MailAnswer::Made { .. }
        | MailAnswer::Heard { .. }
        | MailAnswer::Applied { .. } => Ok(answer),
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

/// Expects an acceptance without further content.
fn expect_accepted_empty(answer: MailAnswer) -> Result<(), UseCaseError> {
    expect_accepted(answer).map(drop)
}

/// Expects the answer to a request outside of sessions.
fn expect_done(answer: MailAnswer) -> Result<(), UseCaseError> {
    reject_refusal(answer).map(drop)
}

/// The id of the created object; `None` if the owner of the database is an older version that does not report it.
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
