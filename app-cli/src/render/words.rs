//! Words for things that have none of their own.

use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::session::{CompletionCheck, Dialect, ParkedWhy, Profile, Unattended};

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

/// What happens to an action that needs leave.
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

/// Why a run rests.
pub(crate) fn parked(why: &ParkedWhy) -> String {
    match why {
        ParkedWhy::Exhausted(text) => text.clone(),
        ParkedWhy::Interrupted => "an action has an unknown outcome".to_owned(),
        ParkedWhy::Quarantined => "it died at the same place again and again".to_owned(),
    }
}
