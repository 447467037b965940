//! How large a conversation is, and what of it stays when it is summed up.

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
    /// How large the request of the open round is. Between two rounds: the last request with its reply.
    pub fn size(&self) -> PromptSize {
        self.meter.size(&self.closed)
    }

    /// Tokens of bytes, by what the model counted last.
    pub fn ruler(&self) -> TokenEstimator {
        self.meter.ruler()
    }

    /// The frozen prefix in tokens, estimated.
    pub fn prefix_tokens(&self) -> u64 {
        self.meter.prefix()
    }

    /// How many turns the request of the open round has.
    pub fn length(&self) -> usize {
        self.closed.len()
    }

    /// The language that Entracte speaks in it.
    pub fn language(&self) -> Language {
        self.style.language
    }

    /// How what Entracte says calls the commands.
    pub fn naming(&self) -> CommandNaming {
        self.style.naming()
    }

    /// The last summary.
    pub fn summary(&self) -> Option<&ContextSummary> {
        self.summary.as_deref()
    }

    /// What a person said last: it stays whole.
    pub fn last_user_message(&self) -> Option<&MessageId> {
        self.said_last.as_ref()
    }

    /// Whether another model speaks than before, and has not answered yet: nothing of the conversation is in its cache, and
    /// what the one before thought says nothing to it.
    pub fn has_unanswered_voice_change(&self) -> bool {
        self.is_voice_new
    }

    /// The first turn that notes which cover the log up to there have not read.
    pub fn unread_from(&self, covers_to: u64) -> usize {
        let is_read = |closed: &super::closed_turn::ClosedTurn| closed.since > 0 && closed.since <= covers_to;
        let read = self.closed.iter().rposition(is_read).map_or(0, |last| last + 1);
        read.min(self.closed.len().saturating_sub(1))
    }

    /// The session's sequence of the last entry.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The longest end that may stay behind a summary.
    pub fn select_retained_history(&self, room: RetentionBudget) -> RetainedHistory {
        match self.folding() {
            Some(folding) => restart::select_retained_history(
                &self.closed,
                self.meter.ruler(),
                &folding,
                (room, self.sequence),
            ),
            None => RetainedHistory::default(),
        }
    }

    fn folding(&self) -> Option<ResultFoldingContext<'_>> {
        let (language, read_on) = (self.style.language, self.style.read_on_command());
        self.session.as_ref().map(|session| ResultFoldingContext { session, language, read_on })
    }

    /// A summary takes the place of what stood before the end that stays.
    pub(super) fn restart(&mut self, summary: UserTurnPart) {
        let kept = self.summary.as_ref().and_then(|summary| {
            summary.kept_from.map(|from| RetainedHistory { from, folded: summary.folded.clone() })
        });
        self.closed = match (kept, self.folding()) {
            (Some(kept), Some(folding)) => {
                restart::rebuild_after_summary(&self.closed, summary, &kept, &folding)
            }
            // A journal that does not say what stayed.
            (None, _) | (_, None) => legacy_restart::rebuild_after_summary_v1(&self.closed, summary),
        };
        self.open_calls = UnansweredCalls::default();
    }
}
