//! The shape of an id that was found by its beginning.

use entracte_domain::id::SessionId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An id.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FoundIdShape {
    /// The full id.
    pub id: String,
    /// The session of a call or a model call; null for everything else.
    pub session: Option<String>,
}

impl FoundIdShape {
    /// The shape of this id.
    pub fn new(id: impl ToString) -> Self {
        Self { id: id.to_string(), session: None }
    }

    /// Adds the session of a call or a model call.
    #[must_use]
    pub fn in_session(self, session: SessionId) -> Self {
        Self { session: Some(session.to_string()), ..self }
    }
}
