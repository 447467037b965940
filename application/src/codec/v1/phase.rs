//! Phases, and the rounds and batches they hold.

use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{self as domain, EndReason, ParkedWhy, RoundReason};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::ai::Question;
use super::call::Call;
use super::leaf::Due;
use super::speech::Speech;
use super::summary::Summing;
use super::words::Word;
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Phase {
    Idle,
    ExecutingEnrichments(Batch),
    CallingAi(Round),
    WaitingValidation {
        batch: Batch,
        expires: Due,
    },
    WaitingCommunicationResponse {
        question: Question,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires: Option<Due>,
    },
    ExecutingDataQueries(Batch),
    ExecutingActions(Batch),
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

impl From<&domain::Phase> for Phase {
    fn from(phase: &domain::Phase) -> Self {
        use domain::Phase as Domain;
        match phase {
            Domain::Idle | Domain::Parked(_) => Self::Idle,
            Domain::ExecutingEnrichments(batch) => Self::ExecutingEnrichments(batch.into()),
            Domain::CallingAi(round) => Self::CallingAi(round.into()),
            Domain::WaitingValidation { batch, expires } => {
                Self::WaitingValidation { batch: batch.into(), expires: expires.into() }
            }
            Domain::WaitingCommunicationResponse { question, expires } => {
                Self::WaitingCommunicationResponse {
                    question: question.into(),
                    expires: expires.as_ref().map(Into::into),
                }
            }
            Domain::ExecutingDataQueries(batch) => Self::ExecutingDataQueries(batch.into()),
            Domain::ExecutingActions(batch) => Self::ExecutingActions(batch.into()),
            Domain::WaitingCompletionConfirmation { confirm } => {
                Self::WaitingCompletionConfirmation { confirm: confirm.into() }
            }
            Domain::WaitingNetworkRetry { round, retry } => {
                Self::WaitingNetworkRetry { round: round.into(), retry: retry.into() }
            }
            Domain::AwaitingSessionClosure { reason, close } => {
                Self::AwaitingSessionClosure { reason: reason.into(), close: close.into() }
            }
            Domain::Completed { reason } => Self::Completed { reason: reason.into() },
            Domain::WaitingTask => Self::WaitingTask,
            Domain::CompactingContext { round, summing } => {
                Self::CompactingContext { round: round.into(), summing: summing.into() }
            }
        }
    }
}

impl Phase {
    /// The phase of a session that is parked for that reason, which is stored beside it.
    pub(super) fn parked(self, why: Option<ParkedWhy>) -> domain::Phase {
        use domain::Phase as Domain;
        match (Domain::from(self), why) {
            (Domain::Idle, Some(why)) => Domain::Parked(why),
            (Domain::ExecutingEnrichments(batch), Some(ParkedWhy::Quarantined)) => {
                Domain::ExecutingEnrichments(quarantined(batch))
            }
            (Domain::ExecutingDataQueries(batch), Some(ParkedWhy::Quarantined)) => {
                Domain::ExecutingDataQueries(quarantined(batch))
            }
            (Domain::ExecutingActions(batch), Some(ParkedWhy::Quarantined)) => {
                Domain::ExecutingActions(quarantined(batch))
            }
            // What ended or went on is parked no more, whatever older versions kept.
            (phase, _) => phase,
        }
    }
}

/// The rest that the agents of a batch are waited for with is the one of a quarantine.
fn quarantined(batch: domain::Batch) -> domain::Batch {
    let halt = batch.halt.map(|halt| match halt {
        domain::Halt::Rest | domain::Halt::Quarantine => domain::Halt::Quarantine,
        domain::Halt::End(reason) => domain::Halt::End(reason),
    });
    domain::Batch { halt, ..batch }
}

impl From<Phase> for domain::Phase {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Idle => Self::Idle,
            Phase::ExecutingEnrichments(batch) => Self::ExecutingEnrichments(batch.into()),
            Phase::CallingAi(round) => Self::CallingAi(round.into()),
            Phase::WaitingValidation { batch, expires } => {
                Self::WaitingValidation { batch: batch.into(), expires: expires.into() }
            }
            Phase::WaitingCommunicationResponse { question, expires } => Self::WaitingCommunicationResponse {
                question: question.into(),
                expires: expires.map(Into::into),
            },
            Phase::ExecutingDataQueries(batch) => Self::ExecutingDataQueries(batch.into()),
            Phase::ExecutingActions(batch) => Self::ExecutingActions(batch.into()),
            Phase::WaitingCompletionConfirmation { confirm } => {
                Self::WaitingCompletionConfirmation { confirm: confirm.into() }
            }
            Phase::WaitingNetworkRetry { round, retry } => {
                Self::WaitingNetworkRetry { round: round.into(), retry: retry.into() }
            }
            Phase::AwaitingSessionClosure { reason, close } => {
                Self::AwaitingSessionClosure { reason: reason.0, close: close.into() }
            }
            Phase::Completed { reason } => Self::Completed { reason: reason.0 },
            Phase::WaitingTask => Self::WaitingTask,
            Phase::CompactingContext { round, summing } => {
                Self::CompactingContext { round: round.into(), summing: summing.into() }
            }
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Round {
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

/// A provider that a round went on without.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Left {
    provider: String,
    class: Word<FailureClass>,
}

impl From<&domain::Left> for Left {
    fn from(left: &domain::Left) -> Self {
        let domain::Left { provider, class } = left;
        Self { provider: provider.clone(), class: class.into() }
    }
}

impl From<Left> for domain::Left {
    fn from(left: Left) -> Self {
        Self { provider: left.provider, class: left.class.0 }
    }
}

impl From<&domain::Round> for Round {
    fn from(round: &domain::Round) -> Self {
        let domain::Round {
            number,
            reason,
            attempt,
            started_at,
            closing,
            words_only,
            lost,
            compacted,
            repaired,
            waits,
            left,
        } = round;
        Self {
            number: *number,
            reason: reason.into(),
            attempt: *attempt,
            started_at: started_at.map(|at| at.0),
            closing: *closing,
            words_only: *words_only,
            lost: *lost,
            compacted: *compacted,
            repaired: *repaired,
            waits: *waits,
            left: shapes(left),
        }
    }
}

impl From<Round> for domain::Round {
    fn from(round: Round) -> Self {
        Self {
            number: round.number,
            reason: round.reason.0,
            attempt: round.attempt,
            started_at: round.started_at.map(Timestamp),
            closing: round.closing,
            words_only: round.words_only,
            lost: round.lost,
            compacted: round.compacted,
            repaired: round.repaired,
            waits: round.waits,
            left: domains(round.left),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Batch {
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

impl From<&domain::Batch> for Batch {
    fn from(batch: &domain::Batch) -> Self {
        let domain::Batch {
            origin,
            calls,
            post_text,
            keep_control,
            remarks,
            refused_with_reason,
            asked_until,
            halt,
        } = batch;
        Self {
            origin: origin.into(),
            calls: shapes(calls),
            post_text: post_text.clone(),
            keep_control: *keep_control,
            remarks: shapes(remarks),
            refused_with_reason: *refused_with_reason,
            asked_until: asked_until.map(|until| (&until).into()),
            halt: halt.as_ref().map(Into::into),
        }
    }
}

impl From<Batch> for domain::Batch {
    fn from(batch: Batch) -> Self {
        Self {
            origin: batch.origin.into(),
            calls: domains(batch.calls),
            post_text: batch.post_text,
            keep_control: batch.keep_control,
            remarks: domains(batch.remarks),
            refused_with_reason: batch.refused_with_reason,
            asked_until: batch.asked_until.map(Into::into),
            halt: batch.halt.map(Into::into),
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BatchOrigin {
    #[default]
    Reply,
    Enrichments(Word<RoundReason>),
}

impl From<&domain::BatchOrigin> for BatchOrigin {
    fn from(origin: &domain::BatchOrigin) -> Self {
        match origin {
            domain::BatchOrigin::Reply => Self::Reply,
            domain::BatchOrigin::Enrichments(reason) => Self::Enrichments(reason.into()),
        }
    }
}

impl From<BatchOrigin> for domain::BatchOrigin {
    fn from(origin: BatchOrigin) -> Self {
        match origin {
            BatchOrigin::Reply => Self::Reply,
            BatchOrigin::Enrichments(reason) => Self::Enrichments(reason.0),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Halt {
    Rest,
    End(Word<EndReason>),
}

impl From<&domain::Halt> for Halt {
    fn from(halt: &domain::Halt) -> Self {
        match halt {
            // That it is a quarantine stands beside the phase.
            domain::Halt::Rest | domain::Halt::Quarantine => Self::Rest,
            domain::Halt::End(reason) => Self::End(reason.into()),
        }
    }
}

impl From<Halt> for domain::Halt {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Rest => Self::Rest,
            Halt::End(reason) => Self::End(reason.0),
        }
    }
}
