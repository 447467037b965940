//! What tokens cost: the prices of an entry, or those of the table that is part of this version.
//!
//! Pure. A cost is reckoned once, where an answer's tokens are read, and stays with them; nothing here guesses. What has no
//! price, a tier that the table does not name, or work that is billed beside tokens leave the cost unknown.

mod table;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use entracte_application::ports::{ContextWindow, ContextWindowSource, OfferedModel};
use entracte_domain::dollars::Dollars;
use entracte_domain::usage::Usage;
use reqwest::Url;

pub use table::{date, source};

use crate::config::ProviderConfig;
use crate::profiles::ProviderProfile;
use crate::provider_kind::CacheTtl;
pub use crate::token_price::{MillionTokenPrice, TokenPrices};
use table::PriceTableModel;

/// What a call is billed by.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTariff {
    /// What the entry says.
    own: Option<TokenPrices>,
    /// The provider's models; none behind an address that is not the provider's own, where others set the prices.
    table: Option<&'static table::PriceTableModels>,
    /// The model that was asked.
    asked: String,
    /// Whether what is written to the cache is kept for an hour, when the answer does not say.
    keeps_an_hour: bool,
}

/// What an answer says of what it used, as far as its bill depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeteredUsage<'a> {
    /// The tokens.
    pub(crate) usage: Usage,
    /// Of what was written to the cache, what is kept for an hour; none when the answer does not say.
    pub(crate) kept_an_hour: Option<u64>,
    /// The model that answered.
    pub(crate) answered: Option<&'a str>,
    /// The tier that answered; none for the usual one.
    pub(crate) tier: Option<&'a str>,
    /// Something else is on the bill.
    pub(crate) more: bool,
    /// The cost, when the server says it.
    pub(crate) told: Option<Dollars>,
}

/// The token counts that an answer's usage names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenCounts {
    /// The tokens of the prompt.
    pub(crate) input: u64,
    /// The tokens of the answer, as the server counts them.
    pub(crate) output: u64,
    /// All tokens, where the server says it.
    pub(crate) total: Option<u64>,
    /// The tokens of the prompt that a cache knew.
    pub(crate) cache_read: u64,
    /// The tokens of the prompt that a cache took.
    pub(crate) cache_write: u64,
}

impl TokenCounts {
    /// The output tokens that are billed.
    ///
    /// Some servers count reasoning beside the output (xAI), or do not name it at all (gateways before Gemini): only the total
    /// contains it then. A surplus of exactly the cached tokens is a prompt that is counted without them, no output.
    pub(crate) fn billed_output(&self) -> u64 {
        let counted = self.input.saturating_add(self.output);
        let surplus = self.total.unwrap_or(counted).saturating_sub(counted);
        let cached = [self.cache_read, self.cache_write, self.cache_read.saturating_add(self.cache_write)];
        if cached.contains(&surplus) { self.output } else { self.output.saturating_add(surplus) }
    }
}

impl CallTariff {
    /// What calls to a model of an entry are billed by.
    pub(crate) fn of(
        profile: &ProviderProfile,
        config: &ProviderConfig,
        model: &str,
        kept: CacheTtl,
    ) -> Self {
        Self {
            own: config.prices_of(model),
            table: uses_provider_address(profile, config).then(|| table::models(profile.kind)).flatten(),
            asked: model.to_owned(),
            keeps_an_hour: kept == CacheTtl::OneHour,
        }
    }

    /// The tokens, with their cost when it is known.
    pub(crate) fn with_cost(&self, metered: &MeteredUsage<'_>) -> Usage {
        self.cost(metered).map_or(metered.usage, |cost| metered.usage.with_cost(cost))
    }

