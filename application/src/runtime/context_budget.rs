//! The size limits of a request, and what follows if it exceeds them. Sizes are in tokens.

use entracte_domain::session::{SessionRules, SummaryMethod};

use crate::context::TokenEstimator;
use crate::ports::{ContextWindow, ContextWindowSource};
use crate::prompt::{Projection, PromptPartKind, PromptPrefix, PromptSize};
use crate::texts::{LocalizedTexts, say};

/// The size limits of a session's requests, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextBudget {
    /// A larger request is not sent, unless its conversation is summarized already.
    pub tokens: u64,
    /// A larger request is never sent.
    pub sendable: u64,
    /// Context window of the model.
    pub window: ContextWindow,
    /// Number of turns beyond which older ones are summarized; `None` if only tokens count.
    pub turns: Option<usize>,
}

/// A request that exceeds its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextBudgetExcess {
    /// Tokens of the request.
    pub size: u64,
    /// Tokens allowed.
    pub budget: u64,
    /// How the summary is made.
    pub method: SummaryMethod,
    /// Sequence of the first reply after the files whose absence is enough, so that no summary is made; `None` if it is
    /// not enough.
    pub files_from: Option<u64>,
}

/// An always-sent prefix that exceeds its share of the budget. Sizes are estimated tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixOverrun {
    /// Tokens of the whole prefix.
    pub tokens: u64,
    /// Tokens allowed for it.
    pub most: u64,
    /// The budget that the share is taken from.
    pub budget: u64,
    /// The model's context window, which bounds the budget.
    pub window: u64,
    /// Its largest part: kind and name.
    pub part: (PromptPartKind, String),
    /// Tokens of that part.
    pub part_tokens: u64,
}

impl PrefixOverrun {
    /// Its largest part for programs, such as `instructions workspace`.
    pub fn part_name(&self) -> String {
        let (kind, name) = &self.part;
        format!("{} {name}", kind.word()).trim_end().to_owned()
    }

    /// The localized description of the excess, with its numbers.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        let (kind, name) = &self.part;
        let part =
            texts.render(&format!("overweight-part-{}", kind.word()), &[("name", name.as_str().into())]);
        say!(
            texts,
            "overweight",
            tokens = self.tokens.to_string(),
            most = self.most.to_string(),
            budget = self.budget.to_string(),
            window = self.window.to_string(),
            part = part,
            part_tokens = self.part_tokens.to_string()
        )
    }

    /// The localized advice for making the prefix fit.
    pub fn describe_fix(&self, texts: &LocalizedTexts) -> String {
        texts.render(&format!("overweight-fix-{}", self.part.0.word()), &[])
    }
}

/// A model with a smaller context window writes no summaries: they would use the space of the work.
const WRITES_FROM: u64 = 12_000;

/// Share of the budget that a prefix may have, in percent. A window that nobody configured, but a server told, may be too
/// small for comfort, and is used as far as it goes.
const PREFIX_SHARE: u64 = 40;
const PREFIX_SHARE_LISTED: u64 = 60;

/// Tokens that a request leaves free for the text that asks for a summary, and the most that they may be of a budget, in
/// percent. So the last request that was sent fits together with that text, and is in the provider's cache.
const ASK: u64 = 1_000;
const ASK_SHARE: u64 = 10;

/// The bytes of a prefix without instructions and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefixBytes {
    /// All of it.
    pub whole: usize,
    /// The descriptions of commands in it.
    pub commands: usize,
}

impl ContextBudget {
    /// The tokens of so many bytes that a refusal counts: an estimate on the low side, because an estimate alone refuses
    /// nothing that would fit.
    pub fn least_tokens(bytes: usize) -> u64 {
        least(TokenEstimator::GUESS, TokenEstimator::GUESS.tokens(bytes))
    }

    /// The budget under these rules for a model with this window; `prefix` = tokens of the always-sent prefix.
    pub fn from_rules(rules: &SessionRules, window: ContextWindow, prefix: u64) -> Self {
        let told = window.max_prompt_tokens();
        let sendable = match window.told {
            ContextWindowSource::Setting | ContextWindowSource::Listing | ContextWindowSource::Table => told,
            // The window is unknown: the prefix may have at most two fifths of it.
            ContextWindowSource::Guess => told.max(prefix.saturating_mul(5) / 2),
        };
        let tokens = match u64::from(rules.context_tokens) {
            0 => sendable,
            limit => limit.min(sendable),
        };
        let turns = usize::try_from(rules.history_messages).ok().filter(|&most| most > 0);
        Self { tokens, sendable, window, turns }
    }

