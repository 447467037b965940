use std::sync::Arc;

use entracte_domain::time::Timestamp;

use super::draft::Drafted;
use super::story;
use crate::commands::AskedBefore;
use crate::context::Record;
use crate::prompt::Projection;

/// A session in memory, as committed.
pub(super) struct Live {
    pub(super) session: Drafted,
    /// The conversation as the model reads it; none until a model call needs it.
    pub(super) conversation: Option<Projection>,
    /// What code carries into summaries, as far as it was gathered; nothing until one is made.
    pub(super) record: Arc<Record>,
    /// What the log was told of its rounds.
    pub(super) told: story::Told,
    /// What the ledger has of its exchange.
    pub(super) before: AskedBefore,
    pub(super) touched_at: Timestamp,
}
