//! Prices of tokens: those of an entry, or those of the table that is part of this version.
//!
//! Pure. A cost is computed once, when an answer's tokens are decoded, and stored with them; nothing is estimated. A
//! model without a price, a tier that the table does not contain, and work billed beside tokens leave the cost unknown.

mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod usage_table_tests;

use entracte_application::ports::{ContextWindow, ContextWindowSource, OfferedModel};
use entracte_domain::dollars::Dollars;
use entracte_domain::usage::Usage;
use reqwest::Url;
use serde_json::Value;

pub use table::{date, source};

use crate::config::{ProviderConfig, is_local_address};
use crate::profiles::ProviderProfile;
use crate::provider_kind::CacheTtl;
pub(crate) use crate::token_price::CallTokens;
pub use crate::token_price::{MillionTokenPrice, TokenPrices};
use table::PriceTableModel;

/// The prices by which one call is billed.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTariff {
    /// Prices set by the entry.
    own: Option<TokenPrices>,
    /// The provider's models; `None` behind an address that is not the provider's own, where others set the prices.
    table: Option<&'static table::PriceTableModels>,
    /// The requested model.
    asked: String,
    /// Whether cache writes are stored for an hour, if the answer does not say.
    keeps_an_hour: bool,
    /// Whether a cost that the server reports is the bill.
    takes_reported: bool,
    /// The cost in the header of the answer, if it is the bill.
    header_cost: Option<Dollars>,
}

/// The parts of an answer's usage that its bill depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeteredUsage<'a> {
    /// The token counts.
    pub(crate) usage: Usage,
    /// Cache-write tokens that are stored for an hour; `None` if the answer does not say.
    pub(crate) kept_an_hour: Option<u64>,
    /// The model that answered.
    pub(crate) answered: Option<&'a str>,
    /// Whether another model than the requested one may have answered this part, so that only its own price applies.
    pub(crate) is_other_model: bool,
    /// The tier that answered; `None` for the usual one.
    pub(crate) tier: Option<&'a str>,
    /// Whether the bill contains something other than text tokens: searches, sound, images.
    pub(crate) more: bool,
    /// The cost, if the server reports it.
    pub(crate) told: Option<Dollars>,
}

/// Token counts from an answer's usage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenCounts {
    /// Prompt tokens.
    pub(crate) input: u64,
    /// Output tokens, as the server counts them.
    pub(crate) output: u64,
    /// All tokens, if the server reports them.
    pub(crate) total: Option<u64>,
    /// Prompt tokens read from a cache.
    pub(crate) cache_read: u64,
    /// Prompt tokens written to a cache.
    pub(crate) cache_write: u64,
}

impl TokenCounts {
    /// The tokens that are billed.
    ///
    /// Some servers count reasoning beside the output (xAI), or do not report it (gateways in front of Gemini): only
    /// the total includes it then. A surplus equal to the cached tokens belongs to a prompt count without them, not to
    /// the output, and so do more cached tokens than the prompt has.
    pub(crate) fn billed_usage(&self) -> Usage {
        let Self { input, output, cache_read, cache_write, .. } = *self;
        let counted = input.saturating_add(output);
        let surplus = self.total.unwrap_or(counted).saturating_sub(counted);
        let cached = cache_read.saturating_add(cache_write);
        let beside = [cached, cache_read, cache_write].into_iter().find(|beside| *beside == surplus);
        let beside = beside.unwrap_or(if cached > input { cached } else { 0 });
        let more_output = if beside == surplus { 0 } else { surplus };
        Usage {
            input: input.saturating_sub(cached.saturating_sub(beside)),
            cache_read,
            cache_write,
            output: output.saturating_add(more_output),
            ..Usage::default()
        }
    }
}

impl CallTariff {
    /// The tariff of calls to a model of an entry.
    pub(crate) fn of(
        profile: &ProviderProfile,
        config: &ProviderConfig,
        model: &str,
        kept: CacheTtl,
    ) -> Self {
        Self {
            own: config.prices_of(model),
            table: profile
                .is_own_address(config.base_url.as_deref())
                .then(|| table::models(profile.kind))
                .flatten(),
            asked: model.to_owned(),
            keeps_an_hour: kept == CacheTtl::OneHour,
            takes_reported: config.takes_reported_cost(profile),
            header_cost: None,
        }
    }

