//! The table of prices and windows: `prices/table.json`, which `prices/refresh.py` makes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::provider_kind::ProviderKind;
use crate::token_price::{MillionTokenPrice, TokenPrices};

/// The models of a provider by their names.
pub(super) type PriceTableModels = BTreeMap<String, PriceTableModel>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PriceTable {
    date: String,
    source: String,
    pub(super) profiles: BTreeMap<String, PriceTableModels>,
}

/// A model in the table.
#[derive(Debug, Deserialize)]
pub(super) struct PriceTableModel {
    /// Tokens that it reads and writes at once.
    pub(super) window: Option<u64>,
    prices: Vec<PriceTier>,
}

/// Prices of one tier, for prompts that are longer than `above`.
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
    /// The prices of a tier for a prompt of so many tokens; none when the table does not name the tier.
    pub(super) fn prices(&self, tier: Option<&str>, prompt: u64) -> Option<TokenPrices> {
        let fits = |row: &&PriceTier| row.tier.as_deref() == tier && (row.above == 0 || prompt > row.above);
        let row = self.prices.iter().filter(fits).max_by_key(|row| row.above)?;
        let PriceTierRates { input, cache_read, cache_write, cache_write_1h, output } = row.prices;
        Some(TokenPrices { input, cache_read, cache_write, cache_write_1h, output })
    }
}

/// The models of a kind; none when the table does not have it.
pub(super) fn models(kind: ProviderKind) -> Option<&'static PriceTableModels> {
    TABLE.profiles.get(kind.word())
}

/// The day on which the table was made.
pub fn date() -> &'static str {
    &TABLE.date
}

/// Where the table comes from.
pub fn source() -> &'static str {
    &TABLE.source
}

/// Reads a table.
pub(super) fn read(text: &str) -> Result<PriceTable, serde_json::Error> {
    serde_json::from_str(text)
}

pub(super) const TEXT: &str = include_str!("../../prices/table.json");

/// A table that cannot be read would be found by the tests; then no price is known.
static TABLE: LazyLock<PriceTable> = LazyLock::new(|| read(TEXT).unwrap_or_default());
