//! Ports, use cases, codec and runtime of Entracte: AI sessions that can wait, for programs that embed them.
//!
//! The behaviour of a session is decided by `entracte_domain`, which is pure. This crate executes it: it declares what
//! it needs from outside as [`ports`], and never names an implementation. It contains no database, no HTTP and no
//! model API; adapters provide those, and each can be replaced alone.
//!
//! # Data flow
//!
//! ```text
//! request | outcome | wake-up -> Workspace::handle: a transition per session, then placement
//!     -> ONE commit -> publish -> desired effects -> perform: provider | executor -> outcome -> handle ...
//! ```
//!
//! - [`use_cases`]: one struct per verb, over ports; called by programs.
//! - [`ports`]: one trait per role, each with its own errors; implemented by adapters.
//! - [`runtime`]: handles the inputs of a workspace in order, and performs the effects its sessions want.
//! - [`commands`]: the catalog of commands a model may request, and the lookups of each call.
//! - [`prompt`], [`protocol`]: the encoding of prompts, and the parsing of replies.
//! - [`codec`], [`json_value`]: stored data. [`settings`]: configurable values. [`texts`]: localised texts.
//! - [`stream`]: frames for readers, from one durable cursor on.
//! - [`calendar`]: days and periods in a workspace's time zone. [`system`]: real time, ids and secrets.
//!
//! # Terms
//!
//! A *workspace* is an isolated tenant: settings, sessions, data. A *session* is one conversation; it rests, works or
//! waits for a person, and each of its steps is a *transition* of the domain. A *round* is one model call and the
//! calls its answer requests. The model requests *commands*: a *query* reads, an *action* changes something, and each
//! *call* of one has a row in the *ledger* and exactly one result. An *approval* is a person's decision that some
//! actions require. The *log* contains every input with the records it appended; replaying it gives the stored state.
//!
//! # Embedding
//!
//! 1. Choose or write adapters: a [`WorkspaceStore`](ports::WorkspaceStore) with its [`LogReader`](ports::LogReader),
//!    [`ResourceReader`](ports::ResourceReader), [`MailStore`](ports::MailStore) and [`Ownership`](ports::Ownership);
//!    a [`ProviderRegistry`](ports::ProviderRegistry) (or [`StaticProviderRegistry`](runtime::StaticProviderRegistry)
//!    constructed directly); a [`CommandExecutor`](ports::CommandExecutor) for each group of commands.
//! 2. Build [`RuntimeServices`](runtime::RuntimeServices) from them:
//!    [`RuntimeServices::new`](runtime::RuntimeServices::new) has a default for the rest, including
//!    [`SystemClock`](system::SystemClock) and [`RandomIdGenerator`](system::RandomIdGenerator).
//! 3. [`RuntimeServices::acquire_ownership`](runtime::RuntimeServices::acquire_ownership) proves that no other runtime
//!    serves this store, and [`LocalRuntime::start`](runtime::LocalRuntime::start) serves it with that proof. It is a
//!    [`MailSender`](ports::MailSender), the single entry point for requests; a process beside the owner uses a
//!    [`RemoteMailSender`](runtime::RemoteMailSender) instead.
//! 4. Call use cases: [`StartChat`](use_cases::StartChat), [`SendMessage`](use_cases::SendMessage),
//!    [`FollowTurn`](use_cases::FollowTurn), [`DecideApprovals`](use_cases::DecideApprovals), … Each documents its
//!    failures under `# Errors`, and the effect of dropping its future under `# Cancel safety`.
//! 5. Observe: [`RuntimeServices::events`](runtime::RuntimeServices::events) streams the events of a session,
//!    including live text, from any cursor on; a `tracing` subscriber receives the spans `session`, `round`,
//!    `model call` and `call`.
//!
//! The folder `examples` of the repository contains an example in 40 lines (`embed`).
//!
//! # Extending
//!
//! - **a command**: declare it in [`CommandExecutor::commands`](ports::CommandExecutor::commands) and execute it
//!   there. Checks, the model's documentation and native tools derive from its
//!   [`CommandSpec`](crate::ports::CommandSpec). Its effect class determines how it is handled when its outcome is
//!   unknown: `Local` for a plan of changes in the workspace's own data, `Once` for an action that must never be
//!   repeated. Describe it for the deciding person in [`describe`](ports::CommandExecutor::describe).
//! - **a provider**: implement [`Provider`](ports::Provider). Its [`body`](ports::Provider::body) is a pure function
//!   of the request; failures are classified at their source; it does not retry. Then run
//!   `entracte_tests::provider_contracts!` on it (`examples/custom-provider`).
//! - **a store**: implement the store ports on the same data. Only
//!   [`WorkspaceStore::commit`](ports::WorkspaceStore::commit) writes, atomically; [`Ownership`](ports::Ownership)
//!   decides which process may ([`InProcessOwnership`](ports::InProcessOwnership) suits a store in one process).
//!   Stores without SQL find the checks and orders of the contract as functions beside the ports
//!   ([`WorkspaceCommit::check`](ports::WorkspaceCommit::check),
//!   [`ResourceChange::apply`](ports::ResourceChange::apply), [`MemoryMailTable`](ports::MemoryMailTable), …). Then
//!   run `entracte_tests::store_contracts!` on it (`examples/custom-store`).
//!
//! # Testing
//!
//! A use case depends on ports only, so it is tested without adapters. With the feature `test-helpers` every port has
//! a `mockall` mock; a hand-written one is as short:
//!
//! ```
//! use std::sync::Arc;
//!
//! use async_trait::async_trait;
//! use entracte_application::mail::{Mail, MailAnswer, MailRequest, RefusalCode, SessionRequest};
//! use entracte_application::ports::{MailPostError, MailSender};
//! use entracte_application::use_cases::{SendMessage, UseCaseError};
//! use entracte_domain::id::{SessionId, WorkspaceKey};
//! use entracte_domain::message::UserMessage;
//!
//! /// Accepts messages for one session only.
//! struct OneSession(SessionId);
//!
//! #[async_trait]
//! impl MailSender for OneSession {
//!     async fn post(&self, _: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
//!         assert!(matches!(mail.request, MailRequest::Session(_, SessionRequest::SendMessage(_))));
//!         Ok(if mail.request.session_id() == Some(&self.0) {
//!             MailAnswer::accept_message(Some(self.0.message_id(2, 0)), &self.0)
//!         } else {
//!             let text = "there is no such session".into();
//!             MailAnswer::Refused { code: RefusalCode::NotFound, text, topic: None }
//!         })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), UseCaseError> {
//! let (workspace, session) = (WorkspaceKey::new("ann:home"), SessionId::new("ses_k1"));
//! let send = SendMessage::new(Arc::new(OneSession(session.clone())));
//!
//! let hello = UserMessage::text("I weigh 72.5 kg.");
//! let sent = send.run(&workspace, &session, "ann".into(), hello.clone(), None).await?;
//! assert_eq!(sent.message, Some(session.message_id(2, 0)));
//!
//! let lost = SessionId::new("ses_lost");
//! let refused = send.run(&workspace, &lost, "ann".into(), hello, None).await;
//! assert!(matches!(refused, Err(UseCaseError::NotFound(_))));
//! # Ok(())
//! # }
//! ```
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `command_naming` | The names of commands and control tools for their readers: types in the envelope, native tools on the wire (adr 57). |
//! | `texts` | The catalogue of texts, English and French: everything the product says to people and to models. |
//! | `json_value` | Conversion between JSON text and the domain's `JsonValue`. |
//! | `duration_text` | Durations as text: a number and `ms`, `s`, `m`, `h` or `d`. |
//! | `instant_text` | Instants as text: RFC 3339 in UTC. |
//! | `own_hosts` | Hosts of addresses that are this machine itself. |
//! | `near_names` | Guesses of the name that a person meant: a setting, a time zone. |
//! | `failpoints` | Failpoints, at which a test can end the process: before and after every operation that must be neither lost nor done twice (adr 10). |
//! | `planted_bugs` | Bugs that a test may plant, to verify that the simulator finds them. |
//! | `settings` | Settings of a workspace and of the process that serves it. |
//! | `schema` | JSON Schemas from external sources, bounded when they are accepted, and checked in a known number of steps (adr 26). |
//! | `agents` | Sub-agents as declared: their identity, rights and results. |
//! | `calendar` | The workspace's calendar: the instants of a period, the day of an instant, parsing and formatting of instants. |
//! | `instructions` | Instructions that people give to every model of a workspace, of an automation's runs, or of one session (adr 61). |
//! | `retention` | What goes by the retention policy of a workspace, and what keeps it (adr 82). Pure. |
//! | `permissions` | The permission model: who may grant actions without approval, and which text such a grant covers (adr 78). Pure. |
//! | `mail` | Requests to the process that owns the database, and its answers: one struct per request in `mail/workspace_requests.rs`, `mail/session_requests.rs` and `mail/task_requests.rs`; `mail/refusal.rs`, why one is refused. |
//! | `journal` | The content of a workspace's log: entries, occurrences, records of deleted sessions, and the snapshots that result (`replay_entries`). |
//! | `ports` | Ports: the interfaces the application requires from its adapters, one trait per role, each with its own error types. |
//! | `system` | The real clock, ids, schedules, secrets, hashing and the secret scrubber: the only module that accesses time, randomness and the environment. |
//! | `files` | Which files a conversation accepts, decided by their content, and the forms of images that models get. |
//! | `task_report` | The report of a long task by its server: one shape for the answer of a dispatch, of a poll, and a callback. |
//! | `semantic` | Semantic search over the ports: `quantization` compresses vectors, `vector_index` compares those of a workspace, `embedder` creates missing ones, `search` answers queries. |
//! | `terminal_text` | Display of untrusted text: invisible characters and those that look like a space are marked, long texts are folded, and similar names are distinguished. |
//! | `stream` | The stream of a workspace from one durable cursor on (adr 47): `position`, `attempt`, `cursor` and `live_text`. |
//! | `notify` | Decides which notifications are sent to which targets, and when. |
//! | `knowledge` | Indexing and search of documents: pure, and the same for every database (adr 63). |
//! | `codec` | Versioned stored shapes and upcasters; `codec/compact`, the stored form of entries, calls and snapshots (adr 73). |
//! | `retention_planner` | Finds what goes by the retention policy of a workspace, in batches for one commit each (adr 82). |
//! | `rule_book` | The rules of each kind of session in a workspace. |
//! | `commands` | The catalog, the pipeline that resolves every requested call, our own commands (`results.rs`, `context.rs`, `plans.rs`, `tasks.rs`, `history.rs`), the validation resolver, and what enrichments become. |
//! | `protocol` | The two encodings of commands for a model: one JSON object of Entracte (`envelope`), or the provider's native tool calls (`tools`). |
//! | `samples` | Whole values for tests and examples, to be changed where a test cares (feature `test-helpers`; in `application/test-support`). |
//! | `context` | The part of a long conversation that a prompt keeps: size estimates, the retained end, and a summary of the rest (adr 60). |
//! | `prompt` | The prompt of a model: level 1 (its role, reply format and commands), the frozen prefix of a generation, and the conversation as a projection of committed entries. |
//! | `attempt_costs` | What each attempt of a model call used and cost, as the log tells it; commits keep the same as rows (adr 35). |
//! | `session_export` | Export of a session to one file, and import. |
//! | `runtime` | One worker per workspace handles all its events in order. Its own modules are in a table there. |
//! | `use_cases` | Use cases: one struct per verb. |
//! | `notifier` | Reads committed data and notifies people through their targets (adr 46). No round waits for it. |

// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]

pub mod agents;
pub mod attempt_costs;
pub mod calendar;
pub mod codec;
pub mod command_naming;
pub mod commands;
pub mod context;
pub mod duration_text;
#[doc(hidden)]
pub mod failpoints;
pub mod files;
pub mod instant_text;
pub mod instructions;
pub mod journal;
pub mod json_value;
#[cfg(test)]
#[path = "../test-support/kit/mod.rs"]
mod kit;
pub mod knowledge;
pub mod mail;
pub mod near_names;
pub mod notifier;
pub mod notify;
pub mod own_hosts;
pub mod permissions;
pub mod planted_bugs;
pub mod ports;
pub mod prompt;
pub mod protocol;
pub mod retention;
pub mod retention_planner;
pub mod rule_book;
pub mod runtime;
#[cfg(feature = "test-helpers")]
#[path = "../test-support/samples.rs"]
pub mod samples;
pub mod schema;
pub mod semantic;
pub mod session_export;
pub mod settings;
pub mod stream;
pub mod system;
pub mod task_report;
pub mod terminal_text;
pub mod texts;
pub mod use_cases;
