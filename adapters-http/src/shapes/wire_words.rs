//! API words for types without their own.

use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{CompletionCheck, Dialect, LimitProfile, ParkReason, UnattendedPolicy};
use entracte_domain::workspace::ActivationResult;

/// The word of a dialect.
pub const fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Envelope => "envelope",
        Dialect::Tools => "tools",
    }
}

/// The dialect of a word; `None` for an unknown word.
pub fn dialect_of(word: &str) -> Option<Dialect> {
    [Dialect::Envelope, Dialect::Tools].into_iter().find(|known| dialect(*known) == word)
}

/// The word of a command kind.
pub const fn kind(kind: CommandKind) -> &'static str {
    match kind {
        CommandKind::Query => "query",
        CommandKind::Action => "action",
    }
}

/// The word of an effect class, which determines how an unknown outcome is handled.
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

/// The word of a limit profile.
pub const fn profile(profile: LimitProfile) -> &'static str {
    match profile {
        LimitProfile::Autonomous => "autonomous",
        LimitProfile::Strict => "strict",
    }
}

/// The word of the policy for actions that need approval.
pub const fn unattended(unattended: UnattendedPolicy) -> &'static str {
    match unattended {
        UnattendedPolicy::Park => "park",
        UnattendedPolicy::Refuse => "refuse",
        UnattendedPolicy::Allow => "allow",
    }
}

/// The word of the completion check.
pub const fn completion(completion: CompletionCheck) -> &'static str {
    match completion {
        CompletionCheck::Trust => "trust",
        CompletionCheck::AskOnce => "ask_once",
    }
}

/// The word of the reason why a session is parked.
pub const fn parked(why: &ParkReason) -> &'static str {
    match why {
        ParkReason::Exhausted(_) => "exhausted",
        ParkReason::Interrupted => "interrupted",
        ParkReason::Quarantined => "quarantined",
        ParkReason::Spending(_) => "spending",
    }
}

/// The word of an activation result.
pub fn activation(activation: ActivationResult) -> &'static str {
    activation.word()
}

/// The command patterns of a restriction; `None` if all commands are allowed.
pub fn patterns(restriction: &Restriction) -> Option<Vec<String>> {
    match restriction {
        Restriction::Open => None,
        Restriction::Only(patterns) => Some(patterns.iter().map(CommandPattern::to_string).collect()),
    }
}
