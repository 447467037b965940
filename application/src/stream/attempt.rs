//! Determines the current attempt of a model call from the log alone: live, after a crash, and a year later.

use entracte_domain::id::{MessageId, RoundAttempt};
use entracte_domain::message::MessageBody;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, JournalNote, LogAppend, ModelCallImpact};

use crate::journal::JournalEntry;

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// Its text was stored.
    Complete {
        /// The text of the attempt.
        text: String,
        /// The message that stores it.
        message: MessageId,
    },
    /// Its text is void.
    Superseded(SupersessionReason),
}

entracte_domain::words! {
    /// Why the text of an attempt is void.
    pub enum SupersessionReason {
        /// Its end is unknown: the process died, or the connection broke.
        Lost = "lost",
        /// It failed; another attempt may follow.
        Retried = "retried",
        /// A person, or the end of the session's time, interrupted it.
        Interrupted = "interrupted",
        /// The reply could not be parsed.
        Invalid = "invalid",
        /// The stored text differs from the streamed one.
        Corrected = "corrected",
    }
}

/// The attempt that begins with an entry.
pub fn started_attempt(entry: &JournalEntry) -> Option<RoundAttempt> {
    entry.appended.iter().rev().find_map(|appended| match appended {
        LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) => {
            Some(RoundAttempt { round: *round, attempt: *attempt })
        }
        LogAppend::Note(_) | LogAppend::Message(_) => None,
    })
}

/// How this entry ends the running attempt of its session; `None` if it does not.
pub fn attempt_end(entry: &JournalEntry, running: RoundAttempt) -> Option<AttemptEnd> {
    let is_running =
        |round: &u32, attempt: &u32| RoundAttempt { round: *round, attempt: *attempt } == running;
    let superseded = |why| Some(AttemptEnd::Superseded(why));
    match entry.input.properties().impact {
        ModelCallImpact::Continuation => {}
        ModelCallImpact::Interruption => {
            // The words of a reply that a person stopped stay.
            let kept = stored(entry).map(|(text, message)| AttemptEnd::Complete { text, message });
            return kept.or(Some(AttemptEnd::Superseded(SupersessionReason::Interrupted)));
        }
        ModelCallImpact::Loss => return superseded(SupersessionReason::Lost),
    }
    match &entry.input {
        Input::AiResponseReceived(response) if response.number() == running => {
            match stored(entry).filter(|_| response.faults.is_empty()) {
                Some((text, message)) => Some(AttemptEnd::Complete { text, message }),
                None => superseded(SupersessionReason::Invalid),
            }
        }
        Input::NetworkErrorOccurred { round, attempt, failure }
        | Input::ProviderErrorOccurred { round, attempt, failure, .. }
            if is_running(round, attempt) =>
        {
            let is_lost = failure.class == FailureClass::Lost;
            superseded(if is_lost { SupersessionReason::Lost } else { SupersessionReason::Retried })
        }
        // The request was not sent.
        Input::BudgetReached { round, attempt, .. } | Input::SpendingRefused { round, attempt, .. }
            if is_running(round, attempt) =>
        {
            superseded(SupersessionReason::Retried)
        }
        _ => started_attempt(entry)
            .filter(|next| *next != running)
            .and(superseded(SupersessionReason::Retried)),
    }
}

/// The model's text that an entry stores, with its message.
fn stored(entry: &JournalEntry) -> Option<(String, MessageId)> {
    let message = entry.input.message(&entry.session, entry.sequence, entry.at)?;
    match message.body {
        MessageBody::Ai(said) => Some((said.pre_text, message.id)),
        MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::System(_) | MessageBody::Execution(_) => {
            None
        }
    }
}
