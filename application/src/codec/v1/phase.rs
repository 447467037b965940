//! Phases, with their rounds and batches.

use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{self as domain, EndReason, ParkReason, RoundReason};

use super::ai::QuestionV1;
use super::call::CallV1;
use super::is_default;
use super::leaf::DueV1;
use super::shape::shape;
use super::speech::SpeechV1;
use super::summary::SummingV1;
use super::words::WordV1;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum PhaseV1 = domain::Phase {
        Idle,
        ExecutingEnrichments(batch: BatchV1),
        CallingAi(round: RoundV1),
        WaitingValidation {
            batch: BatchV1,
            expires: DueV1,
        },
        WaitingCommunicationResponse {
            question: QuestionV1,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            expires: Option<DueV1>,
        },
        ExecutingDataQueries(batch: BatchV1),
        ExecutingActions(batch: BatchV1),
        WaitingCompletionConfirmation {
            confirm: DueV1,
        },
        WaitingNetworkRetry {
            round: RoundV1,
            retry: DueV1,
        },
        AwaitingSessionClosure {
            reason: WordV1<EndReason>,
            close: DueV1,
        },
        Completed {
            reason: WordV1<EndReason>,
        },
        WaitingTask,
        CompactingContext {
            round: RoundV1,
            #[serde(default, skip_serializing_if = "is_default")]
            summing: SummingV1,
        },
    }
    stored as { domain::Phase::Parked(_) => Idle }
}

impl PhaseV1 {
    /// Adds the park reason, which is stored beside the phase, to a parked session's phase.
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
            // An ended or resumed session is not parked, even if an older version stored a reason.
            (phase, _) => phase,
        }
    }
}

/// Turns the rest in which a batch waits for its agents into a quarantine.
fn quarantined(batch: domain::CallBatch) -> domain::CallBatch {
    let halt = batch.halt.map(|halt| match halt {
        domain::BatchHalt::Rest | domain::BatchHalt::Quarantine => domain::BatchHalt::Quarantine,
        domain::BatchHalt::End(reason) => domain::BatchHalt::End(reason),
    });
    domain::CallBatch { halt, ..batch }
}

shape! {
    pub(super) struct RoundV1 = domain::Round {
        number: u32,
        reason: WordV1<RoundReason>,
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
        left: Vec<LeftV1>,
    }
}

shape! {
    /// A failed provider that a round replaced by another one.
    pub(super) struct LeftV1 = domain::FailedProvider {
        provider: String,
        class: WordV1<FailureClass>,
    }
}

shape! {
    pub(super) struct BatchV1 = domain::CallBatch {
        #[serde(default, skip_serializing_if = "is_default")]
        origin: BatchOriginV1,
        calls: Vec<CallV1>,
        #[serde(default, rename = "post", skip_serializing_if = "Option::is_none")]
        post_text: Option<String>,
        #[serde(default, rename = "keep", skip_serializing_if = "is_default")]
        keep_control: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        remarks: Vec<SpeechV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        refused_with_reason: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_until: Option<DueV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        halt: Option<HaltV1>,
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    enum BatchOriginV1 = domain::BatchOrigin {
        #[default]Reply,
        Enrichments(reason: WordV1<RoundReason>),
    }
}

shape! {
    #[serde(rename_all = "snake_case")]
    enum HaltV1 = domain::BatchHalt {
        Rest,
        End(reason: WordV1<EndReason>),
    }
    stored as {
        // The quarantine is stored beside the phase.
        domain::BatchHalt::Quarantine => Rest
    }
}
