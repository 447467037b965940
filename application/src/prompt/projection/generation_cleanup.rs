//! Removes the parts that a new generation makes obsolete.

use std::sync::Arc;

use super::Projection;
use crate::ports::PromptTurn;

impl Projection {
    /// Removes notices of changed data, except from a turn without other parts: a conversation must not have gaps.
    pub(super) fn drop_data_news(&mut self) {
        let news = std::mem::take(&mut self.data_news);
        if news.is_empty() {
            return;
        }
        self.pending.retain(|part| !news.contains(part));
        for turn in self.closed.iter_mut().map(|closed| &mut closed.turn) {
            if let PromptTurn::User(parts) = &**turn
                && parts.iter().any(|part| news.contains(part))
                && parts.iter().any(|part| !news.contains(part))
                && let PromptTurn::User(parts) = Arc::make_mut(turn)
            {
                parts.retain(|part| !news.contains(part));
            }
        }
    }

    pub(super) fn drop_reasoning(&mut self) {
        for turn in self.closed.iter_mut().map(|closed| &mut closed.turn) {
            if matches!(&**turn, PromptTurn::Assistant(said) if said.raw.is_some())
                && let PromptTurn::Assistant(said) = Arc::make_mut(turn)
            {
                said.raw = None;
            }
        }
    }
}
