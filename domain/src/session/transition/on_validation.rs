//! `ValidationReceived`: a person decides on one, some or all of the open calls.

use crate::call::CallStatus;
use crate::session::batch::{self, Batch};
use crate::session::{Phase, Step};
use crate::speech::sentences;
use crate::time::Deadline;
use crate::validation::{Decision, Verdict};

/// The calls of a phase, and until when they may be decided where nothing else is under way.
pub(super) struct Held {
    pub(super) batch: Batch,
    pub(super) expires: Option<Deadline>,
}

pub(super) fn on(step: &mut Step<'_>, held: Held, author: &str, decisions: Vec<Decision>) -> Phase {
    let Held { mut batch, expires } = held;
    step.human_act();
    let mut edited = false;
    for Decision { call, card: _, verdict, rule: _ } in decisions {
        if matches!(verdict, Verdict::Approve { edited: Some(_) }) {
            edited = true;
            // The model reads what ran, so these are words of whoever changed it.
            step.facts.hear([Some(author)]);
        }
        // Whoever says why not tells the model what to do instead, so that is asked for by two people.
        if matches!(verdict, Verdict::Reject { reason: Some(_) }) {
            step.facts.asked_by.join_known(author);
            step.facts.hear([Some(author)]);
        }
        // One that was decided before says the same again; the fence saw to that.
        if let Some(index) = batch.undecided_at(&call) {
            decide(step, &mut batch, index, author, verdict);
        }
    }
    if edited {
        batch::find_duplicates(step, &mut batch);
        batch::ask_where_needed(step, &mut batch);
    }
    match expires {
        Some(expires) if batch.waits_for_all() => Phase::WaitingValidation { batch, expires },
        Some(_) | None => batch::advance(step, batch),
    }
}

fn decide(step: &mut Step<'_>, batch: &mut Batch, index: usize, author: &str, verdict: Verdict) {
    match verdict {
        Verdict::Approve { edited } => batch::approve(step, &mut batch.calls[index], author, edited),
        Verdict::Reject { reason } => {
            batch.refused_with_reason |= reason.is_some();
            let text = match reason {
                Some(reason) => sentences::rejected_because(&reason),
                None => sentences::rejected(),
            };
            batch::end_call(step, &mut batch.calls[index], CallStatus::Rejected, text);
        }
    }
}