    /// The tariff of a call whose whole answer came with this cost in its header. The header of a stream is sent before
    /// anything is billed.
    #[must_use]
    pub(crate) fn with_header_cost(self, cost: Option<&str>) -> Self {
        let cost = cost.and_then(|cost| cost.trim().parse().ok()).and_then(dollars);
        Self { header_cost: cost.filter(|_| self.takes_reported), ..self }
    }

    /// The token counts of all parts, with their cost as far as it is known; `told` is the cost of all of them, if the
    /// server reports it.
    pub(crate) fn bill(&self, parts: &[MeteredUsage<'_>], told: Option<Dollars>) -> Usage {
        let mut sum = Usage::default();
        parts.iter().for_each(|part| sum.add(self.with_price(part)));
        self.reported(told).map_or(sum, |cost| sum.with_cost(cost))
    }

    /// The most that a call with so many tokens costs, asked for a tier; `None` if a price is unknown, or only the server
    /// knows the bill. Nothing is assumed to come from a cache.
    pub(crate) fn ceiling(&self, tier: Option<&str>, tokens: CallTokens) -> Option<Dollars> {
        let ceiling = |prices: TokenPrices| prices.ceiling(tokens, self.keeps_an_hour);
        if let Some(own) = self.own {
            return ceiling(own);
        }
        let model = self.table?.get(&self.asked).filter(|_| !self.takes_reported)?;
        let of_tier = |tier: Option<&str>| ceiling(model.prices(tier, tokens.input)?);
        let usual = of_tier(None)?;
        match tier.and_then(nonstandard_tier) {
            None => Some(usual),
            // The server may answer in the usual tier instead.
            Some(tier) => Some(usual.max(of_tier(Some(tier))?)),
        }
    }

    /// The cost that the server reports, if it is the bill: `prices` of the entry come first.
    fn reported(&self, told: Option<Dollars>) -> Option<Dollars> {
        let told = told.filter(|_| self.takes_reported).or(self.header_cost);
        told.filter(|_| self.own.is_none())
    }

    /// The token counts, with their cost as far as it is known.
    pub(crate) fn with_cost(&self, metered: &MeteredUsage<'_>) -> Usage {
        let priced = self.with_price(metered);
        self.reported(metered.told).map_or(priced, |cost| priced.with_cost(cost))
    }

    fn with_price(&self, metered: &MeteredUsage<'_>) -> Usage {
        let MeteredUsage { usage, .. } = metered;
        let own = self.own.filter(|_| !self.is_of_other_model(metered));
        let from_table = || self.model(metered)?.prices(metered.tier, usage.all_input());
        let Some(prices) = own.or_else(from_table) else { return *usage };
        let whole = if self.keeps_an_hour { usage.cache_write } else { 0 };
        let priced = prices.price_tokens(usage, metered.kept_an_hour.unwrap_or(whole));
        let is_whole = priced.priced >= usage.tokens();
        if metered.more && is_whole { usage.with_least_cost(priced.cost) } else { priced }
    }

    fn is_of_other_model(&self, metered: &MeteredUsage<'_>) -> bool {
        metered.is_other_model && metered.answered != Some(self.asked.as_str())
    }

    /// The model whose prices apply: the one that answered. A name that the table does not contain is an alias of the
    /// requested model, unless another model may have answered.
    fn model(&self, metered: &MeteredUsage<'_>) -> Option<&'static PriceTableModel> {
        let table = self.table?;
        let requested = table.get(&self.asked).filter(|_| !self.is_of_other_model(metered));
        metered.answered.and_then(|name| table.get(name)).or(requested)
    }
}

/// The cost that a server reports in its usage, directly or as a total of its parts; `None` if it is no such number.
pub(crate) fn reported_cost(cost: &Value) -> Option<Dollars> {
    dollars(cost.as_f64().or_else(|| cost["total_cost"].as_f64())?)
}

/// An amount of US dollars, rounded to twelve decimal places; `None` if it is negative or no number.
pub(crate) fn dollars(amount: f64) -> Option<Dollars> {
    format!("{amount:.12}").parse().ok()
}

/// The tier, if it is not the usual one.
pub(crate) fn nonstandard_tier(tier: &str) -> Option<&str> {
    (!["default", "standard", "auto", "on_demand"].contains(&tier)).then_some(tier)
}

/// The context window of the entry's model in tokens, from the table.
pub(crate) fn window(profile: &ProviderProfile, config: &ProviderConfig) -> Option<u64> {
    let models =
        profile.is_own_address(config.base_url.as_deref()).then(|| table::models(profile.kind)).flatten()?;
    models.get(config.model.as_deref()?)?.window
}

/// The prices of a model's tokens, from the entry or the table; `None` if neither has them. A longer prompt, another
/// tier or an hour in the cache may cost more.
pub fn prices_of_model(config: &ProviderConfig, model: &str) -> Option<TokenPrices> {
    config.prices_of(model).or_else(|| find_in_table(config, model)?.prices(None, 0))
}

/// The context window of a model in tokens: the entry's value for its own model, the table's for others.
pub fn window_of(config: &ProviderConfig, model: &str) -> Option<u64> {
    let own = config.context_tokens.filter(|_| config.model.as_deref() == Some(model));
    own.or_else(|| find_in_table(config, model)?.window)
}

/// The most tokens of a model's answer, from the table.
pub(crate) fn longest_answer(config: &ProviderConfig, model: &str) -> Option<u64> {
    find_in_table(config, model)?.answer
}

/// The context window of a model without a request to a server: from the entry for its own model, then from the
/// server's last list, then from the table.
pub(crate) fn known_window(
    config: &ProviderConfig,
    base: &Url,
    model: &str,
    listed: Option<&OfferedModel>,
) -> ContextWindow {
    let listed_output = listed.and_then(|listed| listed.max_output_tokens);
    let output = config.max_output_tokens.map(u64::from).or(listed_output);
    let told = |tokens, told| ContextWindow { tokens, output, told };
    let own = config.context_tokens.filter(|_| config.model.as_deref() == Some(model));
    if let Some(tokens) = own {
        return told(tokens, ContextWindowSource::Setting);
    }
    if let Some(tokens) = listed.and_then(|listed| listed.context_tokens) {
        return told(tokens, ContextWindowSource::Listing);
    }
    if let Some(tokens) = find_in_table(config, model).and_then(|model| model.window) {
        return told(tokens, ContextWindowSource::Table);
    }
    // A local server may give a model of that name a window of its own.
    if let Some(tokens) = table::window_of_name(model).filter(|_| !is_local_address(base)) {
        return told(tokens, ContextWindowSource::Table);
    }
    let guess = if is_local_address(base) { ContextWindow::GUESS_LOCAL } else { ContextWindow::GUESS };
    ContextWindow { output, ..guess }
}

fn find_in_table(config: &ProviderConfig, model: &str) -> Option<&'static PriceTableModel> {
    let profile = ProviderProfile::of_kind(config.kind)?;
    let models =
        profile.is_own_address(config.base_url.as_deref()).then(|| table::models(profile.kind)).flatten()?;
    models.get(model).or_else(|| models.get(model.strip_prefix("models/")?))
}

/// The source of a model's price, for people: the entry or the table.
pub fn origin(config: &ProviderConfig, model: &str) -> Option<PriceOrigin> {
    if config.prices_of(model).is_some() {
        return Some(PriceOrigin::Entry);
    }
    let profile = ProviderProfile::of_kind(config.kind)?;
    if config.takes_reported_cost(profile) {
        return Some(PriceOrigin::Answers);
    }
    let models =
        profile.is_own_address(config.base_url.as_deref()).then(|| table::models(profile.kind)).flatten()?;
    models.contains_key(model).then_some(PriceOrigin::Table)
}

/// Source of a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceOrigin {
    /// `prices` of the entry, or of its model.
    Entry,
    /// The server reports the cost of each answer.
    Answers,
    /// The table of this version.
    Table,
}
