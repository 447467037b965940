//! Words for things that have none of their own.

use entracte_application::texts::{Texts, say};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::session::{CompletionCheck, Dialect, ParkedWhy, Profile, Unattended};
use entracte_domain::usage::{Cost, Usage};

/// A dialect.
pub(crate) const fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Envelope => "envelope",
        Dialect::Tools => "tools",
    }
}

/// A kind of command.
pub(crate) const fn kind(kind: CommandKind) -> &'static str {
    match kind {
        CommandKind::Query => "query",
        CommandKind::Action => "action",
    }
}

/// What may be done when an outcome is not known.
pub(crate) const fn effect(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::Read => "read",
        EffectClass::Local => "local",
        EffectClass::Idempotent => "idempotent",
        EffectClass::Probe => "probe",
        EffectClass::Once => "once",
    }
}

/// A set of limits.
pub(crate) const fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Autonomous => "autonomous",
        Profile::Strict => "strict",
    }
}

/// What happens to an action that needs approval.
pub(crate) const fn unattended(unattended: Unattended) -> &'static str {
    match unattended {
        Unattended::Park => "park",
        Unattended::Refuse => "refuse",
        Unattended::Allow => "allow",
    }
}

/// Whether "completed" is taken at its word.
pub(crate) const fn completion(completion: CompletionCheck) -> &'static str {
    match completion {
        CompletionCheck::Trust => "trust",
        CompletionCheck::AskOnce => "ask_once",
    }
}

/// A word of the machine as people read it, by its kind: `standing`, `state`, `effect`. One that has no text is shown
/// as it is.
pub(crate) fn word(kind: &str, word: &str, texts: &Texts) -> String {
    let key = format!("word-{kind}-{}", word.to_lowercase().replace('_', "-"));
    if texts.has(&key) { texts.say(&key, &[]) } else { word.to_owned() }
}

/// What is known of a cost.
pub(crate) fn cost(usage: &Usage, texts: &Texts) -> String {
    match usage.known_cost() {
        Cost::Exactly(cost) => say!(texts, "cost-exactly", amount = cost.to_string()),
        Cost::AtLeast(cost) => say!(texts, "cost-at-least", amount = cost.to_string()),
        Cost::Unknown => say!(texts, "cost-unknown"),
    }
}

/// Why a run rests.
pub(crate) fn parked(why: &ParkedWhy, texts: &Texts) -> String {
    match why {
        ParkedWhy::Exhausted(text) => text.clone(),
        ParkedWhy::Interrupted => say!(texts, "parked-interrupted"),
        ParkedWhy::Quarantined => say!(texts, "parked-quarantined"),
    }
}
