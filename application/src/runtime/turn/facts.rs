//! What a turn may need to know beside what is in memory, and what it knows of that.
//!
//! Each need names its whole question: an answer counts for exactly what was asked, and for nothing that changed since.

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

/// Something that a turn has to know before it can go on.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) enum FactRequest {
    /// The rows of these sessions.
    Sessions(Vec<SessionId>),
    /// Whether a session of any workspace has this id.
    Taken(SessionId),
    /// The sessions whose deadline has come by then.
    Due(Timestamp),
    /// The open sessions that wait for a person.
    Waiting,
    /// The ledger's row of a call.
    Call(CallId),
    /// The ledger's rows of a session.
    Calls(SessionId),
    /// An entry of the log, by its number in the workspace.
    Entry(u64),
    /// The entries of a session.
    Entries(EntryRange),
    /// The sequence of the message that was sent to a session with a key.
    Keyed((SessionId, String)),
    /// What was done under these keys.
    Receipts(Vec<ReceiptKey>),
    /// The bytes that an entry of a session names by their hash.
    Blob((SessionId, Digest)),
    /// Whether data is left that a session of this id made.
    MadeData(SessionId),
    /// The latest instructions of these scopes, as committed.
    Instructions(Vec<InstructionScope>),
    /// The data that is always sent.
    Sections(Box<OverlaidRows>),
    /// What the catalog, the ledger and the data say of calls that are asked for.
    LookUp(Box<CallLookupRequest>),
    /// What changed about the approval that calls need.
    Recheck(Box<CallRecheckRequest>),
    /// The digest of a call's card with other arguments on it.
    Card(Box<CardDigestRequest>),
    /// What a local command would change.
    Plan(Box<CallRequest>),
    /// The sentence that stands in an enrichment's place.
    Sentence(Box<(WorkspaceLocale, EnrichmentReference)>),
    /// The automations, also those that cannot be read.
    Automations,
    /// Whether an occurrence was decided.
    Decided((AutomationId, Timestamp)),
    /// Whether an occurrence was decided, and when its trigger is due after it.
    Occurrence(Box<(AutomationId, Trigger, Timestamp)>),
    /// When a trigger is due next.
    NextDue((Trigger, Timestamp)),
    /// How a provider's requests are written; or why it cannot be had.
    Encoding(String),
    /// How much a model of a provider reads and writes at once; none where the provider cannot be had.
    Window((String, String)),
    /// Whom the open sessions of the workspace are for, each once, without instructions of their own.
    Audiences,
    /// The row of a task.
    Task(TaskId),
    /// The rows of the tasks of a session that have not ended.
    OpenTasks(SessionId),
    /// The rows of the tasks that are due by then.
    DueTasks(Timestamp),
    /// Whether something was told of a task under this id.
    TaskTold((TaskId, String)),
    /// Which of these sessions have work under way that has a limit ahead.
    UnderWay(Vec<SessionId>),
    /// An id for a session, one more.
    NewSession,
    /// A key that nobody can guess, one more.
    NewKey,
    /// A short random time, one more.
    Jitter,
}

/// The next instant of a trigger, if there is one; or why that cannot be said.
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

/// For whom, and under what, something is looked up.
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

/// Calls that are asked for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct CallLookupRequest {
    pub(in crate::runtime) looking: OwnedCallLookupContext,
    pub(in crate::runtime) asked: Vec<CommandInvocation>,
}

/// Calls that have not started.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct CallRecheckRequest {
    pub(in crate::runtime) looking: OwnedCallLookupContext,
    pub(in crate::runtime) calls: Vec<Call>,
}

/// A call with another command on its card.
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

/// The answers to needs of one kind.
#[derive(Debug)]
pub(in crate::runtime) struct FactAnswers<Q, A>(Vec<(Q, A)>);

impl<Q, A> Default for FactAnswers<Q, A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Q: PartialEq, A> FactAnswers<Q, A> {
    /// The answer; a question that was not asked yet is what the turn needs.
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

/// What was drawn for a turn, in the order in which it needs it.
#[derive(Debug)]
pub(in crate::runtime) struct DrawnValues<T>(Vec<T>);

impl<T> Default for DrawnValues<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> DrawnValues<T> {
    /// The next one; `used` counts those that the turn has taken.
    pub(super) fn next(&self, used: &mut usize, need: FactRequest) -> Result<T, TurnStop> {
        let drawn = self.0.get(*used).cloned().ok_or(TurnStop::Need(need))?;
        *used += 1;
        Ok(drawn)
    }

    pub(in crate::runtime) fn put(&mut self, drawn: T) {
        self.0.push(drawn);
    }
}

/// All that a turn was told. A row that cannot be read is told with the reason.
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
