//! Words for things that have none of their own.

use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{CompletionCheck, Dialect, LimitProfile, ParkReason, UnattendedPolicy};
use entracte_domain::workspace::ActivationResult;

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
pub const fn profile(profile: LimitProfile) -> &'static str {
    match profile {
        LimitProfile::Autonomous => "autonomous",
        LimitProfile::Strict => "strict",
    }
}

/// What happens to an action that needs approval.
pub const fn unattended(unattended: UnattendedPolicy) -> &'static str {
    match unattended {
        UnattendedPolicy::Park => "park",
        UnattendedPolicy::Refuse => "refuse",
        UnattendedPolicy::Allow => "allow",
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
pub const fn parked(why: &ParkReason) -> &'static str {
    match why {
        ParkReason::Exhausted(_) => "exhausted",
        ParkReason::Interrupted => "interrupted",
        ParkReason::Quarantined => "quarantined",
    }
}

/// What came of asking for a slot.
pub fn activation(activation: ActivationResult) -> &'static str {
    activation.word()
}

/// The commands that a restriction leaves; none: all of them.
pub fn patterns(restriction: &Restriction) -> Option<Vec<String>> {
    match restriction {
        Restriction::Open => None,
        Restriction::Only(patterns) => Some(patterns.iter().map(CommandPattern::to_string).collect()),
    }
}
