use std::sync::Arc;

use entracte_domain::time::Timestamp;

use super::round_spans::RoundProgress;
use super::session_draft::SessionDraft;
use crate::commands::ExchangeCommandIndex;
use crate::context::SummaryRecord;
use crate::prompt::Projection;

/// A session in memory, as committed.
pub(super) struct LoadedSession {
    pub(super) session: SessionDraft,
    /// The conversation as the model reads it; `None` until a model call needs it.
    pub(super) conversation: Option<Projection>,
    /// The facts for summaries read from the log so far; empty until a summary is made.
    pub(super) record: Arc<SummaryRecord>,
    /// The round it works on, as reported to the process log.
    pub(super) round: Option<RoundProgress>,
    /// The commands of its exchange in the ledger.
    pub(super) before: ExchangeCommandIndex,
    pub(super) touched_at: Timestamp,
}
