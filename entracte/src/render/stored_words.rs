//! Renders stored words and values that have no renderer of their own.

use entracte_adapters_http::shapes::cost::{ReservationsShape, SpendingShape, UsageShape};
use entracte_application::texts::{LocalizedTexts, say};

/// A stored word as text, by its kind: `standing`, `state`, `effect`. A word without a text is unchanged.
pub(crate) fn word(kind: &str, word: &str, texts: &LocalizedTexts) -> String {
    let key = format!("word-{kind}-{}", word.to_lowercase().replace('_', "-"));
    if texts.has(&key) { texts.render(&key, &[]) } else { word.to_owned() }
}

/// What is reserved of caps, by the keys of the rows of a sheet.
pub(crate) fn reservations(
    reservations: &ReservationsShape,
    texts: &LocalizedTexts,
) -> Vec<(&'static str, String)> {
    let ReservationsShape { reserved, uncertain, overrun } = reservations;
    let parts = [("reserved", reserved), ("uncertain", uncertain), ("overrun", overrun)];
    let is_some = |amount: &SpendingShape| amount.tokens > 0 || amount.cost_usd != "0";
    let row = |(key, amount): (&'static str, &SpendingShape)| {
        (key, say!(texts, "cost-amount", amount = amount.cost_usd.as_str(), tokens = amount.tokens))
    };
    parts.into_iter().filter(|(_, amount)| is_some(amount)).map(row).collect()
}

/// What is reserved of caps, in a line.
pub(crate) fn reservations_text(shape: &ReservationsShape, texts: &LocalizedTexts) -> String {
    let part = |(key, amount): (&str, String)| {
        say!(texts, "cost-reservation", state = texts.render(&format!("sheet-{key}"), &[]), amount = amount)
    };
    reservations(shape, texts).into_iter().map(part).collect::<Vec<_>>().join("; ")
}

/// The known part of a cost.
pub(crate) fn cost(usage: &UsageShape, texts: &LocalizedTexts) -> String {
    match (&usage.cost_usd, usage.cost_at_least) {
        (Some(amount), false) => say!(texts, "cost-exactly", amount = amount),
        (Some(amount), true) => say!(texts, "cost-at-least", amount = amount),
        (None, _) => say!(texts, "cost-unknown"),
    }
}
