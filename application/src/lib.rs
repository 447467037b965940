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

// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]

pub mod agents;
pub mod calendar;
pub mod codec;
pub mod command_naming;
pub mod commands;
pub mod context;
#[doc(hidden)]
pub mod failpoints;
pub mod instructions;
pub mod journal;
pub mod json_value;
#[cfg(test)]
#[path = "../test-support/kit/mod.rs"]
mod kit;
pub mod knowledge;
pub mod mail;
pub mod notifier;
pub mod notify;
pub mod permissions;
pub mod planted_bugs;
pub mod ports;
pub mod prompt;
pub mod protocol;
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
