//! The facts of a session: its state beside its phase.

use crate::agent::{Agent, ChildSession, DescendantUsage};
use crate::command::FIND_COMMANDS;
use crate::id::{CallId, Digest, MessageId, SessionId, TaskId, WorkspaceKey};
use crate::localizable_text::LocalizableText;
use crate::plan::{Plan, PlanCommand, PlanMode};
use crate::restriction::Restriction;
use crate::session::RunPolicy;
use crate::session::{AlwaysSendSection, Dialect, RequestedCall, SessionAttachment, SessionRules, Slot};
use crate::spending::SpendingQuestion;
use crate::time::{Deadline, Millis, Timestamp};
use crate::usage::Usage;
use crate::validation::{ExchangePrincipal, PolicyGrant, PromptAuthors, RuleRequester};

crate::words! {
    /// The four kinds of session.
    pub enum SessionKind {
        /// A conversation with a person; never ends by itself.
        Chat = "chat",
        /// The template of an automation; never run.
        Seed = "seed",
        /// A run of an automation.
        Automation = "automation",
        /// A sub-agent, the child of a call.
        Agent = "agent",
    }
}

impl SessionKind {
    /// Whether the session works by itself and ends: the run of an automation, or an agent.
    pub const fn is_run(self) -> bool {
        match self {
            SessionKind::Automation | SessionKind::Agent => true,
            SessionKind::Chat | SessionKind::Seed => false,
        }
    }
}

crate::words! {
    /// Why a session ended.
    pub enum EndReason {
        /// The work is done.
        Completed = "COMPLETED",
        /// A limit was reached.
        LimitReached = "LIMIT_REACHED",
        /// The provider or the system failed.
        Error = "ERROR",
        /// The session was inactive or lasted too long.
        Timeout = "TIMEOUT",
        /// A person stopped it.
        Cancelled = "CANCELLED",
        /// A restart found an action of unknown outcome and the policy says to stop.
        Interrupted = "INTERRUPTED",
    }
}

/// The state of a session beside its phase. All of it follows from the session's inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionFacts {
    /// Id of the session.
    pub id: SessionId,
    /// Workspace of the session.
    pub workspace: WorkspaceKey,
    /// Kind of the session.
    pub kind: SessionKind,
    /// Name for people.
    pub name: String,
    /// True if every action needs approval.
    pub require_validation: bool,
    /// Plan mode set for the session; `None` uses that of its rules.
    pub mode: Option<PlanMode>,
    /// The plan that a person approved last, with its progress.
    pub plan: Option<Plan>,
    /// Commands that the session may ask for.
    pub restriction: Restriction,
    /// The automation that a run belongs to.
    pub automation: Option<String>,
    /// The occurrence of a run; its relative periods count from it.
    pub scheduled_at: Option<Timestamp>,
    /// Policies of a run that differ from the workspace's.
    pub policy: RunPolicy,
    /// The call that an agent answers, or answered last; of a copied agent, the copied call that its original answered.
    pub parent: Option<CallId>,
    /// Agent facts; `None` for other kinds, and for agents in journals of earlier versions.
    pub agent: Option<Box<Agent>>,
    /// The agents that work or rest for the session.
    pub children: Vec<ChildSession>,
    /// Usage of descendants that have ended.
    pub below: DescendantUsage,
    /// Name of the provider.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// How commands are encoded for the model.
    pub dialect: Dialect,
    /// Number of the prompt generation.
    pub generation: u32,
    /// Hash of the frozen prefix of this generation.
    pub prefix: Option<Digest>,
    /// Number of applied inputs; the version for compare-and-swap.
    pub sequence: u64,
    /// The session's slot, if any.
    pub slot: Slot,
    /// Counters for the limits.
    pub counters: SessionCounters,
    /// Results since the last human act; at most [`SEEN_MAX`].
    pub seen: Vec<ResultFingerprint>,
    /// Messages that wait for the next model call.
    pub queue: Vec<QueuedMessage>,
    /// Long tasks that have not ended.
    pub tasks: Vec<TaskId>,
    /// Ended tasks that may still report: expired or cancelled. At most [`OVERDUE_MAX`].
    pub overdue: Vec<TaskId>,
    /// Calls of unknown outcome that a person may settle.
    pub unsettled: Vec<CallId>,
    /// Calls of a run whose approval expired. Empty in journals of v0.1, whose calls have no cards.
    pub expired: Vec<CallId>,
    /// True if a person has seen how the session ended.
    pub is_end_seen: bool,
    /// Approved calls that failed and that their approver has not seen, at most [`FAILED_APPROVALS_MAX`]. Empty in journals
    /// of earlier versions.
    pub failed: Vec<FailedApproval>,
    /// Sequence of the human act that began this exchange.
    pub exchange: u64,
    /// The people who asked for the work of this exchange, and the person whose rights it has.
    pub asked_by: ExchangePrincipal,
    /// Authors of the words its model reads. `None` in sessions of earlier versions, which counted those of the
    /// exchange only.
    pub prompt_authors: Option<PromptAuthors>,
    /// The approval in advance that the policy of a run gives, if any.
    pub grant: Option<PolicyGrant>,
    /// Number of consecutive process starts that died in the same place.
    pub crashes: CrashStreak,
    /// When the session was created.
    pub created_at: Timestamp,
    /// Time of the last input.
    pub last_event_at: Timestamp,
    /// Time of the last human act.
    pub last_human_at: Timestamp,
    /// Workspace log number of the last human act; unlike times, these numbers order acts correctly whatever the clock
    /// says. 0 if the act was before these numbers were recorded.
    pub acted: u64,
    /// Workspace log number of the entry that queued the session for a slot; 0 as above.
    pub lined_up: u64,
    /// Start of the current active period; `None` while inactive.
    pub active_since: Option<Timestamp>,
    /// Total duration of earlier active periods.
    pub active_before: Millis,
    /// Tokens used by the session.
    pub usage: Usage,
    /// Hashes of schemas that the model was shown, at most [`SCHEMAS_MAX`]: it may ask for writes of these shapes.
    pub schemas: Vec<Digest>,
    /// The always-sent data as the model last read it.
    pub told: Vec<AlwaysSendSection>,
    /// Read marks, at most [`READERS_MAX`]: reader's name and sequence.
    pub read: Vec<(String, u64)>,
    /// Attachments, at most [`super::ATTACHED_MAX`]; expired leases do not count.
    pub attached: Vec<SessionAttachment>,
    /// Deadline of a person's request for a slot without work; `None` once the slot is held or no request was made.
    pub asks_slot: Option<Deadline>,
    /// True if the conversation contains entries for a round that has not begun: a long task ended, or a later chat
    /// took the session's place in the queue.
    pub owes_round: bool,
}

