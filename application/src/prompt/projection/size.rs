//! The size of a conversation, and its retained history at a compaction.

use entracte_domain::id::MessageId;
use entracte_domain::session::ContextSummary;

use super::calls::UnansweredCalls;
use super::restart::{self, ResultFoldingContext, RetainedHistory, RetentionBudget};
use super::{Projection, PromptSize, legacy_restart};
use crate::command_naming::CommandNaming;
use crate::context::TokenEstimator;
use crate::ports::UserTurnPart;
use crate::settings::Language;

impl Projection {
    /// The size of the open round's request; between two rounds, of the last request with its reply.
    pub fn size(&self) -> PromptSize {
        self.meter.size(&self.closed)
    }

    /// The token estimator, calibrated by the model's last count.
    pub fn ruler(&self) -> TokenEstimator {
        self.meter.ruler()
    }

    /// The estimated tokens of the frozen prefix.
    pub fn prefix_tokens(&self) -> u64 {
        self.meter.prefix()
    }

    /// Number of turns in the open round's request.
    pub fn length(&self) -> usize {
        self.closed.len()
    }

    /// The language of Entracte's own texts in it.
    pub fn language(&self) -> Language {
        self.style.language
    }

    /// How Entracte's texts name the commands.
    pub fn naming(&self) -> CommandNaming {
        self.style.naming()
    }

    /// The last summary.
    pub fn summary(&self) -> Option<&ContextSummary> {
        self.summary.as_deref()
    }

    /// The last message of a person, which always stays whole.
    pub fn last_user_message(&self) -> Option<&MessageId> {
        self.said_last.as_ref()
    }

    /// Whether the model changed and the new one has not answered yet: nothing of the conversation is in its cache,
    /// and the previous model's reasoning is useless to it.
    pub fn has_unanswered_voice_change(&self) -> bool {
        self.is_voice_new
    }

    /// The first turn that a summary covering the log up to `covers_to` does not include.
    pub fn unread_from(&self, covers_to: u64) -> usize {
        let is_read = |closed: &super::closed_turn::ClosedTurn| closed.since > 0 && closed.since <= covers_to;
        let read = self.closed.iter().rposition(is_read).map_or(0, |last| last + 1);
        read.min(self.closed.len().saturating_sub(1))
    }

    /// The session's sequence of the last entry.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The longest history that may be retained after a summary.
    pub fn select_retained_history(&self, room: RetentionBudget) -> RetainedHistory {
        match self.folding() {
            Some(folding) => restart::select_retained_history(
                &self.closed,
                self.meter.ruler(),
                &folding,
                room,
                self.sequence,
            ),
            None => RetainedHistory::default(),
        }
    }

    fn folding(&self) -> Option<ResultFoldingContext<'_>> {
        let (language, read_on) = (self.style.language, self.style.read_on_command());
        self.session.as_ref().map(|session| ResultFoldingContext { session, language, read_on })
    }

    /// Replaces the turns before the retained history by a summary.
    pub(super) fn restart(&mut self, summary: UserTurnPart) {
        let kept = self.summary.as_ref().and_then(|summary| {
            summary.kept_from.map(|from| RetainedHistory { from, folded: summary.folded.clone() })
        });
        self.closed = match (kept, self.folding()) {
            (Some(kept), Some(folding)) => {
                restart::rebuild_after_summary(&self.closed, summary, &kept, &folding)
            }
            // A journal that does not record the retained history.
            (None, _) | (_, None) => legacy_restart::rebuild_after_summary_v1(&self.closed, summary),
        };
        self.open_calls = UnansweredCalls::default();
    }
}