    fn cost(&self, metered: &MeteredUsage<'_>) -> Option<Dollars> {
        let MeteredUsage { usage, .. } = metered;
        let whole = if self.keeps_an_hour { usage.cache_write } else { 0 };
        let kept = metered.kept_an_hour.unwrap_or(whole);
        if let Some(own) = &self.own {
            return own.cost(usage, kept);
        }
        if metered.told.is_some() || metered.more {
            return metered.told;
        }
        let prices = self.model(metered.answered)?.prices(metered.tier, usage.all_input())?;
        prices.cost(usage, kept)
    }

    /// Who answered is billed; a name that the table does not know is another name for who was asked.
    fn model(&self, answered: Option<&str>) -> Option<&'static PriceTableModel> {
        let table = self.table?;
        answered.and_then(|name| table.get(name)).or_else(|| table.get(&self.asked))
    }
}

/// The word of a tier, when it is not the usual one.
pub(crate) fn nonstandard_tier(tier: &str) -> Option<&str> {
    (!["default", "standard", "auto", "on_demand"].contains(&tier)).then_some(tier)
}

/// The tokens that a model reads and writes at once, as the table says.
pub(crate) fn window(profile: &ProviderProfile, config: &ProviderConfig) -> Option<u64> {
    let models = uses_provider_address(profile, config).then(|| table::models(profile.kind)).flatten()?;
    models.get(config.model.as_deref()?)?.window
}

/// What the tokens of a model cost, as the entry or the table says; none where neither does. A longer prompt, another
/// tier or an hour in the cache may cost more.
pub fn prices_of_model(config: &ProviderConfig, model: &str) -> Option<TokenPrices> {
    config.prices_of(model).or_else(|| find_in_table(config, model)?.prices(None, 0))
}

/// The tokens that a model holds at once, as the entry says of its own and the table of the others.
pub fn window_of(config: &ProviderConfig, model: &str) -> Option<u64> {
    let own = config.context_tokens.filter(|_| config.model.as_deref() == Some(model));
    own.or_else(|| find_in_table(config, model)?.window)
}

/// How much a model of an entry reads and writes at once, without asking anybody: the entry says it of its own model,
/// then what the server listed, then the table of models.
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
    let guess = if is_local_address(base) { ContextWindow::GUESS_LOCAL } else { ContextWindow::GUESS };
    ContextWindow { output, ..guess }
}

/// Whether a server is on this machine or in its network.
pub(crate) fn is_local_address(base: &Url) -> bool {
    let Some(host) = base.host_str() else { return false };
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(at)) => at.is_loopback() || at.is_private() || at.is_link_local(),
        Ok(IpAddr::V6(at)) => at.is_loopback() || at.is_unique_local(),
        Err(_) => host.ends_with(".local") || !host.contains('.'),
    }
}

fn find_in_table(config: &ProviderConfig, model: &str) -> Option<&'static PriceTableModel> {
    let profile = ProviderProfile::of_kind(config.kind)?;
    let models = uses_provider_address(profile, config).then(|| table::models(profile.kind)).flatten()?;
    models.get(model).or_else(|| models.get(model.strip_prefix("models/")?))
}

/// Where the price of a model comes from, for people: the entry, or the table.
pub fn origin(config: &ProviderConfig, model: &str) -> Option<PriceOrigin> {
    if config.prices_of(model).is_some() {
        return Some(PriceOrigin::Entry);
    }
    let profile = ProviderProfile::of_kind(config.kind)?;
    if profile.tells_cost {
        return Some(PriceOrigin::Answers);
    }
    let models = uses_provider_address(profile, config).then(|| table::models(profile.kind)).flatten()?;
    models.contains_key(model).then_some(PriceOrigin::Table)
}

/// Where prices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceOrigin {
    /// `prices` of the entry, or of its model.
    Entry,
    /// The server says what each answer cost.
    Answers,
    /// The table of this version.
    Table,
}

/// Whether the entry speaks to the provider itself.
fn uses_provider_address(profile: &ProviderProfile, config: &ProviderConfig) -> bool {
    let Some(given) = config.base_url.as_deref() else { return true };
    let host = |address: &str| Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    profile.base_url.and_then(host).is_some_and(|own| host(given) == Some(own))
}
