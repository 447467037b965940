//! The pure heart of Entracte: what a session is, what can happen to it and what follows.
//!
//! No I/O, clock, id generator, randomness or hashing: time, rules, look-ups and content hashes come in as data,
//! so replaying a session's inputs always gives its stored state. Nothing here depends on anything but `std`.
//!
//! # One way through
//!
//! ```text
//! input + facts + phase -> transition -> facts, phase, and a record: entries for the log, rows of the ledger
//!     -> place: who holds the slots
//!     -> desired_effects, wake_at: what is to be done, and when to look again
//! ```
//!
//! - [`session::transition`] is what all else is derived from: one file per [`Input`](session::Input), each a match
//!   over all [phases](session::Phase). What comes late, twice or to the wrong phase changes nothing, and
//!   [`Ignored`](session::Ignored) says why.
//! - [`session::desired_effects`] says what a state wants done. Nothing is queued: what runs and is no longer
//!   desired is dropped.
//! - [`session::replay`] gives the stored state again, from the inputs.
//! - [`workspace`] says who may work: it gives and takes slots. [`automation`] says which occurrences become runs.
//!
//! # The words
//!
//! - [`command`]: what a model asks to run; queries read, actions change something. A [`Call`](call::Call) is one
//!   requested command, with exactly one result; its [`EffectClass`](command::EffectClass) says what may be done
//!   when nobody knows whether it happened.
//! - [`plan`]: what a person approves before a session acts, where its mode asks for it.
//! - [`message`]: what people, models and the machine say. [`question`]: what a model asks a person.
//! - [`validation`]: whether a person is asked before an action, and why.
//! - [`session::Rules`]: limits and time-outs, per kind of session. No limit is anywhere else.
//! - [`enrichment`], [`period`]: what people refer to in a message. [`usage`], [`time`], [`value`], [`id`]: plain
//!   values.
//!
//! The other words are those of the glossary in `docs/ARCHITECTURE.md`.
//!
//! # Where to begin
//!
//! A chat is made, gets a slot, and is told something; then it wants a model to be called, and nothing else:
//!
//! ```
//! use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
//! use entracte_domain::message::UserMessage;
//! use entracte_domain::session::*;
//! use entracte_domain::time::Timestamp;
//!
//! let (noon, rules) = (Timestamp(0), Rules::new(SessionKind::Chat, Profile::Autonomous));
//! let (id, home) = (SessionId::new("ses_k1"), WorkspaceKey::new("ann:home"));
//! let mut facts = SessionFacts::new(id, home, SessionKind::Chat, noon);
//! let created = Input::SessionCreated(Box::new(Creation {
//!     name: "Weights".into(),
//!     provider: "claude".into(),
//!     prefix: Digest::new("p1"),
//!     // …
//! #     model: String::new(),
//! #     require_validation: false,
//! #     mode: None,
//! #     restriction: Default::default(),
//! #     automation: None,
//! #     scheduled_at: None,
//! #     parent: None,
//! #     dialect: Dialect::Envelope,
//! #     told: Vec::new(),
//! #     run: None,
//! #     agent: None,
//! #     policy: RunPolicy::default(),
//! #     prompt_authors: None,
//! #     grant: None,
//! }));
//! let sent = Input::UserMessageSent(UserMessageSent {
//!     author: "ann".into(),
//!     message: UserMessage::text("I weigh 72.5 kg."),
//!     client_key: None,
//!     enrichments: Vec::new(),
//!     title: None,
//!     asks: true,
//! });
//! let slot = Input::StandingChanged { slot: Slot::Held };
//!
//! let mut phase = Phase::Idle;
//! for input in [created, sent, slot] {
//!     transition(&mut facts, &mut phase, input, noon, &rules)?;
//! }
//! let call = Effect::CallModel { round: 1, attempt: 1, closing: false, words_only: false };
//! assert_eq!(desired_effects(&facts, &phase, noon), [call]);
//! # Ok::<(), Ignored>(())
//! ```
#![forbid(unsafe_code)]

pub mod agent;
pub mod automation;
pub mod call;
pub mod command;
pub mod dollars;
pub mod enrichment;
pub mod id;
pub mod keyword_enum;
pub mod localizable_text;
pub mod message;
pub mod period;
pub mod plan;
pub mod question;
pub mod restriction;
pub mod rights;
pub mod session;
pub mod task;
pub mod time;
pub mod usage;
pub mod validation;
pub mod value;
pub mod workspace;
