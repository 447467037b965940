//! The pure core of Entracte: the state of a session, its inputs and their consequences.
//!
//! The domain has no I/O, clock, id generator, randomness or hashing: time, rules, lookups and content hashes come in
//! as data, so replaying a session's inputs always yields its stored state. It depends on `std` only.
//!
//! # Data flow
//!
//! ```text
//! input + facts + phase -> transition -> facts, phase, record (log entries, ledger rows)
//!     -> placement: assigns the slots
//!     -> desired_effects, wake_at: effects to run, and the next deadline
//! ```
//!
//! - [`session::transition`] is the source of everything else: a table (`docs/TRANSITIONS.md`) says whether an
//!   [`Input`](session::Input) is applied, and each input has a file, a match over all [phases](session::Phase). An
//!   input that is late, repeated or in the wrong phase changes nothing, and [`IgnoreReason`](session::IgnoreReason)
//!   says why.
//! - [`session::desired_effects`] returns the effects a state wants. Effects are not queued: a running effect that is
//!   no longer desired is dropped.
//! - [`session::replay`] reproduces the stored state from the inputs.
//! - [`workspace`] assigns slots to sessions. [`automation`] decides which occurrences become runs.
//!
//! # Modules
//!
//! - [`command`]: requests of a model; queries read, actions change something. A [`Call`](call::Call) is one requested
//!   command with exactly one result; its [`EffectClass`](command::EffectClass) says what may be done if the outcome is
//!   unknown.
//! - [`plan`]: the plan a person approves before a session acts, if its mode requires one.
//! - [`message`]: entries by people, models and the state machine. [`question`]: questions of a model to a person.
//! - [`validation`]: whether an action needs an approval, and why.
//! - [`session::SessionRules`]: limits and time-outs per session kind. No limit is anywhere else.
//! - [`spending`]: caps on money and tokens of model calls.
//! - [`period`]: periods of references in a user message. [`usage`], [`time`], [`value`], [`id`]: plain values.
//!
//! Other terms are in `docs/GLOSSARY.md`.
//!
//! # Example
//!
//! A chat is created, gets a slot and receives a message; the only desired effect is then a model call:
//!
//! ```
//! use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
//! use entracte_domain::message::UserMessage;
//! use entracte_domain::session::*;
//! use entracte_domain::time::Timestamp;
//!
//! let (noon, rules) = (Timestamp(0), SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous));
//! let (id, home) = (SessionId::new("ses_k1"), WorkspaceKey::new("ann:home"));
//! let mut facts = SessionFacts::new(id, home, SessionKind::Chat, noon);
//! let created = Input::SessionCreated(Box::new(SessionCreation {
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
//!     instead_of: Vec::new(),
//! });
//! let slot = Input::StandingChanged { slot: Slot::Held };
//!
//! let mut phase = Phase::Idle;
//! for input in [created, sent, slot] {
//!     transition(&mut facts, &mut phase, input, noon, &rules)?;
//! }
//! let call = Effect::CallModel { round: 1, attempt: 1, closing: false, words_only: false };
//! assert_eq!(desired_effects(&facts, &phase, noon), [call]);
//! # Ok::<(), IgnoreReason>(())
//! ```
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `keyword_enum` | Enums without data: each value has one stable keyword, declared once. |
//! | `id` | Typed ids. |
//! | `time` | Instants and durations. |
//! | `decimal` | Exact decimal numbers of any sign, never a binary fraction: the amounts that a standing approval limits. |
//! | `dollars` | Exact amounts of money: decimal US dollars, never a binary fraction. |
//! | `value` | A small JSON-like value. |
//! | `file` | Files in conversations: what the log holds of one. |
//! | `restriction` | The commands of the catalog that a session may ask for. |
//! | `rights` | Upper bound of what a session in an agent tree may do (adr 68): `rights/budget.rs`, what it may use up; `rights/name_set.rs`, some names or all. |
//! | `command` | Commands: requests of enrichments and models, and what may be done if the outcome is unknown. |
//! | `task` | Long tasks: the row of a task, and `apply_update`, which alone decides what a report changes (adr 67). |
//! | `period` | Periods of time as people and models name them: two instants, or a number of units from a reference. |
//! | `localizable_text` | Text of the state machine by key and values (`localizable_text/sentences.rs`); the catalogue of `application` has the words. |
//! | `usage` | Token counts, in the four kinds that every provider bills, and their cost. |
//! | `spending` | Caps on what model calls may use, and the worst case that each attempt reserves of them. |
//! | `question` | Structured questions of the model to the user, and their answers. |
//! | `plan` | Plans: numbered steps that a person approves before a session acts, the progress of each, and the mode that requires one. |
//! | `validation` | Whether a call needs a person's approval, and why; `validation/standing_approval.rs`, rules in advance, with a condition for each argument (`validation/argument_condition.rs`) and limits on their use (`validation/rule_uses.rs`). A rule that refuses is consulted before every approval. |
//! | `agent` | Agents: sessions that a model calls; `agent/report.rs`, what the caller reads of one. |
//! | `call` | A requested command, from the model's request to its one result. |
//! | `ledger_state` | The state of a call in the ledger, as one word, also after a person settled it. |
//! | `message` | The entries of a conversation: one structure, five kinds of bodies. |
//! | `session` | A session: its facts, phase, inputs and desired effects, and `transition`, the only function that changes it. Its own documentation names its files. |
//! | `automation` | Automations, and the decision on a due occurrence (`decide_occurrence`): run, wait or skip. |
//! | `workspace` | Which sessions of a workspace may work: `placement.rs`, the slots and who holds them; `placement/agent_tree.rs`, a tree of agents as one seat; `parent_child.rs`, what the end of a child or parent tells the other. |
#![forbid(unsafe_code)]
// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]

pub mod agent;
pub mod automation;
pub mod call;
pub mod command;
pub mod decimal;
pub mod dollars;
pub mod file;
pub mod id;
pub mod keyword_enum;
pub mod ledger_state;
pub mod localizable_text;
pub mod message;
pub mod period;
pub mod plan;
pub mod question;
pub mod restriction;
pub mod rights;
pub mod session;
pub mod spending;
pub mod task;
pub mod time;
pub mod usage;
pub mod validation;
pub mod value;
pub mod workspace;
