//! How large a request may be, and what follows where it is larger. Sizes are in tokens.

use entracte_domain::session::{SessionRules, SummaryMethod};

use crate::context::TokenEstimator;
use crate::ports::{ContextWindow, ContextWindowSource};
use crate::prompt::{Projection, PromptPartKind, PromptPrefix, PromptSize};
use crate::texts::{LocalizedTexts, say};

/// How large the requests of a session may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextBudget {
    /// Beyond this the conversation is summed up.
    pub tokens: u64,
    /// Beyond this nothing is sent.
    pub sendable: u64,
    /// How much the model reads and writes at once.
    pub window: ContextWindow,
    /// Turns beyond which the older ones are summed up; none where only tokens count.
    pub turns: Option<usize>,
}

/// A request that is larger than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextBudgetExcess {
    /// Tokens that it has.
    pub size: u64,
    /// Tokens that it may have.
    pub budget: u64,
    /// How a summary is to be made.
    pub method: SummaryMethod,
}

/// What is always sent, where it has more than its share of the budget. Sizes are in tokens, estimated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixOverrun {
    /// All that is always sent.
    pub tokens: u64,
    /// What it may have.
    pub most: u64,
    /// The budget that this is a share of.
    pub budget: u64,
    /// Its largest part: what it is, and its name among its kind.
    pub part: (PromptPartKind, String),
    /// That part.
    pub part_tokens: u64,
}

impl PrefixOverrun {
    /// Its largest part, for programs: `instructions workspace`.
    pub fn part_name(&self) -> String {
        let (kind, name) = &self.part;
        format!("{} {name}", kind.word()).trim_end().to_owned()
    }

    /// What is wrong, with the numbers.
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
            part = part,
            part_tokens = self.part_tokens.to_string()
        )
    }

    /// How to make it fit.
    pub fn describe_fix(&self, texts: &LocalizedTexts) -> String {
        texts.render(&format!("overweight-fix-{}", self.part.0.word()), &[])
    }
}

/// A model that reads less than this at once does not write summaries: they would take the place of the work.
const WRITES_FROM: u64 = 12_000;

/// What the text that asks for a summary adds, at most.
const ASK: u64 = 1_000;

impl ContextBudget {
    /// Under these rules, for a model with this window, when what is always sent has so many tokens.
    pub fn from_rules(rules: &SessionRules, window: ContextWindow, prefix: u64) -> Self {
        let told = window.max_prompt_tokens();
        let sendable = match window.told {
            ContextWindowSource::Setting | ContextWindowSource::Listing | ContextWindowSource::Table => told,
            // Nobody knows: what is always sent has at most two fifths.
            ContextWindowSource::Guess => told.max(prefix.saturating_mul(5) / 2),
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
    pub fn request_excess(
        &self,
        conversation: &Projection,
        is_compacted: bool,
    ) -> Option<ContextBudgetExcess> {
        let (PromptSize { tokens: size, .. }, length) = (conversation.size(), conversation.length());
        let least = least(conversation.ruler(), size);
        if is_compacted {
            let is_known = self.window.told != ContextWindowSource::Guess;
            let excess = ContextBudgetExcess {
                size,
                budget: self.sendable,
                method: self.summary_method(conversation),
            };
            return (is_known && least > self.sendable).then_some(excess);
        }
        if length <= 1 && least <= self.sendable {
            // There is nothing to sum up.
            return None;
        }
        if size > self.tokens {
            return Some(ContextBudgetExcess {
                size,
                budget: self.tokens,
                method: self.summary_method(conversation),
            });
        }
        let is_long = self.turns.is_some_and(|most| length > most);
        let method = SummaryMethod::Mechanical;
        is_long.then_some(ContextBudgetExcess { size, budget: self.tokens, method })
    }

    /// What is always sent has two fifths of the budget at most: what is left must hold a summary, the last message
    /// and the answer. None where it fits. What no model has counted yet is estimated low here: an estimate alone
    /// refuses nothing that would fit.
    pub fn prefix_overrun(&self, prefix: &PromptPrefix, ruler: TokenEstimator) -> Option<PrefixOverrun> {
        let weights = prefix.weights();
        let tokens = least(ruler, ruler.tokens(weights.iter().map(|weight| weight.bytes).sum()));
        let most = self.tokens / 5 * 2;
        let largest = weights.into_iter().max_by_key(|weight| weight.bytes).filter(|_| tokens > most)?;
        let part_tokens = least(ruler, ruler.tokens(largest.bytes));
        let part = (largest.kind, largest.name);
        Some(PrefixOverrun { tokens, most, budget: self.tokens, part, part_tokens })
    }

    /// The tokens of a message of so many bytes, and the most that one may have, where it has more: half of the
    /// budget. It stays whole in every summary, so what is larger would leave no room for anything else.
    pub fn message_excess(&self, bytes: usize) -> Option<(u64, u64)> {
        let (tokens, most) =
            (least(TokenEstimator::GUESS, TokenEstimator::GUESS.tokens(bytes)), self.tokens / 2);
        (tokens > most).then_some((tokens, most))
    }

    /// How a conversation is summed up.
    pub fn summary_method(&self, conversation: &Projection) -> SummaryMethod {
        if self.window.tokens < WRITES_FROM {
            SummaryMethod::Mechanical
        } else if conversation.size().tokens.saturating_add(ASK) > self.sendable
            || conversation.has_unanswered_voice_change()
        {
            // Nothing of it is in the cache of a model that speaks for the first time.
            SummaryMethod::Words
        } else {
            SummaryMethod::Patch
        }
    }
}

/// Where the model has counted nothing yet, the estimate is high. That is no reason to send nothing.
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

    fn prefix(role: usize, told: usize) -> PromptPrefix {
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
    fn what_is_always_sent_has_two_fifths_of_the_budget() {
        let of = |tokens| budget(tokens, 200_000, ContextWindowSource::Setting);
        assert_eq!(of(20_000).prefix_overrun(&prefix(4_000, 16_000), TokenEstimator::GUESS), None);
        let heavy = of(10_000).prefix_overrun(&prefix(4_000, 16_000), TokenEstimator::GUESS).unwrap();
        let expected = PrefixOverrun {
            tokens: 4_800,
            most: 4_000,
            budget: 10_000,
            part: (PromptPartKind::Instructions, "workspace".into()),
            part_tokens: 3_840,
        };
        assert_eq!(heavy, expected);
        let texts = LocalizedTexts::for_language(crate::settings::Language::En);
        let says = heavy.describe(texts);
        assert!(says.contains("4800") && says.contains("4000") && says.contains("workspace"), "{says}");
    }

    #[test]
    fn a_message_has_half_of_the_budget() {
        let of = budget(10_000, 200_000, ContextWindowSource::Setting);
        assert_eq!(of.message_excess(20_000), None);
        assert_eq!(of.message_excess(30_000), Some((7_200, 5_000)));
    }
}
