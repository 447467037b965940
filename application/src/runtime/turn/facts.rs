//! The facts that a turn may need besides the state in memory, and those it has.
//!
//! Each request names its whole question: an answer is valid for exactly that question, and not for anything
//! changed since.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use entracte_domain::automation::Trigger;
use entracte_domain::call::{Call, CallFailure};
use entracte_domain::command::Command;
use entracte_domain::enrichment::EnrichmentReference;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, TaskId};
use entracte_domain::session::{ApprovalRecheck, RequestedCall, SessionFacts};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{ExchangePrincipal, StandingApprovalRule};

use super::TurnStop;
use crate::commands::{CallLookupContext, CommandInvocation};
use crate::instructions::{InstructionScope, InstructionVersion};
use crate::journal::JournalEntry;
use crate::mail::ReceiptKey;
use crate::ports::{
    ActionPlan, AutomationRow, CallRequest, CallRow, ContextWindow, LogRow, ReceiptRow, ResourceChange,
    SessionRow, TaskRow,
};
use crate::runtime::data_sections::DataSection;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::settings::{WorkspaceLocale, WorkspaceSettings};
use crate::texts::LocalizedMessage;

/// A fact that a turn needs before it can continue.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) enum FactRequest {
    /// The rows of these sessions.
    Sessions(Vec<SessionId>),
    /// Whether a session of any workspace has this id.
    Taken(SessionId),
    /// The sessions whose deadline is at or before this time.
    Due(Timestamp),
    /// The open sessions that wait for a person.
    Waiting,
    /// The ledger row of a call.
    Call(CallId),
    /// The ledger rows of a session.
    Calls(SessionId),
    /// A log entry by its number in the workspace.
    Entry(u64),
    /// The entries of a session.
    Entries(EntryRange),
    /// The sequence of the message that was sent to a session with an idempotency key.
    Keyed((SessionId, String)),
    /// The receipts of these idempotency keys.
    Receipts(Vec<ReceiptKey>),
    /// The bytes that an entry of a session names by hash.
    Blob((SessionId, Digest)),
    /// Whether data created by a session of this id still exists.
    MadeData(SessionId),
    /// The latest committed instructions of these scopes.
    Instructions(Vec<InstructionScope>),
    /// The always-sent data.
    Sections(Box<OverlaidRows>),
    /// Resolution of requested calls against catalog, ledger and data.
    LookUp(Box<CallLookupRequest>),
    /// The changes in the approval that calls need.
    Recheck(Box<CallRecheckRequest>),
    /// The digest of a call's card with edited arguments.
    Card(Box<CardDigestRequest>),
    /// The changes a local command would make.
    Plan(Box<CallRequest>),
    /// The sentence that replaces an enrichment.
    Sentence(Box<(WorkspaceLocale, EnrichmentReference)>),
    /// The automations, including unreadable ones.
    Automations,
    /// Whether an occurrence was decided.
    Decided((AutomationId, Timestamp)),
    /// Whether an occurrence was decided, and when its trigger is due after it.
    Occurrence(Box<(AutomationId, Trigger, Timestamp)>),
    /// When a trigger is due next.
    NextDue((Trigger, Timestamp)),
    /// The request encoding of a provider, or why the provider is unavailable.
    Encoding(String),
    /// The context window of a provider's model; `None` if the provider is unavailable.
    Window((String, String)),
    /// The distinct prefix audiences of the workspace's open sessions, without instructions of their own.
    Audiences,
    /// The row of a task.
    Task(TaskId),
    /// The rows of a session's tasks that have not ended.
    OpenTasks(SessionId),
    /// The rows of the tasks due at or before this time.
    DueTasks(Timestamp),
    /// Whether an update of a task was received under this sender id.
    TaskTold((TaskId, String)),
    /// Those of these sessions that have work under way with a limit ahead.
    UnderWay(Vec<SessionId>),
    /// One more session id.
    NewSession,
    /// One more unguessable key.
    NewKey,
    /// One more short random delay.
    Jitter,
}

