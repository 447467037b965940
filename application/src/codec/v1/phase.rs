//! Phases, and the rounds and batches they hold.

use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{self as domain, EndReason, ParkReason, RoundReason};

use super::ai::Question;
use super::call::Call;
use super::is_default;
use super::leaf::Due;
use super::shape::shape;
use super::speech::Speech;
use super::summary::Summing;
use super::words::Word;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum Phase = domain::Phase {
        Idle,
        ExecutingEnrichments(batch: Batch),
        CallingAi(round: Round),
        WaitingValidation {
            batch: Batch,
            expires: Due,
        },
        WaitingCommunicationResponse {
            question: Question,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            expires: Option<Due>,
        },
        ExecutingDataQueries(batch: Batch),
        ExecutingActions(batch: Batch),
        WaitingCompletionConfirmation {
            confirm: Due,
        },
        WaitingNetworkRetry {
            round: Round,
            retry: Due,
        },
        AwaitingSessionClosure {
            reason: Word<EndReason>,
            close: Due,
        },
        Completed {
            reason: Word<EndReason>,
        },
        WaitingTask,
        CompactingContext {
            round: Round,
            #[serde(default, skip_serializing_if = "is_default")]
            summing: Summing,
        },
    }
    stored as { domain::Phase::Parked(_) => Idle }
}

impl Phase {
    /// The phase of a session that is parked for that reason, which is stored beside it.
    pub(super) fn parked(self, why: Option<ParkReason>) -> domain::Phase {
        use domain::Phase as Domain;
        match (Domain::from(self), why) {
            (Domain::Idle, Some(why)) => Domain::Parked(why),
            (Domain::ExecutingEnrichments(batch), Some(ParkReason::Quarantined)) => {
                Domain::ExecutingEnrichments(quarantined(batch))
            }
            (Domain::ExecutingDataQueries(batch), Some(ParkReason::Quarantined)) => {
                Domain::ExecutingDataQueries(quarantined(batch))
            }
            (Domain::ExecutingActions(batch), Some(ParkReason::Quarantined)) => {
                Domain::ExecutingActions(quarantined(batch))
            }
            // What ended or went on is parked no more, whatever older versions kept.
            (phase, _) => phase,
        }
    }
}

/// The rest that the agents of a batch are waited for with is the one of a quarantine.
fn quarantined(batch: domain::CallBatch) -> domain::CallBatch {
    let halt = batch.halt.map(|halt| match halt {
        domain::BatchHalt::Rest | domain::BatchHalt::Quarantine => domain::BatchHalt::Quarantine,
        domain::BatchHalt::End(reason) => domain::BatchHalt::End(reason),
    });
    domain::CallBatch { halt, ..batch }
}

shape! {
    pub(super) struct Round = domain::Round {
        number: u32,
        reason: Word<RoundReason>,
        attempt: u32,
        #[serde(default, rename = "started", skip_serializing_if = "Option::is_none")]
        started_at: Option<i64>,
        #[serde(default, skip_serializing_if = "is_default")]
        closing: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        words_only: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        lost: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        compacted: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        repaired: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        waits: u32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left: Vec<Left>,
    }
}

shape! {
    /// A provider that a round went on without.
    pub(super) struct Left = domain::FailedProvider {
        provider: String,
        class: Word<FailureClass>,
    }
}

shape! {
    pub(super) struct Batch = domain::CallBatch {
        #[serde(default, skip_serializing_if = "is_default")]
        origin: BatchOrigin,
        calls: Vec<Call>,
        #[serde(default, rename = "post", skip_serializing_if = "Option::is_none")]
        post_text: Option<String>,
        #[serde(default, rename = "keep", skip_serializing_if = "is_default")]
        keep_control: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        remarks: Vec<Speech>,
        #[serde(default, skip_serializing_if = "is_default")]
        refused_with_reason: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_until: Option<Due>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        halt: Option<Halt>,
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    enum BatchOrigin = domain::BatchOrigin {
        #[default]Reply,
        Enrichments(reason: Word<RoundReason>),
    }
}

shape! {
    #[serde(rename_all = "snake_case")]
    enum Halt = domain::BatchHalt {
        Rest,
        End(reason: Word<EndReason>),
    }
    stored as {
        // That it is a quarantine stands beside the phase.
        domain::BatchHalt::Quarantine => Rest
    }
}
