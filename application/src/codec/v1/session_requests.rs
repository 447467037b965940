//! Requests to a session in the mail store.

use entracte_domain::plan::PlanMode;

use super::call::CommandV1;
use super::decision::DecisionV1;
use super::is_default;
use super::leaf::AmountV1;
use super::message::SegmentV1;
use super::origin::VoiceV1;
use super::restriction::RestrictionV1;
use super::shape::shape;
use super::spending::SpendingAmountV1;
use super::words::WordV1;
use crate::mail::{
    AnswerQuestionRequest, AnswerSpendingRequest, CancelQuestionRequest, ChangeSessionRequest,
    CompactContextRequest, ConfirmCompletionRequest, DecideCallsRequest, DeleteSessionRequest,
    ForkSessionRequest, InterruptRoundRequest, LeaveSessionRequest, ManualCallRequest, MarkEndSeenRequest,
    MarkReadRequest, OpenSessionRequest, RejectCompletionRequest, ResumeSessionRequest, SendMessageRequest,
    SettleCallRequest, SettleUsageRequest, StopSessionRequest, WithdrawMessageRequest,
};

shape! {
    pub(super) struct SendMessageV1 = SendMessageRequest {
        author: String,
        message: Vec<SegmentV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_key: Option<String>,
    }
}

shape! {
    pub(super) struct ManualCallV1 = ManualCallRequest {
        author: String,
        command: CommandV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_key: Option<String>,
    }
}

shape! {
    pub(super) struct DecideCallsV1 = DecideCallsRequest {
        author: String,
        decisions: Vec<DecisionV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<String>,
    }
}

shape! {
    pub(super) struct AnswerQuestionV1 = AnswerQuestionRequest {
        author: String,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<String>,
    }
}

shape! {
    pub(super) struct CancelQuestionV1 = CancelQuestionRequest {
        author: String,
        question: String,
    }
}

shape! {
    pub(super) struct CompactContextV1 = CompactContextRequest {
        author: String,
    }
}

shape! {
    pub(super) struct InterruptRoundV1 = InterruptRoundRequest {
        author: String,
    }
}

shape! {
    pub(super) struct StopSessionV1 = StopSessionRequest {
        author: String,
        end: bool,
    }
}

shape! {
    pub(super) struct ResumeSessionV1 = ResumeSessionRequest {
        author: String,
    }
}

shape! {
    pub(super) struct SettleCallV1 = SettleCallRequest {
        author: String,
        call: String,
        happened: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }
}

shape! {
    pub(super) struct AnswerSpendingV1 = AnswerSpendingRequest {
        author: String,
        #[serde(default, skip_serializing_if = "is_default")]
        goes_on: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extra: Option<SpendingAmountV1>,
    }
}

shape! {
    pub(super) struct SettleUsageV1 = SettleUsageRequest {
        author: String,
        round: u32,
        attempt: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        tokens: u64,
        #[serde(default, rename = "usd", skip_serializing_if = "is_default")]
        cost: AmountV1,
    }
}

shape! {
    pub(super) struct ConfirmCompletionV1 = ConfirmCompletionRequest {
        author: String,
    }
}

shape! {
    pub(super) struct RejectCompletionV1 = RejectCompletionRequest {
        author: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    }
}

shape! {
    pub(super) struct ChangeSessionV1 = ChangeSessionRequest {
        author: String,
        #[serde(default, rename = "validate", skip_serializing_if = "Option::is_none")]
        require_validation: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<WordV1<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "Option::is_none")]
        restriction: Option<RestrictionV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        voice: Option<VoiceV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    }
}

shape! {
    pub(super) struct MarkReadV1 = MarkReadRequest {
        reader: String,
        sequence: u64,
    }
}

shape! {
    pub(super) struct WithdrawMessageV1 = WithdrawMessageRequest {
        author: String,
        message: String,
    }
}

shape! {
    pub(super) struct MarkEndSeenV1 = MarkEndSeenRequest {
        author: String,
    }
}

shape! {
    pub(super) struct OpenSessionV1 = OpenSessionRequest {
        author: String,
        attachment: String,
        #[serde(default, skip_serializing_if = "is_default")]
        asks_slot: bool,
    }
}

shape! {
    pub(super) struct LeaveSessionV1 = LeaveSessionRequest {
        author: String,
        attachment: String,
    }
}

shape! {
    pub(super) struct ForkSessionV1 = ForkSessionRequest {
        author: String,
        id: String,
        name: String,
        at: u64,
    }
}

shape! {
    pub(super) struct DeleteSessionV1 = DeleteSessionRequest {
        author: String,
    }
}
