//! What inputs carry: creations, user messages, failures of model calls.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::failure::{
    FailureClass, FallbackModel as DomainInstead, ModelFailure as DomainFailure,
};
use entracte_domain::session::{self as domain, Dialect};

use super::agent::AgentStart;
use super::approval::{PolicyGrant, PromptAuthors};
use super::automation::{RunPolicy, RunStart};
use super::is_default;
use super::leaf::Hash;
use super::lookup::RequestedCall;
use super::message::Segment;
use super::restriction::Restriction;
use super::shape::shape;
use super::words::Word;

shape! {
    pub(super) struct Creation = domain::SessionCreation {
        #[serde(default, skip_serializing_if = "is_default")]
        name: String,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "Restriction::is_open")]
        restriction: Restriction,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        automation: Option<String>,
        #[serde(default, rename = "scheduled", skip_serializing_if = "Option::is_none")]
        scheduled_at: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        provider: String,
        model: String,
        dialect: Word<Dialect>,
        prefix: Hash,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<Told>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunStart>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentStart>,
        #[serde(default, skip_serializing_if = "is_default")]
        policy: RunPolicy,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_authors: Option<PromptAuthors>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<PolicyGrant>,
    }
}

shape! {
    pub(super) struct Told = domain::AlwaysSendSection[section: String, digest: Hash]
}

shape! {
    pub(super) struct Voice = domain::ModelSelection {
        provider: String,
        model: String,
        dialect: Word<Dialect>,
    }
}

shape! {
    pub(super) struct UserMessageSent = domain::UserMessageSent {
        author: String,
        message: Vec<Segment>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_key: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        enrichments: Vec<RequestedCall>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        asks: bool,
    }
}

shape! {
    pub(super) struct ModelFailure = DomainFailure {
        class: Word<FailureClass>,
        message: String,
        #[serde(default, rename = "retry_after_ms", skip_serializing_if = "Option::is_none")]
        retry_after: Option<i64>,
        #[serde(default, rename = "jitter_ms", skip_serializing_if = "is_default")]
        jitter: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        found_by_start: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead: Option<Box<Instead>>,
    }
}

shape! {
    /// The model that goes on where another one failed.
    struct Instead = DomainInstead {
        voice: Voice,
        prefix: Hash,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<Told>,
    }
}
