use std::sync::Arc;

use entracte_domain::time::Timestamp;

use super::round_spans;
use super::turn_draft::SessionDraft;
use crate::commands::ExchangeCommandIndex;
use crate::context::SummaryRecord;
use crate::prompt::Projection;

/// A session in memory, as committed.
pub(super) struct LoadedSession {
    pub(super) session: SessionDraft,
    /// The conversation as the model reads it; none until a model call needs it.
    pub(super) conversation: Option<Projection>,
    /// What code carries into summaries, as far as it was gathered; nothing until one is made.
    pub(super) record: Arc<SummaryRecord>,
    /// What the log was told of its rounds.
    pub(super) told: round_spans::RoundStart,
    /// What the ledger has of its exchange.
    pub(super) before: ExchangeCommandIndex,
    pub(super) touched_at: Timestamp,
}
