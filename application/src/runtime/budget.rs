//! How large a request may be, and what follows where it is larger. Sizes are in tokens.

use entracte_domain::session::{Rules, SummaryMethod};

use crate::context::Ruler;
use crate::ports::{Window, WindowSource};
use crate::prompt::{Projection, Size};

/// How large the requests of a session may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Beyond this the conversation is summed up.
    pub tokens: u64,
    /// Beyond this nothing is sent.
    pub sendable: u64,
    /// How much the model reads and writes at once.
    pub window: Window,
    /// Turns beyond which the older ones are summed up; none where only tokens count.
    pub turns: Option<usize>,
}

/// A request that is larger than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// Tokens that it has.
    pub size: u64,
    /// Tokens that it may have.
    pub budget: u64,
    /// How a summary is to be made.
    pub method: SummaryMethod,
}

/// A model that reads less than this at once does not write summaries: they would take the place of the work.
const WRITES_FROM: u64 = 12_000;

/// What the text that asks for a summary adds, at most.
const ASK: u64 = 1_000;

impl Budget {
    /// Under these rules, for a model with this window, when what is always sent has so many tokens.
    pub fn of(rules: &Rules, window: Window, prefix: u64) -> Self {
        let told = window.sendable();
        let sendable = match window.told {
            WindowSource::Setting | WindowSource::Listing | WindowSource::Table => told,
            // Nobody knows: what is always sent has at most two fifths.
            WindowSource::Guess => told.max(prefix.saturating_mul(5) / 2),
        };
        let tokens = match u64::from(rules.context_tokens) {
            0 => sendable,
            limit => limit.min(sendable),
        };
        let turns = usize::try_from(rules.history_messages).ok().filter(|&most| most > 0);
        Self { tokens, sendable, window, turns }
    }

    /// Whether a request is too large. After a summary only what the model takes counts, and where nobody knows what
    /// that is, the provider says it.
    pub fn excess(&self, conversation: &Projection, is_compacted: bool) -> Option<Excess> {
        let (Size { tokens: size, .. }, length) = (conversation.size(), conversation.length());
        // Where the model has counted nothing yet, the estimate is high. That is no reason to send nothing.
        let least = if conversation.ruler() == Ruler::GUESS { size / 3 * 2 } else { size };
        if is_compacted {
            let is_known = self.window.told != WindowSource::Guess;
            return self.beyond(size, self.sendable).filter(|_| is_known && least > self.sendable);
        }
        if length <= 1 && least <= self.sendable {
            // There is nothing to sum up.
            return None;
        }
        if size > self.tokens {
            return self.beyond(size, self.tokens);
        }
        let is_long = self.turns.is_some_and(|most| length > most);
        let method = SummaryMethod::Mechanical;
        is_long.then_some(Excess { size, budget: self.tokens, method })
    }

    fn beyond(&self, size: u64, budget: u64) -> Option<Excess> {
        let method = if self.window.tokens < WRITES_FROM {
            SummaryMethod::Mechanical
        } else if size.saturating_add(ASK) > self.sendable {
            SummaryMethod::Words
        } else {
            SummaryMethod::Patch
        };
        (size > budget).then_some(Excess { size, budget, method })
    }
}
