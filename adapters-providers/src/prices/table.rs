//! The table of prices and windows: `prices/table.json`, which `prices/refresh.py` makes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::kind::Kind;
use crate::price::{Price, Prices};

/// The models of a provider by their names.
pub(super) type Models = BTreeMap<String, Model>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Table {
    date: String,
    source: String,
    pub(super) profiles: BTreeMap<String, Models>,
}

/// A model in the table.
#[derive(Debug, Deserialize)]
pub(super) struct Model {
    /// Tokens that it reads and writes at once.
    pub(super) window: Option<u64>,
    prices: Vec<Row>,
}

/// Prices of one tier, for prompts that are longer than `above`.
#[derive(Debug, Deserialize)]
struct Row {
    tier: Option<String>,
    #[serde(default)]
    above: u64,
    #[serde(flatten)]
    prices: Rates,
}

/// The same fields as [`Prices`], which refuses others.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Rates {
    input: Option<Price>,
    cache_read: Option<Price>,
    cache_write: Option<Price>,
    cache_write_1h: Option<Price>,
    output: Option<Price>,
}

impl Model {
    /// The prices of a tier for a prompt of so many tokens; none when the table does not name the tier.
    pub(super) fn prices(&self, tier: Option<&str>, prompt: u64) -> Option<Prices> {
        let fits = |row: &&Row| row.tier.as_deref() == tier && (row.above == 0 || prompt > row.above);
        let row = self.prices.iter().filter(fits).max_by_key(|row| row.above)?;
        let Rates { input, cache_read, cache_write, cache_write_1h, output } = row.prices;
        Some(Prices { input, cache_read, cache_write, cache_write_1h, output })
    }
}

/// The models of a kind; none when the table does not have it.
pub(super) fn models(kind: Kind) -> Option<&'static Models> {
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
pub(super) fn read(text: &str) -> Result<Table, serde_json::Error> {
    serde_json::from_str(text)
}

pub(super) const TEXT: &str = include_str!("../../prices/table.json");

/// A table that cannot be read would be found by the tests; then no price is known.
static TABLE: LazyLock<Table> = LazyLock::new(|| read(TEXT).unwrap_or_default());
