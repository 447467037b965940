//! Requested calls with the results of their lookup.

use entracte_domain::call::CallStatus;
use entracte_domain::command::{self, CommandKind, EffectClass};
use entracte_domain::session as domain;
use entracte_domain::validation::{self, ValidationLevel};

use super::approvers::ApproverRequirementV1;
use super::call::CommandV1;
use super::file::FileV1;
use super::is_default;
use super::leaf::{HashV1, JsonTextV1, RecurringV1};
use super::rights::AgentTermsV1;
use super::shape::shape;
use super::speech::SpeechV1;
use super::task::TaskOfCallV1;
use super::words::WordV1;

shape! {
    pub(super) struct TermsV1 = command::CommandTerms {
        version: RecurringV1,
        effect: WordV1<EffectClass>,
        #[serde(default, skip_serializing_if = "is_default")]
        independent: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        state_scopes: Vec<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        destructive: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        asks: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        settle_ms: i64,
        #[serde(default, skip_serializing_if = "is_default")]
        key_lifetime_ms: i64,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shows: Vec<HashV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Box<AgentTermsV1>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskOfCallV1>,
    }
}

shape! {
    pub(super) struct ReasonV1 = validation::ApprovalReason {
        level: WordV1<ValidationLevel>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<String>,
        text: SpeechV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approvers: Option<ApproverRequirementV1>,
    }
}

shape! {
    pub(super) struct RequestedCallV1 = domain::RequestedCall {
        #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
        provider_call_id: Option<String>,
        command: CommandV1,
        #[serde(rename = "hash")]
        command_id: HashV1,
        kind: WordV1<CommandKind>,
        lookup: LookupV1,
    }
}

shape! {
    #[expect(clippy::large_enum_variant, reason = "it is written or read once, and dropped")]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum LookupV1 = domain::CallLookup {
        Known {
            terms: TermsV1,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            reasons: Vec<ReasonV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            twin: Option<TwinV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            rule: Option<String>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            card: Option<HashV1>,
            #[serde(default, skip_serializing_if = "is_default")]
            policy: bool,
        },
        Refused {
            status: WordV1<CallStatus>,
            message: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            path: Option<String>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            shows: Option<HashV1>,
        },
    }
}

shape! {
    struct TwinV1 = domain::IdenticalCall {
        call: String,
        #[serde(rename = "finished")]
        finished_at: i64,
        content: JsonTextV1,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        fresh: bool,
    }
}

shape! {
    pub(super) struct RecheckV1 = domain::ApprovalRecheck {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<RecurringV1>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasons: Vec<ReasonV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        now: Option<CardNowV1>,
    }
}

shape! {
    struct CardNowV1 = domain::CardRefresh {
        terms: TermsV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<HashV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refusal: Option<RefusalV1>,
    }
}

shape! {
    struct RefusalV1 = domain::CallRefusal {
        status: WordV1<CallStatus>,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    }
}
