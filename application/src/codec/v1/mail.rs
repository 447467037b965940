//! Mail in the mail store. The session of a request stands beside it: earlier versions had one flat list of requests.

use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::HashV1;
use super::retention::{ApplyRetentionV1, HoldRetentionV1, ReleaseRetentionV1};
use super::session_requests::*;
use super::shape::{ShapeV1, shape};
use super::task::TaskMailV1;
use super::triage::{AssignItemsV1, SnoozeItemsV1, WakeItemsV1};
use super::workspace_requests::*;
use crate::codec::format_version::FormatVersion1;
use crate::mail::{Mail, MailRequest, SessionRequest, WorkspaceRequest};
use crate::texts::Language;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailV1 {
    v: FormatVersion1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    request: RequestV1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    receipt: Option<ReceiptV1>,
    /// Absent in mail of earlier versions, which can therefore give no approval.
    #[serde(default, skip_serializing_if = "is_default")]
    may_approve: bool,
    /// Absent in mail of earlier versions, and if the requester asks for no language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reader: Option<String>,
}

/// A stored request to a session names none.
#[derive(Debug, thiserror::Error)]
#[error("its request is to a session, but it names none")]
pub(crate) struct MissingSessionError;

impl From<&Mail> for MailV1 {
    fn from(mail: &Mail) -> Self {
        let Mail { request, receipt, may_approve, reader } = mail;
        Self {
            v: FormatVersion1,
            session: request.session_id().map(ShapeV1::of),
            request: request.into(),
            receipt: ShapeV1::of(receipt),
            may_approve: *may_approve,
            reader: reader.requested().map(|language| language.word().to_owned()),
        }
    }
}

impl TryFrom<MailV1> for Mail {
    type Error = MissingSessionError;

    fn try_from(shape: MailV1) -> Result<Self, MissingSessionError> {
        let MailV1 { v: FormatVersion1, session, request, receipt, may_approve, reader } = shape;
        let request = request.with_session(session)?;
        // A language of a later version counts as none.
        let reader = reader.as_deref().and_then(Language::from_word).into();
        Ok(Self { request, receipt: receipt.domain(), may_approve, reader })
    }
}

shape! {
    struct ReceiptV1 = crate::mail::Receipt {
        person: String,
        key: String,
        fingerprint: HashV1,
    }
}

/// Declares the stored requests as one list, and their conversions: `Stored(Shape) = Variant`.
macro_rules! stored_requests {
    (
        workspace { $( $workspace:ident($workspace_shape:ident) = $workspace_variant:ident, )* }
        session { $( $session:ident($session_shape:ident) = $session_variant:ident, )* }
    ) => {
        #[derive(Debug, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum RequestV1 {
            $( $workspace($workspace_shape), )*
            $( $session($session_shape), )*
            Task(StoredTaskRequestV1),
        }

        impl From<&MailRequest> for RequestV1 {
            fn from(request: &MailRequest) -> Self {
                match request {
                    $( MailRequest::Workspace(WorkspaceRequest::$workspace_variant(request)) => {
                        Self::$workspace(request.into())
                    } )*
                    $( MailRequest::Session(_, SessionRequest::$session_variant(request)) => {
                        Self::$session(request.into())
                    } )*
                    MailRequest::Task(task, request) => {
                        Self::Task(StoredTaskRequestV1 { task: ShapeV1::of(task), mail: request.into() })
                    }
                }
            }
        }

        impl RequestV1 {
            /// The request; a session that it does not need is ignored.
            fn with_session(self, session: Option<String>) -> Result<MailRequest, MissingSessionError> {
                Ok(match self {
                    $( Self::$workspace(shape) => {
                        MailRequest::Workspace(WorkspaceRequest::$workspace_variant(shape.into()))
                    } )*
                    $( Self::$session(shape) => {
                        let session = session.ok_or(MissingSessionError)?;
                        MailRequest::Session(session.domain(), SessionRequest::$session_variant(shape.into()))
                    } )*
                    Self::Task(StoredTaskRequestV1 { task, mail }) => {
                        MailRequest::Task(task.domain(), mail.into())
                    }
                })
            }
        }
    };
}

stored_requests! {
    workspace {
        StartSession(StartSessionV1) = StartSession,
        StartWithMessage(StartWithMessageV1) = StartWithMessage,
        Import(ImportSessionV1) = ImportSession,
        ChangeSettings(ChangeSettingsV1) = ChangeSettings,
        SetInstructions(SetInstructionsV1) = SetInstructions,
        AddRule(AddRuleV1) = AddRule,
        RevokeRule(RevokeRuleV1) = RevokeRule,
        CreateAutomation(CreateAutomationV1) = CreateAutomation,
        EditAutomation(EditAutomationV1) = EditAutomation,
        DeleteAutomation(DeleteAutomationV1) = DeleteAutomation,
        RunAutomation(RunAutomationV1) = RunAutomation,
        HoldRetention(HoldRetentionV1) = HoldRetention,
        ReleaseRetention(ReleaseRetentionV1) = ReleaseRetention,
        ApplyRetention(ApplyRetentionV1) = ApplyRetention,
        SnoozeItems(SnoozeItemsV1) = SnoozeItems,
        WakeItems(WakeItemsV1) = WakeItems,
        AssignItems(AssignItemsV1) = AssignItems,
    }
    session {
        SendMessage(SendMessageV1) = SendMessage,
        AskForCall(ManualCallV1) = RequestCall,
        Decide(DecideCallsV1) = DecideCalls,
        Answer(AnswerQuestionV1) = AnswerQuestion,
        CancelQuestion(CancelQuestionV1) = CancelQuestion,
        Compact(CompactContextV1) = CompactContext,
        Interrupt(InterruptRoundV1) = InterruptRound,
        Stop(StopSessionV1) = Stop,
        Resume(ResumeSessionV1) = Resume,
        Settle(SettleCallV1) = SettleCall,
        AnswerSpending(AnswerSpendingV1) = AnswerSpending,
        SettleUsage(SettleUsageV1) = SettleUsage,
        ConfirmCompletion(ConfirmCompletionV1) = ConfirmCompletion,
        RejectCompletion(RejectCompletionV1) = RejectCompletion,
        ChangeSession(ChangeSessionV1) = Change,
        MarkRead(MarkReadV1) = MarkRead,
        Withdraw(WithdrawMessageV1) = WithdrawMessage,
        MarkSeen(MarkEndSeenV1) = MarkEndSeen,
        Open(OpenSessionV1) = Open,
        Leave(LeaveSessionV1) = Leave,
        Fork(ForkSessionV1) = Fork,
        Delete(DeleteSessionV1) = Delete,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTaskRequestV1 {
    task: String,
    mail: TaskMailV1,
}
