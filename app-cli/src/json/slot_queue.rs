use entracte_application::use_cases::{AcceptedRequest, QueuePosition};
use entracte_domain::workspace::ActivationResult;
use serde::Serialize;

use crate::render::time::iso;

/// Where a session stands among those that wait for a slot.
#[derive(Serialize)]
pub(crate) struct SlotQueueObject {
    position: usize,
    since: String,
    ahead: Vec<QueuedAheadObject>,
}

/// A session that is before it.
#[derive(Serialize)]
struct QueuedAheadObject {
    session: String,
    name: String,
    kind: &'static str,
    standing: &'static str,
    since: String,
}

impl From<&QueuePosition> for SlotQueueObject {
    fn from(place: &QueuePosition) -> Self {
        let ahead = place.ahead.iter().map(|ahead| QueuedAheadObject {
            session: ahead.session.to_string(),
            name: ahead.name.clone(),
            kind: ahead.kind.word(),
            standing: ahead.standing.word(),
            since: iso(ahead.since),
        });
        Self { position: place.position, since: iso(place.since), ahead: ahead.collect() }
    }
}

/// `entracte.open/1`: a chat that was opened.
#[derive(Serialize)]
pub(crate) struct OpenChatObject {
    schema: &'static str,
    session: String,
    activation: Option<&'static str>,
    /// Where it waits for its slot; null when it has it.
    slot: Option<SlotQueueObject>,
}

impl OpenChatObject {
    /// What came of asking.
    pub(crate) fn new(opened: &AcceptedRequest, place: Option<&QueuePosition>) -> Self {
        Self {
            schema: "entracte.open/1",
            session: opened.session.to_string(),
            activation: opened.activation.map(ActivationResult::word),
            slot: place.map(SlotQueueObject::from),
        }
    }
}
