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

    /// The most first turns of the open round's request that end with a user turn and have at most `most` tokens;
    /// `None` if there are none.
    pub fn first_turns_within(&self, most: u64) -> Option<usize> {
        let ends_with_user = |count: &usize| {
            count.checked_sub(1).and_then(|last| self.closed.get(last)).is_some_and(|last| !last.is_reply())
        };
        let fits = |count: &usize| self.meter.tokens_of_first(&self.closed, *count) <= most;
        (1..=self.closed.len()).rev().filter(ends_with_user).find(fits)
    }

    /// The session's sequence of the first reply after the first `turns` turns; one after the last entry if there is
    /// none.
    pub fn first_reply_after(&self, turns: usize) -> u64 {
        let later = self.closed.iter().skip(turns).find(|closed| closed.is_reply());
        later.map_or(self.sequence + 1, |reply| reply.since)
    }

    /// The session's sequence of the last entry.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Number of people's messages that stay whole although the retained history begins after them.
    pub fn user_messages_kept(&self, from: u64) -> usize {
        restart::user_messages_kept(&self.closed, from)
    }

    /// The longest history that may be retained after a summary.
    pub fn select_retained_history(&self, room: RetentionBudget) -> RetainedHistory {
        match self.folding() {
            Some(folding) => {
                restart::select_retained_history(&self.closed, &self.meter, &folding, room, self.sequence)
            }
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
            let (folded, files_from) = (summary.folded.clone(), summary.files_from);
            summary.kept_from.map(|from| RetainedHistory { from, folded, files_from })
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
