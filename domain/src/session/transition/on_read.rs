//! `MessagesRead` and `EndSeen`: a person read up to a sequence, or saw how a run ended or that an approved
//! call failed. They change nothing else.

use crate::session::{Phase, READERS_MAX, TransitionContext};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, reader: String, sequence: u64) -> Phase {
    step.facts.forget_failures_of(&reader, sequence);
    let read = &mut step.facts.read;
    read.retain(|(name, _)| *name != reader);
    read.push((reader, sequence));
    let over = read.len().saturating_sub(READERS_MAX);
    read.drain(..over);
    phase
}

pub(super) fn record_end_seen(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    step.facts.failed.clear();
    step.facts.is_end_seen |= phase.end_reason().is_some();
    phase
}
