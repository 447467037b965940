//! The parts of a session's facts.

use entracte_domain::id::MessageId;
use entracte_domain::session::{self as domain, Sighting};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::leaf::{Due, Hash, HashPair};
use super::lookup::RequestedCall;
use super::speech::Speech;
use super::{domains, is_default, shapes};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Slot {
    #[default]
    None,
    Held,
    Queued(i64),
    Suspended(i64),
}

impl From<&domain::Slot> for Slot {
    fn from(slot: &domain::Slot) -> Self {
        match slot {
            domain::Slot::None => Self::None,
            domain::Slot::Held => Self::Held,
            domain::Slot::Queued(since) => Self::Queued(since.0),
            domain::Slot::Suspended(since) => Self::Suspended(since.0),
        }
    }
}

impl From<Slot> for domain::Slot {
    fn from(slot: Slot) -> Self {
        match slot {
            Slot::None => Self::None,
            Slot::Held => Self::Held,
            Slot::Queued(since) => Self::Queued(Timestamp(since)),
            Slot::Suspended(since) => Self::Suspended(Timestamp(since)),
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Counters {
    #[serde(default, skip_serializing_if = "is_default")]
    rounds_total: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    rounds_since_human: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    query_rounds: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    failed_action_rounds: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    format_errors: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    relaunches: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    without_progress: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    equal_failures: Option<EqualFailures>,
    #[serde(default, skip_serializing_if = "is_default")]
    calls_total: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    closing_done: bool,
}

impl From<&domain::Counters> for Counters {
    fn from(counters: &domain::Counters) -> Self {
        let domain::Counters {
            rounds_total,
            rounds_since_human,
            query_rounds,
            failed_action_rounds,
            format_errors,
            relaunches,
            without_progress,
            equal_failures,
            calls_total,
            closing_done,
        } = counters;
        Self {
            rounds_total: *rounds_total,
            rounds_since_human: *rounds_since_human,
            query_rounds: *query_rounds,
            failed_action_rounds: *failed_action_rounds,
            format_errors: *format_errors,
            relaunches: *relaunches,
            without_progress: *without_progress,
            equal_failures: equal_failures.as_ref().map(Into::into),
            calls_total: *calls_total,
            closing_done: *closing_done,
        }
    }
}

impl From<Counters> for domain::Counters {
    fn from(counters: Counters) -> Self {
        Self {
            rounds_total: counters.rounds_total,
            rounds_since_human: counters.rounds_since_human,
            query_rounds: counters.query_rounds,
            failed_action_rounds: counters.failed_action_rounds,
            format_errors: counters.format_errors,
            relaunches: counters.relaunches,
            without_progress: counters.without_progress,
            equal_failures: counters.equal_failures.map(Into::into),
            calls_total: counters.calls_total,
            closing_done: counters.closing_done,
        }
    }
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EqualFailures {
    signature: Speech,
    count: u32,
}

impl From<&domain::EqualFailures> for EqualFailures {
    fn from(failures: &domain::EqualFailures) -> Self {
        let domain::EqualFailures { signature, count } = failures;
        Self { signature: signature.into(), count: *count }
    }
}

impl From<EqualFailures> for domain::EqualFailures {
    fn from(failures: EqualFailures) -> Self {
        let EqualFailures { signature, count } = failures;
        Self { signature: signature.into(), count }
    }
}

/// The hashes of a command and its result; two short ones are one text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Seen {
    Short(HashPair),
    Any(Hash, Hash),
}

impl From<&Sighting> for Seen {
    fn from(sighting: &Sighting) -> Self {
        let (command, result) = sighting.hashes();
        match HashPair::of(command, result) {
            Some(pair) => Self::Short(pair),
            None => Self::Any(command.into(), result.into()),
        }
    }
}

impl From<Seen> for Sighting {
    fn from(seen: Seen) -> Self {
        match seen {
            Seen::Short(pair) => {
                let (command, result) = pair.hashes();
                Self::of(&command, &result)
            }
            Seen::Any(command, result) => Self::of(&command.into(), &result.into()),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Queued {
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    enrichments: Vec<RequestedCall>,
}

impl From<&domain::QueuedMessage> for Queued {
    fn from(queued: &domain::QueuedMessage) -> Self {
        let domain::QueuedMessage { message, author, enrichments } = queued;
        let (author, enrichments) = (author.clone(), shapes(enrichments));
        Self { message: message.as_str().to_owned(), author, enrichments }
    }
}

impl From<Queued> for domain::QueuedMessage {
    fn from(queued: Queued) -> Self {
        let (message, enrichments) = (MessageId::new(queued.message), domains(queued.enrichments));
        Self { message, author: queued.author, enrichments }
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Crashes {
    #[serde(default, skip_serializing_if = "is_default")]
    count: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_start: Option<i64>,
}

impl From<&domain::Crashes> for Crashes {
    fn from(crashes: &domain::Crashes) -> Self {
        let domain::Crashes { count, last_start } = crashes;
        Self { count: *count, last_start: last_start.map(|at| at.0) }
    }
}

impl From<Crashes> for domain::Crashes {
    fn from(crashes: Crashes) -> Self {
        Self { count: crashes.count, last_start: crashes.last_start.map(Timestamp) }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Parked {
    Exhausted(String),
    Interrupted,
    Quarantined,
}

impl From<&domain::ParkedWhy> for Parked {
    fn from(why: &domain::ParkedWhy) -> Self {
        match why {
            domain::ParkedWhy::Exhausted(text) => Self::Exhausted(text.clone()),
            domain::ParkedWhy::Interrupted => Self::Interrupted,
            domain::ParkedWhy::Quarantined => Self::Quarantined,
        }
    }
}

impl From<Parked> for domain::ParkedWhy {
    fn from(parked: Parked) -> Self {
        match parked {
            Parked::Exhausted(text) => Self::Exhausted(text),
            Parked::Interrupted => Self::Interrupted,
            Parked::Quarantined => Self::Quarantined,
        }
    }
}

/// Somebody has the session open.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attachment {
    id: String,
    author: String,
    lease: Due,
}

impl From<&domain::Attachment> for Attachment {
    fn from(attachment: &domain::Attachment) -> Self {
        let domain::Attachment { id, author, lease } = attachment;
        Self { id: id.clone(), author: author.clone(), lease: lease.into() }
    }
}

impl From<Attachment> for domain::Attachment {
    fn from(attachment: Attachment) -> Self {
        let Attachment { id, author, lease } = attachment;
        Self { id, author, lease: lease.into() }
    }
}
