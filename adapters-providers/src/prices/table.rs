//! The table of prices and context windows: `prices/table.json`, which `prices/refresh.py` generates.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::provider_kind::ProviderKind;
use crate::token_price::{MillionTokenPrice, TokenPrices};

/// Models of a provider by name.
pub(super) type PriceTableModels = BTreeMap<String, PriceTableModel>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PriceTable {
    date: String,
    source: String,
    pub(super) profiles: BTreeMap<String, PriceTableModels>,
}

/// Table entry of a model.
#[derive(Debug, Deserialize)]
pub(super) struct PriceTableModel {
    /// The context window in tokens.
    pub(super) window: Option<u64>,
    /// The most tokens of an answer.
    #[serde(default)]
    pub(super) answer: Option<u64>,
    prices: Vec<PriceTier>,
}

/// Prices of one tier, for prompts longer than `above` tokens.
#[derive(Debug, Deserialize)]
struct PriceTier {
    tier: Option<String>,
    #[serde(default)]
    above: u64,
    #[serde(flatten)]
    prices: PriceTierRates,
}

/// The same fields as [`TokenPrices`], which refuses others.
#[derive(Clone, Copy, Debug, Deserialize)]
struct PriceTierRates {
    input: Option<MillionTokenPrice>,
    cache_read: Option<MillionTokenPrice>,
    cache_write: Option<MillionTokenPrice>,
    cache_write_1h: Option<MillionTokenPrice>,
    output: Option<MillionTokenPrice>,
}

impl PriceTableModel {
    /// The prices of a tier for a prompt of `prompt` tokens; `None` if the table does not contain the tier.
    pub(super) fn prices(&self, tier: Option<&str>, prompt: u64) -> Option<TokenPrices> {
        let fits = |row: &&PriceTier| row.tier.as_deref() == tier && (row.above == 0 || prompt > row.above);
        let row = self.prices.iter().filter(fits).max_by_key(|row| row.above)?;
        let PriceTierRates { input, cache_read, cache_write, cache_write_1h, output } = row.prices;
        Some(TokenPrices { input, cache_read, cache_write, cache_write_1h, output })
    }
}

/// The models of a kind; `None` if the table does not contain it.
pub(super) fn models(kind: ProviderKind) -> Option<&'static PriceTableModels> {
    TABLE.profiles.get(kind.word())
}

/// The window of a model by its name alone, as gateways write it: with or without the name of its maker. `None` if
/// providers differ in it.
pub(super) fn window_of_name(model: &str) -> Option<u64> {
    let name = model.rsplit_once('/').map_or(model, |(_, name)| name);
    let known = TABLE.profiles.values().filter_map(|models| models.get(model).or_else(|| models.get(name)));
    let mut windows = known.filter_map(|known| known.window);
    let first = windows.next()?;
    windows.all(|window| window == first).then_some(first)
}

/// The day on which the table was generated.
pub fn date() -> &'static str {
    &TABLE.date
}

/// The source of the table's data.
pub fn source() -> &'static str {
    &TABLE.source
}

/// Parses a table.
pub(super) fn read(text: &str) -> Result<PriceTable, serde_json::Error> {
    serde_json::from_str(text)
}

pub(super) const TEXT: &str = include_str!("../../prices/table.json");

/// An unreadable table would fail the tests; without one, no price is known.
static TABLE: LazyLock<PriceTable> = LazyLock::new(|| read(TEXT).unwrap_or_default());