/// The next instant of a trigger, if there is one, or why it cannot be computed.
pub(in crate::runtime) type NextDueInstant = Result<Option<Timestamp>, LocalizedMessage>;

/// The entries of a session up to a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct EntryRange {
    pub(in crate::runtime) session: SessionId,
    pub(in crate::runtime) at: u64,
}

/// Rows with changes that are not committed yet, and the settings they are read under.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct OverlaidRows {
    pub(in crate::runtime) settings: WorkspaceSettings,
    pub(in crate::runtime) changes: Vec<ResourceChange>,
}

/// The session, rules and settings that calls are resolved under, owned.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct OwnedCallLookupContext {
    facts: SessionFacts,
    settings: WorkspaceSettings,
    rules: Vec<StandingApprovalRule>,
    asked_by: ExchangePrincipal,
    acts_as: Option<String>,
    last_action_at: Option<Timestamp>,
    ai_request: bool,
    now: Timestamp,
}

/// Requested calls to resolve.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct CallLookupRequest {
    pub(in crate::runtime) looking: OwnedCallLookupContext,
    pub(in crate::runtime) asked: Vec<CommandInvocation>,
}

/// Calls that have not started, whose approval is checked again.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct CallRecheckRequest {
    pub(in crate::runtime) looking: OwnedCallLookupContext,
    pub(in crate::runtime) calls: Vec<Call>,
}

/// A call with another command for its card.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct CardDigestRequest {
    pub(in crate::runtime) looking: OwnedCallLookupContext,
    pub(in crate::runtime) call: Call,
    pub(in crate::runtime) command: Command,
}

impl OwnedCallLookupContext {
    pub(in crate::runtime) fn from_context(setting: CallLookupContext<'_>) -> Self {
        let CallLookupContext { facts, settings, rules, asked_by, acts_as, last_action_at, ai_request, now } =
            setting;
        let (facts, settings, rules) = (facts.clone(), settings.clone(), rules.to_vec());
        let (asked_by, acts_as) = (asked_by.clone(), acts_as.map(str::to_owned));
        Self { facts, settings, rules, asked_by, acts_as, last_action_at, ai_request, now }
    }

    pub(in crate::runtime) fn as_context(&self) -> CallLookupContext<'_> {
        CallLookupContext {
            facts: &self.facts,
            settings: &self.settings,
            rules: &self.rules,
            asked_by: &self.asked_by,
            acts_as: self.acts_as.as_deref(),
            last_action_at: self.last_action_at,
            ai_request: self.ai_request,
            now: self.now,
        }
    }
}

/// The answers to fact requests of one kind.
#[derive(Debug)]
pub(in crate::runtime) struct FactAnswers<Q, A>(Vec<(Q, A)>);

impl<Q, A> Default for FactAnswers<Q, A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Q: PartialEq, A> FactAnswers<Q, A> {
    /// The answer to the question, or a stop with its fact request.
    pub(super) fn answer_or_request(
        &self,
        question: Q,
        need: impl FnOnce(Q) -> FactRequest,
    ) -> Result<&A, TurnStop> {
        match self.0.iter().find(|(asked, _)| *asked == question) {
            Some((_, answer)) => Ok(answer),
            None => Err(TurnStop::Need(need(question))),
        }
    }

    pub(in crate::runtime) fn put(&mut self, question: Q, answer: A) {
        self.0.push((question, answer));
    }
}

/// Random values drawn for a turn, in the order in which it uses them.
#[derive(Debug)]
pub(in crate::runtime) struct DrawnValues<T>(Vec<T>);

impl<T> Default for DrawnValues<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> DrawnValues<T> {
    /// The next value; `used` counts the values already taken.
    pub(super) fn next(&self, used: &mut usize, need: FactRequest) -> Result<T, TurnStop> {
        let drawn = self.0.get(*used).cloned().ok_or(TurnStop::Need(need))?;
        *used += 1;
        Ok(drawn)
    }