    /// The excess of a request, or `None` if it fits. Files of earlier rounds leave first; a summary is made only where
    /// that is not enough. After a compaction only the model's window counts, and if the window is unknown the provider
    /// decides.
    pub fn request_excess(
        &self,
        conversation: &Projection,
        is_compacted: bool,
    ) -> Option<ContextBudgetExcess> {
        let (PromptSize { tokens: size, .. }, length) = (conversation.size(), conversation.length());
        let least = least(conversation.ruler(), size);
        let excess = |budget, method, files_from| ContextBudgetExcess { size, budget, method, files_from };
        if is_compacted {
            let is_known = self.window.told != ContextWindowSource::Guess;
            return (is_known && least > self.sendable).then(|| {
                let files_from = conversation.select_file_cut(self.sendable);
                excess(self.sendable, self.summary_method(conversation), files_from)
            });
        }
        if length <= 1 && least <= self.sendable {
            // There is nothing to summarize.
            return None;
        }
        if size > self.compaction_threshold() {
            let files_from = conversation.select_file_cut(self.compaction_threshold());
            return Some(excess(self.tokens, self.summary_method(conversation), files_from));
        }
        let is_long = self.turns.is_some_and(|most| length > most);
        is_long.then(|| excess(self.tokens, SummaryMethod::Mechanical, None))
    }

    /// The excess of a request whose files have more than so many bytes; `None` if they fit, or if none can leave.
    pub fn file_excess(&self, conversation: &Projection, most: u64) -> Option<ContextBudgetExcess> {
        let files_from = Some(conversation.select_file_bytes_cut(most)?);
        let method = self.summary_method(conversation);
        Some(ContextBudgetExcess {
            size: conversation.size().tokens,
            budget: self.tokens,
            method,
            files_from,
        })
    }

    /// A larger conversation is summarized.
    fn compaction_threshold(&self) -> u64 {
        self.tokens.saturating_sub(ASK.min(self.tokens / 100 * ASK_SHARE))
    }

    /// The overrun of the prefix, or `None` if it fits. The prefix may have at most `PREFIX_SHARE` of the budget,
    /// because the rest must hold a summary, the last message and the answer. Text that no model has counted yet is
    /// estimated low here: an estimate alone refuses nothing that would fit.
    pub fn prefix_overrun(&self, prefix: &PromptPrefix, ruler: TokenEstimator) -> Option<PrefixOverrun> {
        let weights = prefix.weights();
        let tokens = least(ruler, ruler.tokens(weights.iter().map(|weight| weight.bytes).sum()));
        let share = match self.window.told {
            ContextWindowSource::Listing => PREFIX_SHARE_LISTED,
            ContextWindowSource::Setting | ContextWindowSource::Table | ContextWindowSource::Guess => {
                PREFIX_SHARE
            }
        };
        let most = self.tokens / 100 * share;
        let largest = weights.into_iter().max_by_key(|weight| weight.bytes).filter(|_| tokens > most)?;
        let part_tokens = least(ruler, ruler.tokens(largest.bytes));
        let part = (largest.kind, largest.name);
        let window = self.window.tokens;
        Some(PrefixOverrun { tokens, most, budget: self.tokens, window, part, part_tokens })
    }

    /// The bytes that the descriptions of commands may have so that a prefix has at most three tenths of the budget: the
    /// rest of its share is for instructions and data. `None` if it has no more with all descriptions.
    pub fn commands_room(&self, prefix: PrefixBytes) -> Option<usize> {
        let most = self.tokens / 10 * 3;
        // The opposite of `least`.
        let bytes = TokenEstimator::GUESS.bytes(most.saturating_mul(3) / 2);
        let others = prefix.whole.saturating_sub(prefix.commands);
        (Self::least_tokens(prefix.whole) > most).then(|| bytes.saturating_sub(others))
    }

    /// The tokens of a message of `bytes` bytes and the maximum, if it exceeds that: half of the budget. A message
    /// stays whole in every summary, so a larger one would leave no room for anything else.
    pub fn message_excess(&self, bytes: usize) -> Option<(u64, u64)> {
        let (tokens, most) =
            (least(TokenEstimator::GUESS, TokenEstimator::GUESS.tokens(bytes)), self.tokens / 2);
        (tokens > most).then_some((tokens, most))
    }

