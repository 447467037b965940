use entracte_application::use_cases::{AcceptedRequest, QueuePosition};
use entracte_domain::workspace::ActivationResult;
use serde::Serialize;

use crate::render::time::iso;

/// The position of a session in the slot queue.
#[derive(Serialize)]
pub(crate) struct SlotQueueObject {
    position: usize,
    since: String,
    ahead: Vec<QueuedAheadObject>,
}

/// A session ahead in the queue.
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

/// `entracte.open/1`: an opened chat.
#[derive(Serialize)]
pub(crate) struct OpenChatObject {
    schema: &'static str,
    session: String,
    activation: Option<&'static str>,
    /// Its place in the slot queue; null if it has the slot.
    slot: Option<SlotQueueObject>,
}

impl OpenChatObject {
    /// The result of the request.
    pub(crate) fn new(opened: &AcceptedRequest, place: Option<&QueuePosition>) -> Self {
        Self {
            schema: "entracte.open/1",
            session: opened.session.to_string(),
            activation: opened.activation.map(ActivationResult::word),
            slot: place.map(SlotQueueObject::from),
        }
    }
}
