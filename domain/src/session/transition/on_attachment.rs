//! `SessionOpened` and `SessionLeft`: attachments of clients. They do not change the phase; placement reads them.

use crate::session::{Phase, SessionAttachment, SessionKind, SessionOpening, Slot, TransitionContext};
use crate::time::Deadline;

/// Adds an attachment or renews its lease; on request the session also asks for its slot.
pub(super) fn attach_session(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    opening: SessionOpening,
) -> Phase {
    let now = step.now;
    let lease = Deadline { armed_at: now, due_at: opening.until };
    let attachment = SessionAttachment { id: opening.attachment, author: opening.author, lease };
    step.facts.attach(attachment, step.rules.set_back, now);
    if opening.asks_slot {
        step.record_person_act();
    }
    let facts = &mut *step.facts;
    let asks = opening.asks_slot || facts.asks_slot.is_some();
    facts.asks_slot = (asks && facts.slot != Slot::Held).then_some(lease);
    phase
}

/// Removes an attachment. A session without attachments no longer asks for its slot.
pub(super) fn detach_session(step: &mut TransitionContext<'_>, phase: Phase, attachment: &str) -> Phase {
    let facts = &mut *step.facts;
    facts.attached.retain(|known| known.id != attachment);
    if facts.attached.is_empty() {
        facts.asks_slot = None;
    }
    phase
}

/// Whether a session of this kind may ask for a slot without work: runs get theirs automatically.
pub(super) fn can_request_slot(kind: SessionKind) -> bool {
    match kind {
        SessionKind::Chat => true,
        SessionKind::Seed | SessionKind::Automation | SessionKind::Agent => false,
    }
}
