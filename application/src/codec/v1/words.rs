//! Enums without data, stored as words.

use std::borrow::Cow;

use entracte_domain::automation::{Cause, Overlap, Skip};
use entracte_domain::command::{CallStatus, CallStep, CommandKind, EffectClass};
use entracte_domain::message::{EnrichmentKind, SystemKind};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    CompletionCheck, Copying, Dialect, EmptyReply, EndReason, NetworkPolicy, OnFailure, OnUnknown,
    PassThrough, PlanAlone, Profile, RelaunchCommands, RoundReason, SessionKind, Unattended, WordsEndRun,
};
use entracte_domain::validation::Level;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An enum that is stored as a word.
pub(super) trait Worded: Sized {
    /// What it is, for messages.
    const WHAT: &'static str;

    /// The word of a value.
    fn word(&self) -> &'static str;

    /// The value of a word.
    fn from_word(word: &str) -> Option<Self>;
}

/// An enum in a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<T>(pub(super) T);

impl<T: Copy> From<&T> for Word<T> {
    fn from(value: &T) -> Self {
        Self(*value)
    }
}

impl<T: Worded> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: Worded> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(deserializer)?;
        T::from_word(&word)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(format!("“{word}” is not a valid {}", T::WHAT)))
    }
}

impl Default for Word<CallStep> {
    fn default() -> Self {
        Self(CallStep::Run)
    }
}

impl Default for Word<CallStatus> {
    fn default() -> Self {
        Self(CallStatus::Succeeded)
    }
}

/// Words that the domain keeps for the database.
macro_rules! domain_words {
    ($($type:ty, $what:literal;)+) => {$(
        impl Worded for $type {
            const WHAT: &'static str = $what;

            fn word(&self) -> &'static str {
                <$type>::word(*self)
            }

            fn from_word(word: &str) -> Option<Self> {
                <$type>::from_word(word)
            }
        }
    )+};
}

/// Words of ours; every variant has one, or this does not compile.
macro_rules! words {
    ($($type:ty, $what:literal: $($variant:ident $word:literal)+;)+) => {$(
        impl Worded for $type {
            const WHAT: &'static str = $what;

            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    )+};
}

domain_words! {
    CallStatus, "status of a call";
    Cause, "cause of a run";
    Copying, "way to copy";
    EndReason, "reason to end";
    FailureClass, "class of failure";
    Level, "level of validation";
    Overlap, "policy of overlaps";
    RoundReason, "reason for a round";
    SessionKind, "kind of session";
    Skip, "reason to skip an occurrence";
    SystemKind, "type of system message";
}

words! {
    CommandKind, "kind of command": Query "query" Action "action";
    EffectClass, "effect class":
        Read "read" Local "local" Idempotent "idempotent" Probe "probe" Once "once";
    CallStep, "step of a call": Run "run" Ask "ask";
    Dialect, "dialect": Envelope "envelope" Tools "tools";
    EnrichmentKind, "kind of enrichment":
        Pointer "pointer" Use "use" Create "create" ModifyConfig "modify_config";
    PassThrough, "phase that passes through":
        ParsingAiResponse "parsing_ai_response"
        RetryingAfterFormatError "retrying_after_format_error"
        RetryingAfterActionFailure "retrying_after_action_failure";
    OnFailure, "policy after a failed action": Stop "stop" Continue "continue";
    CompletionCheck, "completion check": Trust "trust" AskOnce "ask_once";
    Unattended, "policy where nobody watches": Park "park" Refuse "refuse" Allow "allow";
    NetworkPolicy, "network policy": Forever "forever" Backoff "backoff";
    Profile, "profile of limits": Autonomous "autonomous" Strict "strict";
    OnUnknown, "policy after an unknown outcome": Continue "continue" Stop "stop";
    PlanAlone, "policy after a plan": GoOn "go_on" Rest "rest";
    RelaunchCommands, "policy of relaunches": Always "always" OnError "on_error";
    WordsEndRun, "policy of words that end a run": Never "never" AskOnce "ask_once";
    EmptyReply, "policy of empty answers": Rest "rest" AskOnce "ask_once";
}
