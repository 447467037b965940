//! Caps on what the model calls of a workspace may use.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use entracte_domain::dollars::Dollars;
use entracte_domain::spending::{SpendingCap, SpendingScope, UnknownPricePolicy};
use serde::{Deserialize, Serialize};

/// The caps of a workspace, and how worst cases are reserved. Without a cap nothing is reserved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct SpendingSettings {
    caps: [SpendingCap; SpendingScope::ALL.len()],
    /// What happens to a call of unknown price while money is capped (`budget.unknown_price`).
    pub unknown_price: UnknownPricePolicy,
    /// What is added to the estimated part of a request, in percent (`budget.margin`).
    pub margin: u32,
    /// The part of each cap that may be used before a person is asked, in percent (`budget.soft_line`).
    pub soft_line: u32,
    /// The part of each cap that is kept for the closing call, in percent (`budget.closing_reserve`).
    pub closing_reserve: u32,
}

/// The keys of the settings besides those of caps, which are the words of their scopes.
const UNKNOWN_PRICE: &str = "unknown_price";
const MARGIN: &str = "margin";
const SOFT_LINE: &str = "soft_line";
const CLOSING_RESERVE: &str = "closing_reserve";

/// The largest margin in percent.
const MARGIN_MAX: u32 = 100;

/// The soft lines in percent; at the last one nobody is asked.
const SOFT_LINES: RangeInclusive<u32> = 1..=100;

/// The largest closing reserve in percent.
const CLOSING_RESERVE_MAX: u32 = 50;

impl SpendingSettings {
    /// No caps.
    pub const NONE: Self = Self {
        caps: [SpendingCap::NONE; SpendingScope::ALL.len()],
        unknown_price: UnknownPricePolicy::Ask,
        margin: 20,
        soft_line: 80,
        closing_reserve: 10,
    };

    /// Whether all settings have their defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::NONE
    }

    /// The cap of a scope.
    pub const fn cap(&self, scope: SpendingScope) -> SpendingCap {
        self.caps[scope as usize]
    }

    /// Sets the cap of a scope.
    pub const fn set_cap(&mut self, scope: SpendingScope, cap: SpendingCap) {
        self.caps[scope as usize] = cap;
    }

    /// The caps that limit something.
    pub fn caps(&self) -> impl Iterator<Item = (SpendingScope, SpendingCap)> {
        SpendingScope::ALL.into_iter().zip(self.caps).filter(|(_, cap)| !cap.is_none())
    }

    /// Whether any cap limits something.
    pub fn has_caps(&self) -> bool {
        self.caps().next().is_some()
    }

    /// Whether a cap is on money.
    pub fn caps_money(&self) -> bool {
        self.caps().any(|(_, cap)| cap.cost.is_some())
    }

    /// The text form of the setting of this key, the part of its name after `budget.`; empty for an unknown key.
    pub(super) fn text(&self, key: &str) -> String {
        match (SpendingScope::from_word(key), key) {
            (Some(scope), _) => cap_text(self.cap(scope)),
            (None, UNKNOWN_PRICE) => self.unknown_price.word().to_owned(),
            (None, MARGIN) => self.margin.to_string(),
            (None, SOFT_LINE) => self.soft_line.to_string(),
            (None, CLOSING_RESERVE) => self.closing_reserve.to_string(),
            (None, _) => String::new(),
        }
    }

    /// Changes the setting of this key; `None` if the value is invalid or the key unknown.
    pub(super) fn change(&mut self, key: &str, text: &str) -> Option<()> {
        match (SpendingScope::from_word(key), key) {
            (Some(scope), _) => self.set_cap(scope, read_cap(text)?),
            (None, UNKNOWN_PRICE) => self.unknown_price = UnknownPricePolicy::from_word(text)?,
            (None, MARGIN) => self.margin = text.parse().ok().filter(|margin| *margin <= MARGIN_MAX)?,
            (None, SOFT_LINE) => {
                self.soft_line = text.parse().ok().filter(|line| SOFT_LINES.contains(line))?;
            }
            (None, CLOSING_RESERVE) => {
                self.closing_reserve = text.parse().ok().filter(|reserve| *reserve <= CLOSING_RESERVE_MAX)?;
            }
            (None, _) => return None,
        }
        Some(())
    }
}

