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

use super::Stop;
use crate::commands::{Asked, Setting};
use crate::instructions::{InstructionScope, InstructionVersion};
use crate::journal::JournalEntry;
use crate::mail::ReceiptKey;
use crate::ports::{
    ActionPlan, AutomationRow, CallRequest, CallRow, ContextWindow, LogRow, ReceiptRow, ResourceChange,
    SessionRow, TaskRow,
};
use crate::runtime::data::Section;
use crate::runtime::prefixes::Audience;
use crate::settings::{WorkspaceLocale, WorkspaceSettings};
use crate::texts::Saying;

/// Something that a turn has to know before it can go on.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) enum Need {
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
    Entries(UpTo),
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
    Sections(Box<Rows>),
    /// What the catalog, the ledger and the data say of calls that are asked for.
    LookUp(Box<LookUp>),
    /// What changed about the approval that calls need.
    Recheck(Box<Waiting>),
    /// The digest of a call's card with other arguments on it.
    Card(Box<Card>),
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
pub(in crate::runtime) type NextDue = Result<Option<Timestamp>, Saying>;

/// The entries of a session up to a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct UpTo {
    pub(in crate::runtime) session: SessionId,
    pub(in crate::runtime) at: u64,
}

/// Rows with changes that are not committed yet, and the settings they are read under.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct Rows {
    pub(in crate::runtime) settings: WorkspaceSettings,
    pub(in crate::runtime) changes: Vec<ResourceChange>,
}

/// For whom, and under what, something is looked up.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct Looking {
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
pub(in crate::runtime) struct LookUp {
    pub(in crate::runtime) looking: Looking,
    pub(in crate::runtime) asked: Vec<Asked>,
}

/// Calls that have not started.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct Waiting {
    pub(in crate::runtime) looking: Looking,
    pub(in crate::runtime) calls: Vec<Call>,
}

/// A call with another command on its card.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::runtime) struct Card {
    pub(in crate::runtime) looking: Looking,
    pub(in crate::runtime) call: Call,
    pub(in crate::runtime) command: Command,
}

impl Looking {
    pub(in crate::runtime) fn of(setting: Setting<'_>) -> Self {
        let Setting { facts, settings, rules, asked_by, acts_as, last_action_at, ai_request, now } = setting;
        let (facts, settings, rules) = (facts.clone(), settings.clone(), rules.to_vec());
        let (asked_by, acts_as) = (asked_by.clone(), acts_as.map(str::to_owned));
        Self { facts, settings, rules, asked_by, acts_as, last_action_at, ai_request, now }
    }

    pub(in crate::runtime) fn setting(&self) -> Setting<'_> {
        Setting {
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
pub(in crate::runtime) struct Answers<Q, A>(Vec<(Q, A)>);

impl<Q, A> Default for Answers<Q, A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Q: PartialEq, A> Answers<Q, A> {
    /// The answer; a question that was not asked yet is what the turn needs.
    pub(super) fn of(&self, question: Q, need: impl FnOnce(Q) -> Need) -> Result<&A, Stop> {
        match self.0.iter().find(|(asked, _)| *asked == question) {
            Some((_, answer)) => Ok(answer),
            None => Err(Stop::Need(need(question))),
        }
    }

    pub(in crate::runtime) fn put(&mut self, question: Q, answer: A) {
        self.0.push((question, answer));
    }
}

/// What was drawn for a turn, in the order in which it needs it.
#[derive(Debug)]
pub(in crate::runtime) struct Draws<T>(Vec<T>);

impl<T> Default for Draws<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Draws<T> {
    /// The next one; `used` counts those that the turn has taken.
    pub(super) fn next(&self, used: &mut usize, need: Need) -> Result<T, Stop> {
        let drawn = self.0.get(*used).cloned().ok_or(Stop::Need(need))?;
        *used += 1;
        Ok(drawn)
    }

    pub(in crate::runtime) fn put(&mut self, drawn: T) {
        self.0.push(drawn);
    }
}

/// All that a turn was told. A row that cannot be read is told with the reason.
#[derive(Debug, Default)]
pub(in crate::runtime) struct Known {
    pub(in crate::runtime) sessions: BTreeMap<SessionId, Result<Option<SessionRow>, String>>,
    pub(in crate::runtime) taken: Answers<SessionId, bool>,
    pub(in crate::runtime) due: Answers<Timestamp, Vec<SessionId>>,
    pub(in crate::runtime) waiting: Answers<(), Vec<SessionId>>,
    pub(in crate::runtime) call: Answers<CallId, Option<CallRow>>,
    pub(in crate::runtime) calls: Answers<SessionId, Vec<CallRow>>,
    pub(in crate::runtime) entry: Answers<u64, Option<LogRow>>,
    pub(in crate::runtime) entries: Answers<UpTo, Vec<JournalEntry>>,
    pub(in crate::runtime) keyed: Answers<(SessionId, String), Option<u64>>,
    pub(in crate::runtime) receipts: Answers<ReceiptKey, Option<ReceiptRow>>,
    pub(in crate::runtime) blobs: Answers<(SessionId, Digest), Option<Vec<u8>>>,
    pub(in crate::runtime) made_data: Answers<SessionId, bool>,
    pub(in crate::runtime) instructions: Answers<Vec<InstructionScope>, Vec<InstructionVersion>>,
    pub(in crate::runtime) sections: Answers<Box<Rows>, Arc<[Section]>>,
    pub(in crate::runtime) look_ups: Answers<Box<LookUp>, Vec<RequestedCall>>,
    pub(in crate::runtime) rechecks: Answers<Box<Waiting>, Vec<ApprovalRecheck>>,
    pub(in crate::runtime) cards: Answers<Box<Card>, Option<Digest>>,
    pub(in crate::runtime) plans: Answers<Box<CallRequest>, Result<ActionPlan, CallFailure>>,
    pub(in crate::runtime) sentences: Answers<Box<(WorkspaceLocale, EnrichmentReference)>, String>,
    pub(in crate::runtime) automations: Answers<(), Vec<AutomationRow>>,
    pub(in crate::runtime) decided: Answers<(AutomationId, Timestamp), bool>,
    pub(in crate::runtime) occurrences: BTreeMap<(AutomationId, Timestamp), (Trigger, bool, NextDue)>,
    pub(in crate::runtime) next_due: Answers<(Trigger, Timestamp), NextDue>,
    pub(in crate::runtime) encodings: Answers<String, Result<Arc<str>, String>>,
    pub(in crate::runtime) windows: Answers<(String, String), Option<ContextWindow>>,
    pub(in crate::runtime) audiences: Answers<(), Vec<Audience>>,
    pub(in crate::runtime) tasks: Answers<TaskId, Option<TaskRow>>,
    pub(in crate::runtime) open_tasks: Answers<SessionId, Vec<TaskRow>>,
    pub(in crate::runtime) due_tasks: Answers<Timestamp, Vec<TaskRow>>,
    pub(in crate::runtime) told_tasks: Answers<(TaskId, String), bool>,
    pub(in crate::runtime) under_way: Answers<Vec<SessionId>, BTreeSet<SessionId>>,
    pub(in crate::runtime) new_sessions: Draws<SessionId>,
    pub(in crate::runtime) new_keys: Draws<String>,
    pub(in crate::runtime) jitters: Draws<Millis>,
}