/// Maximum number of unseen failures of approved calls that a session remembers; the oldest is dropped first.
pub const FAILED_APPROVALS_MAX: usize = 20;

/// A call that failed after a person approved it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailedApproval {
    /// The call.
    pub call: CallId,
    /// The person who approved it.
    pub approver: String,
    /// Sequence of the input that ended it: who has read that far has seen it.
    pub sequence: u64,
}

/// A command and its result as short hashes: a session stores many, and they are written with every commit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultFingerprint {
    command: ShortDigest,
    result: ShortDigest,
}

/// The short hashes of a [`ResultFingerprint`] as numbers: the first 64 bits of each hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FingerprintBits {
    /// Bits of the command's hash.
    pub command: u64,
    /// Bits of the result's hash.
    pub result: u64,
}

impl ResultFingerprint {
    /// Creates the fingerprint of a command hash and a result hash.
    pub fn from_digests(command: &Digest, result: &Digest) -> Self {
        Self { command: ShortDigest::from_digest(command), result: ShortDigest::from_digest(result) }
    }

    /// Creates the fingerprint from the bits of short hashes.
    pub const fn from_short_bits(bits: FingerprintBits) -> Self {
        Self { command: ShortDigest::Bits(bits.command), result: ShortDigest::Bits(bits.result) }
    }

    /// The bits of both short hashes; `None` if one of them is not a hash.
    pub const fn short_bits(&self) -> Option<FingerprintBits> {
        match (&self.command, &self.result) {
            (ShortDigest::Bits(command), ShortDigest::Bits(result)) => {
                Some(FingerprintBits { command: *command, result: *result })
            }
            (ShortDigest::Text(_), ShortDigest::Bits(_) | ShortDigest::Text(_))
            | (ShortDigest::Bits(_), ShortDigest::Text(_)) => None,
        }
    }

    /// The short hashes of command and result.
    pub fn short_digests(&self) -> (Digest, Digest) {
        (self.command.digest(), self.result.digest())
    }
}

