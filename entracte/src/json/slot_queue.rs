use entracte_adapters_http::shapes::session::QueueShape;
use entracte_application::use_cases::{AcceptedRequest, QueuePosition};
use entracte_domain::workspace::ActivationResult;
use serde::Serialize;

/// `entracte.open/1`: an opened chat.
#[derive(Serialize)]
pub(crate) struct OpenChatObject {
    schema: &'static str,
    session: String,
    activation: Option<&'static str>,
    /// Its place in the slot queue; null if it has the slot.
    slot: Option<QueueShape>,
}

impl OpenChatObject {
    /// The result of the request.
    pub(crate) fn new(opened: &AcceptedRequest, place: Option<&QueuePosition>) -> Self {
        Self {
            schema: "entracte.open/1",
            session: opened.session.to_string(),
            activation: opened.activation.map(ActivationResult::word),
            slot: place.map(QueueShape::from),
        }
    }
}
