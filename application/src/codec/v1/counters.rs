//! The parts of a session's facts.

use entracte_domain::session::{self as domain, Sighting};
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::{Due, Hash, HashPair};
use super::lookup::RequestedCall;
use super::shape::{by_hand, shape};
use super::speech::Speech;

shape! {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum Slot = domain::Slot {
        #[default]None,
        Held,
        Queued(since: i64),
        Suspended(since: i64),
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct Counters = domain::Counters {
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
}

shape! {
    #[derive(PartialEq, Eq)]
    struct EqualFailures = domain::EqualFailures {
        signature: Speech,
        count: u32,
    }
}

/// The hashes of a command and its result; two short ones are one text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Seen {
    Short(HashPair),
    Any(Hash, Hash),
}

by_hand!(Seen = Sighting);

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

shape! {
    pub(super) struct Queued = domain::QueuedMessage {
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        enrichments: Vec<RequestedCall>,
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct Crashes = domain::Crashes {
        #[serde(default, skip_serializing_if = "is_default")]
        count: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_start: Option<i64>,
    }
}

shape! {
    #[serde(rename_all = "snake_case")]
    pub(super) enum Parked = domain::ParkedWhy {
        Exhausted(text: String),
        Interrupted,
        Quarantined,
    }
}

shape! {
    /// Somebody has the session open.
    #[derive(PartialEq, Eq)]
    pub(super) struct Attachment = domain::Attachment {
        id: String,
        author: String,
        lease: Due,
    }
}
