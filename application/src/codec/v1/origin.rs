//! The content of inputs: creations, user messages, failures of model calls.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::failure::{
    FailureClass, FallbackModel as DomainInstead, ModelFailure as DomainFailure,
};
use entracte_domain::session::{self as domain, Dialect};

use super::agent::AgentStartV1;
use super::approval::{PolicyGrantV1, PromptAuthorsV1};
use super::automation::{RunPolicyV1, RunStartV1};
use super::is_default;
use super::leaf::HashV1;
use super::lookup::RequestedCallV1;
use super::message::SegmentV1;
use super::restriction::RestrictionV1;
use super::shape::shape;
use super::words::WordV1;

shape! {
    pub(super) struct CreationV1 = domain::SessionCreation {
        #[serde(default, skip_serializing_if = "is_default")]
        name: String,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<WordV1<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "RestrictionV1::is_open")]
        restriction: RestrictionV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        automation: Option<String>,
        #[serde(default, rename = "scheduled", skip_serializing_if = "Option::is_none")]
        scheduled_at: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        provider: String,
        model: String,
        dialect: WordV1<Dialect>,
        prefix: HashV1,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<ToldV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunStartV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentStartV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        policy: RunPolicyV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_authors: Option<PromptAuthorsV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<PolicyGrantV1>,
    }
}

shape! {
    pub(super) struct ToldV1 = domain::AlwaysSendSection[section: String, digest: HashV1]
}

shape! {
    pub(super) struct VoiceV1 = domain::ModelSelection {
        provider: String,
        model: String,
        dialect: WordV1<Dialect>,
    }
}

shape! {
    pub(super) struct UserMessageSentV1 = domain::UserMessageSent {
        author: String,
        message: Vec<SegmentV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_key: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        enrichments: Vec<RequestedCallV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        asks: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        instead_of: Vec<String>,
    }
}

shape! {
    pub(super) struct ModelFailureV1 = DomainFailure {
        class: WordV1<FailureClass>,
        message: String,
        #[serde(default, rename = "retry_after_ms", skip_serializing_if = "Option::is_none")]
        retry_after: Option<i64>,
        #[serde(default, rename = "jitter_ms", skip_serializing_if = "is_default")]
        jitter: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        found_by_start: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead: Option<Box<InsteadV1>>,
    }
}

shape! {
    /// The fallback model that continues after another one failed.
    struct InsteadV1 = DomainInstead {
        voice: VoiceV1,
        prefix: HashV1,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<ToldV1>,
    }
}
