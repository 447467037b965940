//! Requested calls and what the pipeline looked up for them.

use entracte_domain::call::CallStatus;
use entracte_domain::command::{self, CommandKind, EffectClass};
use entracte_domain::session as domain;
use entracte_domain::validation::{self, ValidationLevel};

use super::call::Command;
use super::is_default;
use super::leaf::{Hash, JsonText, Recurring};
use super::rights::AgentTerms;
use super::shape::shape;
use super::speech::Speech;
use super::task::TaskOfCall;
use super::words::Word;

shape! {
    pub(super) struct Terms = command::CommandTerms {
        version: Recurring,
        effect: Word<EffectClass>,
        #[serde(default, skip_serializing_if = "is_default")]
        independent: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        destructive: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        asks: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        settle_ms: i64,
        #[serde(default, skip_serializing_if = "is_default")]
        key_lifetime_ms: i64,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shows: Vec<Hash>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Box<AgentTerms>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskOfCall>,
    }
}

shape! {
    pub(super) struct Reason = validation::ApprovalReason {
        level: Word<ValidationLevel>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<String>,
        text: Speech,
    }
}

shape! {
    pub(super) struct RequestedCall = domain::RequestedCall {
        #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
        provider_call_id: Option<String>,
        command: Command,
        #[serde(rename = "hash")]
        command_id: Hash,
        kind: Word<CommandKind>,
        lookup: Lookup,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum Lookup = domain::CallLookup {
        Known {
            terms: Terms,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            reasons: Vec<Reason>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            twin: Option<Twin>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            rule: Option<String>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            card: Option<Hash>,
        },
        Refused {
            status: Word<CallStatus>,
            message: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            path: Option<String>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            shows: Option<Hash>,
        },
    }
}

shape! {
    struct Twin = domain::IdenticalCall {
        call: String,
        #[serde(rename = "finished")]
        finished_at: i64,
        content: JsonText,
        #[serde(default, skip_serializing_if = "is_default")]
        fresh: bool,
    }
}

shape! {
    pub(super) struct Recheck = domain::ApprovalRecheck {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<Recurring>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasons: Vec<Reason>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        now: Option<CardNow>,
    }
}

shape! {
    struct CardNow = domain::CardRefresh {
        terms: Terms,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Hash>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refusal: Option<Refusal>,
    }
}

shape! {
    struct Refusal = domain::CallRefusal {
        status: Word<CallStatus>,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    }
}
