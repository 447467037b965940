//! Shapes of the queue for slots.

use std::borrow::Cow;

use entracte_application::use_cases::QueuePosition;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::shapes::iso;

/// A session that waits for its slot.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct QueueShape {
    /// Its place; null when it waits for none.
    pub position: Option<usize>,
    /// Since when.
    pub since: Option<String>,
    /// Those that go before it.
    pub ahead: Vec<AheadShape>,
}

/// One that goes before.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AheadShape {
    /// The session.
    pub session: String,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Cow<'static, str>,
    /// Whether it may work.
    pub standing: Cow<'static, str>,
    /// Since when it waits or works.
    pub since: String,
}

impl From<Option<QueuePosition>> for QueueShape {
    fn from(place: Option<QueuePosition>) -> Self {
        place.as_ref().map_or(Self { position: None, since: None, ahead: Vec::new() }, Self::from)
    }
}

impl From<&QueuePosition> for QueueShape {
    fn from(place: &QueuePosition) -> Self {
        let ahead = place.ahead.iter().map(|ahead| AheadShape {
            session: ahead.session.to_string(),
            name: ahead.name.clone(),
            kind: ahead.kind.word().into(),
            standing: ahead.standing.word().into(),
            since: iso(ahead.since),
        });
        Self { position: Some(place.position), since: Some(iso(place.since)), ahead: ahead.collect() }
    }
}
