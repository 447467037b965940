//! The parts of a session's facts.

use std::fmt;

use entracte_domain::session::{self as domain, FingerprintBits, ResultFingerprint};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::is_default;
use super::leaf::{DueV1, HashV1, decoded, write_bytes};
use super::lookup::RequestedCallV1;
use super::shape::{by_hand, shape};
use super::speech::SpeechV1;
use super::spending::SpendingQuestionV1;

shape! {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum SlotV1 = domain::Slot {
        #[default]None,
        Held,
        Queued(since: i64),
        Suspended(since: i64),
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct CountersV1 = domain::SessionCounters {
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
        equal_failures: Option<EqualFailuresV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        calls_total: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        closing_done: bool,
    }
}

shape! {
    #[derive(PartialEq, Eq)]
    struct EqualFailuresV1 = domain::FailureStreak {
        signature: SpeechV1,
        count: u32,
    }
}

/// The hashes of a command and its result. A pair of 64-bit hashes is stored as 16 bytes, because a snapshot has many
/// and is written with every commit; longer hashes are stored as a list.
#[derive(Debug)]
pub(super) struct SeenV1(ResultFingerprint);

/// The size of two 64-bit hashes in bytes.
const PAIR: usize = 16;

by_hand!(SeenV1 = ResultFingerprint);

impl From<&ResultFingerprint> for SeenV1 {
    fn from(sighting: &ResultFingerprint) -> Self {
        Self(sighting.clone())
    }
}

impl From<SeenV1> for ResultFingerprint {
    fn from(seen: SeenV1) -> Self {
        seen.0
    }
}

impl Serialize for SeenV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.short_bits() {
            Some(FingerprintBits { command, result }) => {
                let pair = u128::from(command) << 64 | u128::from(result);
                write_bytes(&pair.to_be_bytes(), serializer)
            }
            None => {
                let (command, result) = self.0.short_digests();
                (HashV1::from(&command), HashV1::from(&result)).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for SeenV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SeenVisitorV1).map(Self)
    }
}

struct SeenVisitorV1;

impl<'de> Visitor<'de> for SeenVisitorV1 {
    type Value = ResultFingerprint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("two hashes")
    }

    fn visit_str<E: de::Error>(self, stored: &str) -> Result<ResultFingerprint, E> {
        let bytes = decoded::<PAIR>(stored);
        let bytes = bytes.ok_or_else(|| E::custom(format!("“{stored}” is not a valid pair of hashes")))?;
        self.visit_bytes(&bytes)
    }

    fn visit_bytes<E: de::Error>(self, stored: &[u8]) -> Result<ResultFingerprint, E> {
        let pair = stored.split_first_chunk().map(|(command, rest)| (command, <[u8; 8]>::try_from(rest)));
        let Some((command, Ok(result))) = pair else {
            return Err(E::custom(format!("{} bytes are not a valid pair of hashes", stored.len())));
        };
        let (command, result) = (u64::from_be_bytes(*command), u64::from_be_bytes(result));
        Ok(ResultFingerprint::from_short_bits(FingerprintBits { command, result }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ResultFingerprint, A::Error> {
        let mut next =
            |place| list.next_element::<HashV1>()?.ok_or_else(|| de::Error::invalid_length(place, &self));
        let (command, result) = (next(0)?, next(1)?);
        Ok(ResultFingerprint::from_digests(&command.into(), &result.into()))
    }
}

shape! {
    pub(super) struct QueuedV1 = domain::QueuedMessage {
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        enrichments: Vec<RequestedCallV1>,
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct CrashesV1 = domain::CrashStreak {
        #[serde(default, skip_serializing_if = "is_default")]
        count: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_start: Option<i64>,
    }
}

shape! {
    #[serde(rename_all = "snake_case")]
    pub(super) enum ParkedV1 = domain::ParkReason {
        Exhausted(text: String),
        Interrupted,
        Quarantined,
        Spending(question: SpendingQuestionV1),
    }
}

shape! {
    /// Whether a client has the session open.
    #[derive(PartialEq, Eq)]
    pub(super) struct AttachmentV1 = domain::SessionAttachment {
        id: String,
        author: String,
        lease: DueV1,
    }
}

shape! {
    pub(super) struct FailedApprovalV1 = domain::FailedApproval {
        call: String,
        approver: String,
        sequence: u64,
    }
}