/// The first 64 bits of a hash, as a number: every commit copies and writes those of a session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ShortDigest {
    Bits(u64),
    /// A text that is not a hash stays unchanged.
    Text(Digest),
}

impl ShortDigest {
    fn from_digest(digest: &Digest) -> Self {
        let short = digest.short();
        short.short_bits().map_or(Self::Text(short), Self::Bits)
    }

    fn digest(&self) -> Digest {
        match self {
            Self::Bits(bits) => Digest::from_short_bits(*bits),
            Self::Text(digest) => digest.clone(),
        }
    }
}

/// Maximum number of remembered results, by which "new" means an unseen command id or result.
pub const SEEN_MAX: usize = 64;

/// Maximum number of remembered tasks that ended and may still report.
pub const OVERDUE_MAX: usize = 64;

/// Maximum number of remembered schemas.
pub const SCHEMAS_MAX: usize = 64;

/// Maximum number of read marks.
pub const READERS_MAX: usize = 16;

/// The counters that the limits compare.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SessionCounters {
    /// Rounds of the session; never reset, shown.
    pub rounds_total: u32,
    /// Rounds since the last human act (for runs: of the whole run).
    pub rounds_since_human: u32,
    /// Consecutive rounds that only read.
    pub query_rounds: u32,
    /// Consecutive rounds whose actions failed.
    pub failed_action_rounds: u32,
    /// Consecutive replies that could not be read.
    pub format_errors: u32,
    /// Rounds begun without a human act since the last one.
    pub relaunches: u32,
    /// Consecutive rounds without a new successful call.
    pub without_progress: u32,
    /// The failure of the last round, with its consecutive count.
    pub equal_failures: Option<FailureStreak>,
    /// Calls requested in the session; never reset.
    pub calls_total: u32,
    /// The closing call of this exchange was made.
    pub closing_done: bool,
}

/// A failure and its consecutive count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailureStreak {
    /// Command, code and path of every fault.
    pub signature: LocalizableText,
    /// Number of consecutive occurrences.
    pub count: u32,
}

/// A user message that waits for the next model call. The message itself is in the log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueuedMessage {
    /// Id of the message.
    pub message: MessageId,
    /// The author of the message; `None` in journals of v0.1 and in a copy.
    pub author: Option<String>,
    /// The queries of its enrichments.
    pub enrichments: Vec<RequestedCall>,
}

/// Consecutive process starts that died in the same place, for the quarantine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CrashStreak {
    /// Number of starts.
    pub count: u32,
    /// The last counted start.
    pub last_start: Option<Timestamp>,
}

/// Why a session is parked until a person resumes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParkReason {
    /// The provider's quota or credit is used up.
    Exhausted(String),
    /// A person interrupted it.
    Interrupted,
    /// Three starts died in the same place.
    Quarantined,
    /// The next model call would exceed the soft line of a cap. A chat rests here, too.
    Spending(SpendingQuestion),
}

impl SessionFacts {
    /// The facts of a newly created session.
    pub fn new(id: SessionId, workspace: WorkspaceKey, kind: SessionKind, now: Timestamp) -> Self {
        Self {
            id,
            workspace,
            kind,
            name: String::new(),
            require_validation: false,
            mode: None,
            plan: None,
            restriction: Restriction::Open,
            automation: None,
            scheduled_at: None,
            policy: RunPolicy::default(),
            parent: None,
            agent: None,
            children: Vec::new(),
            below: DescendantUsage::default(),
            provider: String::new(),
            model: String::new(),
            dialect: Dialect::Envelope,
            generation: 1,
            prefix: None,
            sequence: 0,
            slot: Slot::None,
            counters: SessionCounters::default(),
            seen: Vec::new(),
            queue: Vec::new(),
            tasks: Vec::new(),
            overdue: Vec::new(),
            unsettled: Vec::new(),
            expired: Vec::new(),
            is_end_seen: false,
            failed: Vec::new(),
            exchange: 0,
            asked_by: ExchangePrincipal::default(),
            prompt_authors: None,
            grant: None,
            crashes: CrashStreak::default(),
            created_at: now,
            last_event_at: now,
            last_human_at: now,
            acted: 0,
            lined_up: 0,
            active_since: None,
            active_before: Millis(0),
            usage: Usage::default(),
            schemas: Vec::new(),
            told: Vec::new(),
            read: Vec::new(),
            attached: Vec::new(),
            asks_slot: None,
            owes_round: false,
        }
    }

