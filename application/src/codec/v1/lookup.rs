//! Requested calls and what the pipeline looked up for them.

use entracte_domain::call::CallStatus;
use entracte_domain::command::{self, CommandKind, EffectClass};
use entracte_domain::id::CallId;
use entracte_domain::session as domain;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{self, Level};
use serde::{Deserialize, Serialize};

use super::call::Command;
use super::leaf::{Hash, JsonText};
use super::rights::AgentTerms;
use super::speech::Speech;
use super::task::TaskOfCall;
use super::words::Word;
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Terms {
    version: Hash,
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

impl From<&command::Terms> for Terms {
    fn from(terms: &command::Terms) -> Self {
        let command::Terms {
            version,
            effect,
            independent,
            destructive,
            asks,
            settle_ms,
            key_lifetime_ms,
            shows,
            agent,
            task,
        } = terms;
        Self {
            version: version.into(),
            effect: effect.into(),
            independent: *independent,
            destructive: *destructive,
            asks: *asks,
            settle_ms: *settle_ms,
            key_lifetime_ms: *key_lifetime_ms,
            shows: shapes(shows),
            agent: agent.as_deref().map(|agent| Box::new(agent.into())),
            task: task.as_ref().map(Into::into),
        }
    }
}

impl From<Terms> for command::Terms {
    fn from(terms: Terms) -> Self {
        Self {
            version: terms.version.into(),
            effect: terms.effect.0,
            independent: terms.independent,
            destructive: terms.destructive,
            asks: terms.asks,
            settle_ms: terms.settle_ms,
            key_lifetime_ms: terms.key_lifetime_ms,
            shows: domains(terms.shows),
            agent: terms.agent.map(|agent| Box::new((*agent).into())),
            task: terms.task.map(Into::into),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reason {
    level: Word<Level>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    text: Speech,
}

impl From<&validation::Reason> for Reason {
    fn from(reason: &validation::Reason) -> Self {
        let validation::Reason { level, about, text } = reason;
        Self { level: level.into(), about: about.clone(), text: text.into() }
    }
}

impl From<Reason> for validation::Reason {
    fn from(reason: Reason) -> Self {
        Self { level: reason.level.0, about: reason.about, text: reason.text.into() }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestedCall {
    #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
    provider_call_id: Option<String>,
    command: Command,
    #[serde(rename = "hash")]
    command_id: Hash,
    kind: Word<CommandKind>,
    lookup: Lookup,
}

impl From<&domain::RequestedCall> for RequestedCall {
    fn from(call: &domain::RequestedCall) -> Self {
        let domain::RequestedCall { provider_call_id, command, command_id, kind, lookup } = call;
        Self {
            provider_call_id: provider_call_id.clone(),
            command: command.into(),
            command_id: command_id.into(),
            kind: kind.into(),
            lookup: lookup.into(),
        }
    }
}

impl From<RequestedCall> for domain::RequestedCall {
    fn from(call: RequestedCall) -> Self {
        Self {
            provider_call_id: call.provider_call_id,
            command: call.command.into(),
            command_id: call.command_id.into(),
            kind: call.kind.0,
            lookup: call.lookup.into(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Lookup {
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

impl From<&domain::Lookup> for Lookup {
    fn from(lookup: &domain::Lookup) -> Self {
        match lookup {
            domain::Lookup::Known { terms, reasons, twin, rule, card } => Self::Known {
                terms: terms.into(),
                reasons: shapes(reasons),
                twin: twin.as_ref().map(Into::into),
                rule: rule.clone(),
                card: card.as_ref().map(Into::into),
            },
            domain::Lookup::Refused { status, message, path, shows } => Self::Refused {
                status: status.into(),
                message: message.clone(),
                path: path.clone(),
                shows: shows.as_ref().map(Into::into),
            },
        }
    }
}

impl From<Lookup> for domain::Lookup {
    fn from(lookup: Lookup) -> Self {
        match lookup {
            Lookup::Known { terms, reasons, twin, rule, card } => Self::Known {
                terms: terms.into(),
                reasons: domains(reasons),
                twin: twin.map(Into::into),
                rule,
                card: card.map(Into::into),
            },
            Lookup::Refused { status, message, path, shows } => {
                Self::Refused { status: status.0, message, path, shows: shows.map(Into::into) }
            }
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Twin {
    call: String,
    #[serde(rename = "finished")]
    finished_at: i64,
    content: JsonText,
    #[serde(default, skip_serializing_if = "is_default")]
    fresh: bool,
}

impl From<&domain::Twin> for Twin {
    fn from(twin: &domain::Twin) -> Self {
        let domain::Twin { call, finished_at, content, fresh } = twin;
        Self {
            call: call.as_str().to_owned(),
            finished_at: finished_at.0,
            content: content.into(),
            fresh: *fresh,
        }
    }
}

impl From<Twin> for domain::Twin {
    fn from(twin: Twin) -> Self {
        Self {
            call: CallId::new(twin.call),
            finished_at: Timestamp(twin.finished_at),
            content: twin.content.0,
            fresh: twin.fresh,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recheck {
    call: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<Hash>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    now: Option<CardNow>,
}

impl From<&domain::Recheck> for Recheck {
    fn from(recheck: &domain::Recheck) -> Self {
        let domain::Recheck { call, version, reasons, now } = recheck;
        Self {
            call: call.as_str().to_owned(),
            version: version.as_ref().map(Into::into),
            reasons: shapes(reasons),
            now: now.as_ref().map(Into::into),
        }
    }
}

impl From<Recheck> for domain::Recheck {
    fn from(recheck: Recheck) -> Self {
        Self {
            call: CallId::new(recheck.call),
            version: recheck.version.map(Into::into),
            reasons: domains(recheck.reasons),
            now: recheck.now.map(Into::into),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CardNow {
    terms: Terms,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<Hash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<Refusal>,
}

impl From<&domain::CardNow> for CardNow {
    fn from(now: &domain::CardNow) -> Self {
        let domain::CardNow { terms, card, refusal } = now;
        Self {
            terms: terms.into(),
            card: card.as_ref().map(Into::into),
            refusal: refusal.as_ref().map(Into::into),
        }
    }
}

impl From<CardNow> for domain::CardNow {
    fn from(now: CardNow) -> Self {
        Self { terms: now.terms.into(), card: now.card.map(Into::into), refusal: now.refusal.map(Into::into) }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusal {
    status: Word<CallStatus>,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

impl From<&domain::Refusal> for Refusal {
    fn from(refusal: &domain::Refusal) -> Self {
        let domain::Refusal { status, message, path } = refusal;
        Self { status: status.into(), message: message.clone(), path: path.clone() }
    }
}

impl From<Refusal> for domain::Refusal {
    fn from(refusal: Refusal) -> Self {
        Self { status: refusal.status.0, message: refusal.message, path: refusal.path }
    }
}
