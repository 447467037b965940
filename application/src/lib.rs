//! Ports, use cases, codec and runtime of Entracte: AI sessions that can wait, for programs that embed them.
//!
//! What a session does is decided by `entracte_domain`, which is pure. This crate carries it out: it names what
//! it needs from outside as [`ports`], and it never names who provides it. There is no database, no HTTP and no
//! model API in here; adapters bring those, and each can be replaced alone.
//!
//! # One way through
//!
//! ```text
//! request | outcome | wake-up -> Workspace::handle: a transition per session, then placement
//!     -> ONE commit -> publish -> desired effects -> perform: provider | executor -> outcome -> handle ...
//! ```
//!
//! - [`use_cases`]: one struct a verb, over ports. What a program calls.
//! - [`ports`]: one trait a role, each with its own errors. What a program brings.
//! - [`runtime`]: handles what comes to a workspace, in order, and performs what its sessions want done.
//! - [`commands`]: the catalog of what a model may ask for, and the look-ups each call goes through.
//! - [`prompt`], [`protocol`]: what a model reads, and how its reply is read.
//! - [`codec`], [`json`]: what is stored. [`settings`]: what can be set. [`texts`]: what is said, in each language.
//! - [`stream`]: what readers are told, from one durable cursor on.
//! - [`calendar`]: days and periods where a workspace's people live. [`system`]: real time, ids and secrets.
//!
//! # The words
//!
//! A *workspace* is an isolated tenant: settings, sessions, data. A *session* is one conversation; it rests, works
//! or waits for a person, and what it does is a *transition* of the domain. A *round* is one model call and what
//! its answer asks for. The model asks for *commands*: a *query* reads, an *action* changes something, and each
//! *call* of one has a row in the *ledger* and exactly one result. An *approval* is what a person is asked for before
//! some actions. The *log* holds every input with what it appended; replaying it gives the stored state.
//!
//! # To embed it
//!
//! 1. Pick or write adapters: a [`Store`](ports::Store) with its [`LogReader`](ports::LogReader),
//!    [`ResourceReader`](ports::ResourceReader), [`MailStore`](ports::MailStore) and [`Ownership`](ports::Ownership); a
//!    [`ProviderRegistry`](ports::ProviderRegistry) (or [`Providers`](runtime::Providers) you make yourself); a
//!    [`CommandExecutor`](ports::CommandExecutor) for each group of commands.
//! 2. Build a [`Services`](runtime::Services) of them: [`Services::new`](runtime::Services::new) has a default for the rest,
//!    [`SystemClock`](system::SystemClock) and [`RandomIds`](system::RandomIds) among it.
//! 3. [`Services::own`](runtime::Services::own) proves that no other runtime serves this store, and
//!    [`LocalRuntime::start`](runtime::LocalRuntime::start) serves it with that proof. It is a [`MailSender`](ports::MailSender), the
//!    one way in; a process beside the owner uses a [`RemoteMailSender`](runtime::RemoteMailSender) instead.
//! 4. Call use cases: [`StartChat`](use_cases::StartChat), [`SendMessage`](use_cases::SendMessage),
//!    [`FollowTurn`](use_cases::FollowTurn), [`AnswerApprovals`](use_cases::AnswerApprovals), … Each says under `# Errors`
//!    what its failures mean, and under `# Cancel safety` what a dropped future leaves behind.
//! 5. Watch: [`Services::events`](runtime::Services::events) tells what happens in a session, word by word, from any
//!    cursor on; a `tracing` subscriber sees the spans `session`, `round`, `model call` and `call`.
//!
//! The folder `examples` of the repository does so in 40 lines (`embed`).
//!
//! # To add …
//!
//! - **a command**: declare it in [`CommandExecutor::commands`](ports::CommandExecutor::commands) and carry it out
//!   there. Checks, the model's documentation and native tools derive from that one
//!   [`CommandSpec`](crate::ports::CommandSpec). Its effect class says what may be done when nobody knows whether it
//!   happened: `Local` for what is a plan of changes in the workspace's own data, `Once` for what must never be
//!   repeated. Say the sentence that a person decides by in [`describe`](ports::CommandExecutor::describe).
//! - **a provider**: implement [`Provider`](ports::Provider). Its [`body`](ports::Provider::body) is a pure function
//!   of the request; failures are classified where they happen; nothing is tried again inside. Then put it through
//!   `entracte_tests::provider_contracts!` (`examples/custom-provider`).
//! - **a store**: implement the store ports on the same data. [`Store::commit`](ports::Store::commit) is the
//!   only one that writes, all or nothing; [`Ownership`](ports::Ownership) says who may
//!   ([`OwnerBook`](ports::OwnerBook) does for a store that lives in one process). Stores without SQL find the checks and orders of the contract as
//!   functions beside the ports ([`Commit::check`](ports::Commit::check),
//!   [`ResourceChange::apply`](ports::ResourceChange::apply), [`MailRows`](ports::MailRows), …). Then put it through
//!   `entracte_tests::store_contracts!` (`examples/custom-store`).
//!
//! # To test it
//!
//! A use case takes ports and nothing else, so it is tested without any of that. With the feature
//! `test-helpers` every port has a `mockall` mock; one written by hand is as short:
//!
//! ```
//! use std::sync::Arc;
//!
//! use async_trait::async_trait;
//! use entracte_application::mail::{Mail, MailAnswer, MailRequest, RefusalCode};
//! use entracte_application::ports::{PostError, MailSender};
//! use entracte_application::use_cases::{SendMessage, UseCaseError};
//! use entracte_domain::id::{SessionId, WorkspaceKey};
//! use entracte_domain::message::UserMessage;
//!
//! /// Takes messages in, for one session only.
//! struct OneSession(SessionId);
//!
//! #[async_trait]
//! impl MailSender for OneSession {
//!     async fn post(&self, _: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, PostError> {
//!         assert!(matches!(mail.request, MailRequest::SendMessage { .. }));
//!         Ok(if mail.session.as_ref() == Some(&self.0) {
//!             MailAnswer::taken(Some(self.0.message(2, 0)), &self.0)
//!         } else {
//!             MailAnswer::Refused { code: RefusalCode::NotFound, text: "there is no such session".into(), topic: None }
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
//! assert_eq!(sent.message, Some(session.message(2, 0)));
//!
//! let lost = SessionId::new("ses_lost");
//! let refused = send.run(&workspace, &lost, "ann".into(), hello, None).await;
//! assert!(matches!(refused, Err(UseCaseError::NotFound(_))));
//! # Ok(())
//! # }
//! ```

// An embedder reads here what each failure means, and whether to try again.
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
