//! Renders stored words and values that have no renderer of their own.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::session::ParkReason;
use entracte_domain::usage::{Cost, Usage};

/// A stored word as text, by its kind: `standing`, `state`, `effect`. A word without a text is unchanged.
pub(crate) fn word(kind: &str, word: &str, texts: &LocalizedTexts) -> String {
    let key = format!("word-{kind}-{}", word.to_lowercase().replace('_', "-"));
    if texts.has(&key) { texts.render(&key, &[]) } else { word.to_owned() }
}

/// The known part of a cost.
pub(crate) fn cost(usage: &Usage, texts: &LocalizedTexts) -> String {
    match usage.known_cost() {
        Cost::Exactly(cost) => say!(texts, "cost-exactly", amount = cost.to_string()),
        Cost::AtLeast(cost) => say!(texts, "cost-at-least", amount = cost.to_string()),
        Cost::Unknown => say!(texts, "cost-unknown"),
    }
}

/// Why a run is parked.
pub(crate) fn parked_reason(why: &ParkReason, texts: &LocalizedTexts) -> String {
    match why {
        ParkReason::Exhausted(text) => text.clone(),
        ParkReason::Interrupted => say!(texts, "parked-interrupted"),
        ParkReason::Quarantined => say!(texts, "parked-quarantined"),
    }
}