    pub(in crate::runtime) fn put(&mut self, drawn: T) {
        self.0.push(drawn);
    }
}

/// All facts that a turn has received. An unreadable row is represented by the reason.
#[derive(Debug, Default)]
pub(in crate::runtime) struct TurnFacts {
    pub(in crate::runtime) sessions: BTreeMap<SessionId, Result<Option<SessionRow>, String>>,
    pub(in crate::runtime) taken: FactAnswers<SessionId, bool>,
    pub(in crate::runtime) due: FactAnswers<Timestamp, Vec<SessionId>>,
    pub(in crate::runtime) waiting: FactAnswers<(), Vec<SessionId>>,
    pub(in crate::runtime) call: FactAnswers<CallId, Option<CallRow>>,
    pub(in crate::runtime) calls: FactAnswers<SessionId, Vec<CallRow>>,
    pub(in crate::runtime) entry: FactAnswers<u64, Option<LogRow>>,
    pub(in crate::runtime) entries: FactAnswers<EntryRange, Vec<JournalEntry>>,
    pub(in crate::runtime) keyed: FactAnswers<(SessionId, String), Option<u64>>,
    pub(in crate::runtime) receipts: FactAnswers<ReceiptKey, Option<ReceiptRow>>,
    pub(in crate::runtime) blobs: FactAnswers<(SessionId, Digest), Option<Vec<u8>>>,
    pub(in crate::runtime) made_data: FactAnswers<SessionId, bool>,
    pub(in crate::runtime) instructions: FactAnswers<Vec<InstructionScope>, Vec<InstructionVersion>>,
    pub(in crate::runtime) sections: FactAnswers<Box<OverlaidRows>, Arc<[DataSection]>>,
    pub(in crate::runtime) look_ups: FactAnswers<Box<CallLookupRequest>, Vec<RequestedCall>>,
    pub(in crate::runtime) rechecks: FactAnswers<Box<CallRecheckRequest>, Vec<ApprovalRecheck>>,
    pub(in crate::runtime) cards: FactAnswers<Box<CardDigestRequest>, Option<Digest>>,
    pub(in crate::runtime) plans: FactAnswers<Box<CallRequest>, Result<ActionPlan, CallFailure>>,
    pub(in crate::runtime) sentences: FactAnswers<Box<(WorkspaceLocale, EnrichmentReference)>, String>,
    pub(in crate::runtime) automations: FactAnswers<(), Vec<AutomationRow>>,
    pub(in crate::runtime) decided: FactAnswers<(AutomationId, Timestamp), bool>,
    pub(in crate::runtime) occurrences: BTreeMap<(AutomationId, Timestamp), (Trigger, bool, NextDueInstant)>,
    pub(in crate::runtime) next_due: FactAnswers<(Trigger, Timestamp), NextDueInstant>,
    pub(in crate::runtime) encodings: FactAnswers<String, Result<Arc<str>, String>>,
    pub(in crate::runtime) windows: FactAnswers<(String, String), Option<ContextWindow>>,
    pub(in crate::runtime) audiences: FactAnswers<(), Vec<PrefixAudience>>,
    pub(in crate::runtime) tasks: FactAnswers<TaskId, Option<TaskRow>>,
    pub(in crate::runtime) open_tasks: FactAnswers<SessionId, Vec<TaskRow>>,
    pub(in crate::runtime) due_tasks: FactAnswers<Timestamp, Vec<TaskRow>>,
    pub(in crate::runtime) told_tasks: FactAnswers<(TaskId, String), bool>,
    pub(in crate::runtime) under_way: FactAnswers<Vec<SessionId>, BTreeSet<SessionId>>,
    pub(in crate::runtime) new_sessions: DrawnValues<SessionId>,
    pub(in crate::runtime) new_keys: DrawnValues<String>,
    pub(in crate::runtime) jitters: DrawnValues<Millis>,
}