    /// Whether the session may ask for the named command. A restricted session may still use the plan commands, and the
    /// query that finds commands.
    pub fn admits(&self, command: &str) -> bool {
        let is_always_admitted = PlanCommand::from_word(command).is_some() || command == FIND_COMMANDS;
        is_always_admitted || self.restriction.allows_command(command)
    }

    /// Whether the session belongs to `caller`: as the agent that one of its calls began, or as the copy of such an agent
    /// that came with the copy `caller`. It is shown below `caller` and goes with it.
    pub fn is_called_by(&self, caller: &SessionId) -> bool {
        match &self.agent {
            Some(agent) => agent.from == *caller,
            None => self.parent.is_some() && self.id.caller().as_ref() == Some(caller),
        }
    }

    /// The session as standing approvals and denials see it.
    pub fn rule_requester(&self) -> RuleRequester<'_> {
        RuleRequester {
            session: &self.id,
            automation: self.automation.as_deref(),
            agent: self.agent.as_ref().map(|agent| agent.name.as_str()),
        }
    }

    /// Removes rights that the ancestor session lacks now: they are lost in the whole subtree.
    pub fn restrict_to_ancestor(&mut self, above: &SessionFacts) {
        self.restriction = self.restriction.intersect(&above.restriction);
        self.require_validation |= above.require_validation;
    }

    /// The plan mode in force.
    pub fn mode(&self, rules: &SessionRules) -> PlanMode {
        self.mode.unwrap_or(rules.mode)
    }

    /// The reference of relative periods: the occurrence of a run, else `now`.
    pub fn period_reference(&self, now: Timestamp) -> Timestamp {
        self.scheduled_at.unwrap_or(now)
    }

    /// Begins an exchange, whose work is asked for anew. A run is a single exchange.
    pub(crate) fn begin_exchange(&mut self) {
        if !self.kind.is_run() {
            self.asked_by = ExchangePrincipal::default();
        }
    }

    /// Adds these people to the authors that the model reads from now on; a `None` item is an unknown author. Does
    /// nothing in sessions of earlier versions.
    pub(crate) fn record_prompt_authors<'a>(&mut self, people: impl IntoIterator<Item = Option<&'a str>>) {
        let Some(authors) = &mut self.prompt_authors else { return };
        for person in people {
            authors.add_author(person);
            if let (Some(person), Some(grant)) = (person, &mut self.grant) {
                grant.drop_person_after_new_words(person);
            }
        }
        self.asked_by.add_prompt_authors(authors);
    }

    /// Remembers schemas that the model was shown.
    pub(crate) fn remember_schemas(&mut self, shown: &[Digest]) {
        for schema in shown {
            self.schemas.retain(|known| known != schema);
            self.schemas.push(schema.clone());
        }
        let over = self.schemas.len().saturating_sub(SCHEMAS_MAX);
        self.schemas.drain(..over);
    }

    /// Remembers an ended task that may still report.
    pub(crate) fn remember_overdue(&mut self, task: TaskId) {
        self.overdue.retain(|known| *known != task);
        self.overdue.push(task);
        let over = self.overdue.len().saturating_sub(OVERDUE_MAX);
        self.overdue.drain(..over);
    }

    /// The sequence up to which a reader has read; 0 if the reader has no mark.
    pub fn read_mark_of(&self, reader: &str) -> u64 {
        self.read.iter().find(|(name, _)| name == reader).map_or(0, |(_, sequence)| *sequence)
    }

    /// Total active time up to `now`.
    pub fn active_for(&self, now: Timestamp) -> Millis {
        let current = self.active_since.map_or(Millis(0), |since| now.since(since));
        Millis(self.active_before.0.saturating_add(current.0))
    }

    /// Forgets the failures that this person approved, up to a sequence.
    pub(crate) fn forget_failures_of(&mut self, person: &str, sequence: u64) {
        self.failed.retain(|failed| failed.approver != person || failed.sequence > sequence);
    }

    /// Remembers a result; true if neither its command nor its result was seen before.
    pub(crate) fn record_result_if_new(&mut self, command: &Digest, result: &Digest) -> bool {
        let sighting = ResultFingerprint::from_digests(command, result);
        if self.seen.contains(&sighting) {
            return false;
        }
        if self.seen.len() == SEEN_MAX {
            self.seen.remove(0);
        }
        self.seen.push(sighting);
        true
    }
}