    /// How a conversation is summarized. The job of the summary reads it as text if no part of the request fits.
    pub fn summary_method(&self, conversation: &Projection) -> SummaryMethod {
        if self.window.tokens < WRITES_FROM {
            SummaryMethod::Mechanical
        } else if conversation.has_unanswered_voice_change() {
            // A model on its first call has nothing of it in its cache.
            SummaryMethod::Words
        } else {
            SummaryMethod::Patch
        }
    }
}

/// The lower bound of an estimate. Before the model has counted anything the estimate is high, which is no reason
/// to send nothing.
fn least(ruler: TokenEstimator, tokens: u64) -> u64 {
    if ruler == TokenEstimator::GUESS { tokens / 3 * 2 } else { tokens }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use entracte_domain::session::{LimitProfile, SessionKind};

    use super::*;
    use crate::prompt::PrefixPart;

    fn budget(context_tokens: u32, window: u64, told: ContextWindowSource) -> ContextBudget {
        let rules =
            SessionRules { context_tokens, ..SessionRules::new(SessionKind::Chat, LimitProfile::Strict) };
        ContextBudget::from_rules(&rules, ContextWindow { tokens: window, output: None, told }, 0)
    }

    /// A prefix with a role of 4,000 and instructions of 16,000 bytes.
    fn prefix() -> PromptPrefix {
        let (role, told) = (4_000, 16_000);
        let part = |name: &str, bytes| PrefixPart { name: name.into(), bytes };
        PromptPrefix {
            blocks: vec![Arc::from("r".repeat(role)), Arc::from("i".repeat(told))],
            parts: vec![part("role", role)],
            instructions: vec![part("workspace", told)],
            ..PromptPrefix::default()
        }
    }

    /// Input: 4,000 and 16,000 bytes, by a guess at least 0.24 tokens each; expected: at most two fifths of the budget.
    #[test]
    fn prefix_may_use_two_fifths_of_budget() {
        let of = |tokens| budget(tokens, 200_000, ContextWindowSource::Setting);
        assert_eq!(of(20_000).prefix_overrun(&prefix(), TokenEstimator::GUESS), None);
        let heavy = of(10_000).prefix_overrun(&prefix(), TokenEstimator::GUESS).unwrap();
        let expected = PrefixOverrun {
            tokens: 4_800,
            most: 4_000,
            budget: 10_000,
            window: 200_000,
            part: (PromptPartKind::Instructions, "workspace".into()),
            part_tokens: 3_840,
        };
        assert_eq!(heavy, expected);
        let told = budget(10_000, 200_000, ContextWindowSource::Listing);
        assert_eq!(
            told.prefix_overrun(&prefix(), TokenEstimator::GUESS),
            None,
            "three fifths of a told window"
        );
        let small = budget(7_900, 200_000, ContextWindowSource::Listing);
        assert!(small.prefix_overrun(&prefix(), TokenEstimator::GUESS).is_some());
        let texts = LocalizedTexts::for_language(crate::settings::Language::En);
        let says = heavy.describe(texts);
        assert!(says.contains("4800") && says.contains("4000") && says.contains("workspace"), "{says}");
        assert!(says.contains("200000"), "{says}");
    }

    /// Input: prefixes on a budget of 10,000 tokens, of which 3,000, by a guess at least 12,500 bytes, are for them;
    /// expected: the room for descriptions is what the rest leaves, where the whole has no room.
    #[test]
    fn descriptions_have_what_the_rest_of_the_prefix_leaves() {
        let room = |whole, commands| {
            budget(10_000, 200_000, ContextWindowSource::Setting)
                .commands_room(PrefixBytes { whole, commands })
        };
        assert_eq!(room(12_000, 8_000), None);
        assert_eq!(room(20_000, 15_000), Some(7_500));
        assert_eq!(room(40_000, 10_000), Some(0));
    }

    #[test]
    fn message_may_use_half_of_budget() {
        let of = budget(10_000, 200_000, ContextWindowSource::Setting);
        assert_eq!(of.message_excess(20_000), None);
        assert_eq!(of.message_excess(30_000), Some((7_200, 5_000)));
    }
}
