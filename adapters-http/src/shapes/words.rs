//! Words for things that have none of their own.

use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{CompletionCheck, Dialect, ParkedWhy, Profile, Unattended};
use entracte_domain::workspace::Activation;

/// A dialect.
pub const fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Envelope => "envelope",
        Dialect::Tools => "tools",
    }
}

/// The dialect of a word.
pub fn dialect_of(word: &str) -> Option<Dialect> {
    [Dialect::Envelope, Dialect::Tools].into_iter().find(|known| dialect(*known) == word)
}

/// A kind of command.
pub const fn kind(kind: CommandKind) -> &'static str {
    match kind {
        CommandKind::Query => "query",
        CommandKind::Action => "action",
    }
}

/// What may be done when an outcome is not known.
pub const fn effect(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::Read => "read",
        EffectClass::Local => "local",
        EffectClass::Idempotent => "idempotent",
        EffectClass::Probe => "probe",
        EffectClass::Once => "once",
        EffectClass::Child => "child",
    }
}

/// A set of limits.
pub const fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Autonomous => "autonomous",
        Profile::Strict => "strict",
    }
}

/// What happens to an action that needs approval.
pub const fn unattended(unattended: Unattended) -> &'static str {
    match unattended {
        Unattended::Park => "park",
        Unattended::Refuse => "refuse",
        Unattended::Allow => "allow",
    }
}

/// Whether “completed” is taken at its word.
pub const fn completion(completion: CompletionCheck) -> &'static str {
    match completion {
        CompletionCheck::Trust => "trust",
        CompletionCheck::AskOnce => "ask_once",
    }
}

/// Why a session is parked.
pub const fn parked(why: &ParkedWhy) -> &'static str {
    match why {
        ParkedWhy::Exhausted(_) => "exhausted",
        ParkedWhy::Interrupted => "interrupted",
        ParkedWhy::Quarantined => "quarantined",
    }
}

/// What came of asking for a slot.
pub fn activation(activation: Activation) -> &'static str {
    activation.word()
}

/// The commands that a restriction leaves; none: all of them.
pub fn patterns(restriction: &Restriction) -> Option<Vec<String>> {
    match restriction {
        Restriction::Open => None,
        Restriction::Only(patterns) => Some(patterns.iter().map(CommandPattern::to_string).collect()),
    }
}
