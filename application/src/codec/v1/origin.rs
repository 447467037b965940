//! What inputs carry: creations, user messages, failures of model calls.

use entracte_domain::id::CallId;
use entracte_domain::message::UserMessage;
use entracte_domain::plan::Mode;
use entracte_domain::session::failure::{
    FailureClass, Instead as DomainInstead, ModelFailure as DomainFailure,
};
use entracte_domain::session::{self as domain, Dialect};
use entracte_domain::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

use super::agent::AgentStart;
use super::automation::{RunPolicy, RunStart};
use super::leaf::Hash;
use super::lookup::RequestedCall;
use super::message::Segment;
use super::restriction::Restriction;
use super::words::Word;
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Creation {
    #[serde(default, skip_serializing_if = "is_default")]
    name: String,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    require_validation: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<Word<Mode>>,
    #[serde(default, rename = "commands", skip_serializing_if = "is_default")]
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
}

/// Section and hash.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Told(String, Hash);

impl From<&domain::Told> for Told {
    fn from(told: &domain::Told) -> Self {
        let domain::Told { section, digest } = told;
        Self(section.clone(), digest.into())
    }
}

impl From<Told> for domain::Told {
    fn from(Told(section, digest): Told) -> Self {
        Self { section, digest: digest.into() }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Voice {
    provider: String,
    model: String,
    dialect: Word<Dialect>,
}

impl From<&domain::Voice> for Voice {
    fn from(voice: &domain::Voice) -> Self {
        let domain::Voice { provider, model, dialect } = voice;
        Self { provider: provider.clone(), model: model.clone(), dialect: dialect.into() }
    }
}

impl From<Voice> for domain::Voice {
    fn from(voice: Voice) -> Self {
        Self { provider: voice.provider, model: voice.model, dialect: voice.dialect.0 }
    }
}

impl From<&domain::Creation> for Creation {
    fn from(creation: &domain::Creation) -> Self {
        let domain::Creation {
            name,
            require_validation,
            mode,
            restriction,
            automation,
            scheduled_at,
            parent,
            provider,
            model,
            dialect,
            prefix,
            told,
            run,
            agent,
            policy,
        } = creation;
        Self {
            name: name.clone(),
            require_validation: *require_validation,
            mode: mode.map(Word),
            restriction: restriction.into(),
            automation: automation.clone(),
            scheduled_at: scheduled_at.map(|at| at.0),
            parent: parent.as_ref().map(|call| call.as_str().to_owned()),
            provider: provider.clone(),
            model: model.clone(),
            dialect: dialect.into(),
            prefix: prefix.into(),
            told: shapes(told),
            run: run.as_ref().map(Into::into),
            agent: agent.as_deref().map(Into::into),
            policy: policy.into(),
        }
    }
}

impl From<Creation> for domain::Creation {
    fn from(creation: Creation) -> Self {
        Self {
            name: creation.name,
            require_validation: creation.require_validation,
            mode: creation.mode.map(|word| word.0),
            restriction: creation.restriction.into(),
            automation: creation.automation,
            scheduled_at: creation.scheduled_at.map(Timestamp),
            parent: creation.parent.map(CallId::new),
            provider: creation.provider,
            model: creation.model,
            dialect: creation.dialect.0,
            prefix: creation.prefix.into(),
            told: domains(creation.told),
            run: creation.run.map(Into::into),
            agent: creation.agent.map(|agent| Box::new(agent.into())),
            policy: creation.policy.into(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UserMessageSent {
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

impl From<&domain::UserMessageSent> for UserMessageSent {
    fn from(sent: &domain::UserMessageSent) -> Self {
        let domain::UserMessageSent { author, message, client_key, enrichments, title, asks } = sent;
        Self {
            author: author.clone(),
            message: shapes(&message.segments),
            client_key: client_key.clone(),
            enrichments: shapes(enrichments),
            title: title.clone(),
            asks: *asks,
        }
    }
}

impl From<UserMessageSent> for domain::UserMessageSent {
    fn from(sent: UserMessageSent) -> Self {
        Self {
            author: sent.author,
            message: UserMessage { segments: domains(sent.message) },
            client_key: sent.client_key,
            enrichments: domains(sent.enrichments),
            title: sent.title,
            asks: sent.asks,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelFailure {
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

/// The model that goes on where another one failed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Instead {
    voice: Voice,
    prefix: Hash,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    told: Vec<Told>,
}

impl From<&DomainInstead> for Instead {
    fn from(instead: &DomainInstead) -> Self {
        let DomainInstead { voice, prefix, told } = instead;
        Self { voice: voice.into(), prefix: prefix.into(), told: shapes(told) }
    }
}

impl From<Instead> for DomainInstead {
    fn from(instead: Instead) -> Self {
        Self { voice: instead.voice.into(), prefix: instead.prefix.into(), told: domains(instead.told) }
    }
}

impl From<&DomainFailure> for ModelFailure {
    fn from(failure: &DomainFailure) -> Self {
        let DomainFailure { class, message, retry_after, jitter, found_by_start, instead } = failure;
        Self {
            class: class.into(),
            message: message.clone(),
            retry_after: retry_after.map(|span| span.0),
            jitter: jitter.0,
            found_by_start: found_by_start.map(|at| at.0),
            instead: instead.as_ref().map(|instead| Box::new((&**instead).into())),
        }
    }
}

impl From<ModelFailure> for DomainFailure {
    fn from(failure: ModelFailure) -> Self {
        Self {
            class: failure.class.0,
            message: failure.message,
            retry_after: failure.retry_after.map(Millis),
            jitter: Millis(failure.jitter),
            found_by_start: failure.found_by_start.map(Timestamp),
            instead: failure.instead.map(|instead| Box::new((*instead).into())),
        }
    }
}
