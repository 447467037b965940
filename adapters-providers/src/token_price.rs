//! Prices in their configured form: dollars per million tokens.

use std::borrow::Cow;
use std::fmt;

use entracte_application::texts::saying;
use entracte_domain::dollars::{Dollars, DollarsParseError};
use entracte_domain::usage::Usage;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// What the tokens of a model cost, in US dollars for a million of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenPrices {
    /// Input that no cache knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<MillionTokenPrice>,
    /// Input read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<MillionTokenPrice>,
    /// Input written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<MillionTokenPrice>,
    /// Input written to a cache that keeps it for an hour; as `cache_write` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<MillionTokenPrice>,
    /// Output, reasoning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<MillionTokenPrice>,
}

impl TokenPrices {
    /// The tokens with the cost of those kinds that have a price. `kept` of the cache-write tokens are stored for an
    /// hour.
    pub(crate) fn price_tokens(&self, usage: &Usage, kept: u64) -> Usage {
        let kept = kept.min(usage.cache_write);
        let parts = [
            (usage.input, self.input),
            (usage.cache_read, self.cache_read),
            (usage.cache_write - kept, self.cache_write),
            (kept, self.cache_write_1h.or(self.cache_write)),
            (usage.output, self.output),
        ];
        let priced = parts.into_iter().filter_map(|(tokens, price)| price.map(|price| (tokens, price)));
        let none = Usage { cost: Dollars::ZERO, priced: 0, ..*usage };
        priced.fold(none, |sum, (tokens, price)| Usage {
            cost: sum.cost.plus(price.token.times(tokens)),
            priced: sum.priced.saturating_add(tokens),
            ..sum
        })
    }

    /// The most that so many tokens cost: each token of the request in the dearest way. `None` if the price of the request
    /// or of the answer is unknown.
    pub(crate) fn ceiling(&self, tokens: CallTokens, keeps_an_hour: bool) -> Option<Dollars> {
        let kept = self.cache_write_1h.filter(|_| keeps_an_hour);
        let input = self.input?.token;
        let others = [self.cache_read, self.cache_write, kept].into_iter().flatten().map(|price| price.token);
        let input = others.fold(input, Dollars::max);
        Some(input.times(tokens.input).plus(self.output?.token.times(tokens.output)))
    }
}

/// The most tokens of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallTokens {
    /// Tokens of the request.
    pub(crate) input: u64,
    /// Tokens of the answer.
    pub(crate) output: u64,
}

/// Price of a million tokens: a decimal number, as text or number, with at most six decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MillionTokenPrice {
    /// Cost of one token.
    token: Dollars,
}

impl MillionTokenPrice {
    /// Parses dollars per million tokens.
    ///
    /// # Errors
    /// A description of the error in the text, for people.
    pub fn per_million(text: &str) -> Result<Self, String> {
        let million: Result<Dollars, DollarsParseError> = text.parse();
        let token = million.map(Dollars::per_million);
        match token {
            Ok(Some(token)) => Ok(Self { token }),
            Ok(None) | Err(DollarsParseError::TooFine) => {
                Err(saying!("fault-price-fine", given = text).to_string())
            }
            Err(DollarsParseError::NotDecimal) => Err(saying!("fault-price-none", given = text).to_string()),
            Err(DollarsParseError::TooLarge) => Err(saying!("fault-price-large", given = text).to_string()),
        }
    }
}

#[cfg(test)]
impl MillionTokenPrice {
    /// The cost of these tokens.
    pub(crate) fn times(self, tokens: u64) -> Dollars {
        self.token.times(tokens)
    }
}

impl<'de> Deserialize<'de> for MillionTokenPrice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            // The shortest text of the same number is the one that was written.
            other => other.to_string(),
        };
        Self::per_million(&text).map_err(D::Error::custom)
    }
}

impl Serialize for MillionTokenPrice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for MillionTokenPrice {
    /// Formats dollars per million tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.token.times(1_000_000).fmt(f)
    }
}

impl JsonSchema for MillionTokenPrice {
    fn schema_name() -> Cow<'static, str> {
        "Price".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "US dollars for a million tokens, like \"2.50\"",
            "type": ["string", "number"],
            "pattern": r"^[0-9]+(\.[0-9]{1,6})?$",
            "minimum": 0
        })
    }
}