impl Default for SpendingSettings {
    fn default() -> Self {
        Self::NONE
    }
}

impl TryFrom<BTreeMap<String, String>> for SpendingSettings {
    type Error = String;

    fn try_from(stored: BTreeMap<String, String>) -> Result<Self, String> {
        let mut settings = Self::NONE;
        for (key, text) in stored {
            settings.change(&key, &text).ok_or_else(|| format!("budget.{key} cannot be {text:?}"))?;
        }
        Ok(settings)
    }
}

/// Only the settings that differ from their defaults are stored.
impl From<SpendingSettings> for BTreeMap<String, String> {
    fn from(settings: SpendingSettings) -> Self {
        let keys = SpendingScope::ALL.map(SpendingScope::word).into_iter().chain([
            UNKNOWN_PRICE,
            MARGIN,
            SOFT_LINE,
            CLOSING_RESERVE,
        ]);
        let texts = keys.map(|key| (key.to_owned(), settings.text(key)));
        texts.filter(|(key, text)| *text != SpendingSettings::NONE.text(key)).collect()
    }
}

/// The text form of no cap.
const NO_CAP: &str = "none";

fn cap_text(cap: SpendingCap) -> String {
    let cost = cap.cost.map(|cost| format!("{cost} USD"));
    let tokens = cap.tokens.map(|tokens| format!("{tokens} tokens"));
    let parts: Vec<String> = cost.into_iter().chain(tokens).collect();
    if parts.is_empty() { NO_CAP.to_owned() } else { parts.join(" and ") }
}

/// Parses the text form of a cap; `None` if it is another form, names a part twice, or allows nothing at all.
fn read_cap(text: &str) -> Option<SpendingCap> {
    let mut cap = SpendingCap::NONE;
    if text.trim() == NO_CAP {
        return Some(cap);
    }
    for part in text.split(" and ").map(str::trim) {
        let is_first = match part.strip_suffix(" USD") {
            Some(cost) => {
                let cost = cost.trim().parse::<Dollars>().ok().filter(|cost| *cost > Dollars::ZERO)?;
                cap.cost.replace(cost).is_none()
            }
            None => {
                let tokens = part.strip_suffix(" tokens")?.trim().parse::<u64>().ok();
                let tokens = tokens.filter(|tokens| *tokens > 0)?;
                cap.tokens.replace(tokens).is_none()
            }
        };
        if !is_first {
            return None;
        }
    }
    Some(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_read_as_they_are_written() {
        for (text, expected) in [
            ("none", Some("none")),
            ("2.50 USD", Some("2.5 USD")),
            ("500000 tokens", Some("500000 tokens")),
            ("9 tokens and 0.000001 USD", Some("0.000001 USD and 9 tokens")),
            ("", None),
            ("2.50", None),
            ("2.50 EUR", None),
            ("0 USD", None),
            ("-1 USD", None),
            ("0 tokens", None),
            ("1 USD and 2 USD", None),
            ("none and 1 USD", None),
        ] {
            assert_eq!(read_cap(text).map(cap_text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn settings_with_defaults_are_not_stored() {
        let mut settings = SpendingSettings::NONE;
        assert_eq!(serde_json::to_string(&settings).unwrap(), "{}");
        assert!(!settings.has_caps());
        settings.change("tree", "3 USD").unwrap();
        settings.change("margin", "5").unwrap();
        settings.change("soft_line", "100").unwrap();
        let stored = r#"{"margin":"5","soft_line":"100","tree":"3 USD"}"#;
        assert_eq!(serde_json::to_string(&settings).unwrap(), stored);
        assert_eq!(serde_json::from_str::<SpendingSettings>(stored).unwrap(), settings);
        assert!(settings.has_caps() && settings.caps_money());
        for wrong in
            [r#"{"trees":"3 USD"}"#, r#"{"margin":"101"}"#, r#"{"soft_line":"0"}"#, r#"{"tree":"3"}"#]
        {
            assert!(serde_json::from_str::<SpendingSettings>(wrong).is_err(), "{wrong}");
        }
    }
}
