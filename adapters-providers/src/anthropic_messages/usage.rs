//! The bill of a Messages answer. Pure.

use entracte_domain::usage::Usage as Tokens;

use super::wire::{Answer, Iteration, Usage};
use crate::encoder_settings::ReplyDecodeContext;
use crate::prices::{MeteredUsage, reported_cost};

/// The four kinds of tokens; `input_tokens` counts only uncached ones. `None` if the server left out the counts, which
/// is not 0.
pub(super) fn tokens(answer: &Answer, reading: &ReplyDecodeContext) -> Option<Tokens> {
    let usage = answer.usage.as_ref()?;
    let told = Tokens {
        input: usage.input_tokens?,
        cache_read: usage.cache_read_input_tokens.unwrap_or_default(),
        cache_write: usage.cache_creation_input_tokens.unwrap_or_default(),
        output: usage.output_tokens?,
        ..Tokens::default()
    };
    let whole = MeteredUsage {
        usage: told,
        kept_an_hour: usage.cache_creation.ephemeral_1h_input_tokens,
        answered: answer.model.as_deref(),
        tier: tier(usage),
        more: usage.server_tool_use.values().any(|used| used.as_u64() != Some(0)),
        ..MeteredUsage::default()
    };
    let (own, beside): (Vec<&Iteration>, Vec<&Iteration>) =
        usage.iterations.iter().partition(|iteration| iteration.is_told_above());
    let mut parts = own_parts(&own, &whole);
    parts.extend(beside.into_iter().map(|iteration| iteration.metered(&whole)));
    Some(reading.tariff.bill(&parts, reported_cost(&usage.cost)))
}

/// The inferences that the answer's counts contain, each with the price of its own prompt length. Without them, or if
/// their sum differs, the counts as a whole; then what they have beyond it may be billed too, like the attempt of a model
/// that declined before another one answered.
fn own_parts<'a>(own: &[&'a Iteration], whole: &MeteredUsage<'a>) -> Vec<MeteredUsage<'a>> {
    let mut sum = Tokens::default();
    own.iter().for_each(|iteration| sum.add(iteration.tokens()));
    if own.is_empty() || sum != whole.usage {
        let more = whole.more || sum.tokens() > whole.usage.tokens();
        return vec![MeteredUsage { more, ..*whole }];
    }
    let part = |(place, iteration): (usize, &&'a Iteration)| MeteredUsage {
        // What is billed beside tokens is billed once.
        more: whole.more && place == 0,
        ..iteration.metered(whole)
    };
    own.iter().enumerate().map(part).collect()
}

impl Iteration {
    /// Whether the counts of the whole answer contain this inference; those of a compaction or an advisor are beside.
    fn is_told_above(&self) -> bool {
        matches!(self.kind.as_str(), "message" | "fallback_message")
    }

    fn tokens(&self) -> Tokens {
        Tokens {
            input: self.input_tokens,
            cache_read: self.cache_read_input_tokens,
            cache_write: self.cache_creation_input_tokens,
            output: self.output_tokens,
            ..Tokens::default()
        }
    }

    fn metered<'a>(&'a self, whole: &MeteredUsage<'a>) -> MeteredUsage<'a> {
        MeteredUsage {
            usage: self.tokens(),
            kept_an_hour: self.cache_creation.ephemeral_1h_input_tokens.or(whole.kept_an_hour),
            answered: self.model.as_deref().or(whole.answered),
            is_other_model: self.model.is_some() && self.model.as_deref() != whole.answered,
            more: false,
            ..*whole
        }
    }
}

/// The tier, speed or region that made the price differ from the usual one.
fn tier(usage: &Usage) -> Option<&str> {
    let unusual = |word: &Option<String>, usual: &[&str]| -> bool {
        word.as_deref().is_some_and(|word| !usual.contains(&word))
    };
    let differs = [
        (&usage.service_tier, unusual(&usage.service_tier, &["standard"])),
        (&usage.speed, unusual(&usage.speed, &["standard"])),
        (&usage.inference_geo, unusual(&usage.inference_geo, &["global", "not_available"])),
    ];
    differs.into_iter().find(|(_, differs)| *differs).and_then(|(word, _)| word.as_deref())
}
