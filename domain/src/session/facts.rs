//! What is known of a session beside its phase.

use crate::agent::{Agent, ChildSession, DescendantUsage};
use crate::id::{CallId, Digest, MessageId, SessionId, TaskId, WorkspaceKey};
use crate::localizable_text::LocalizableText;
use crate::plan::{Plan, PlanCommand, PlanMode};
use crate::restriction::Restriction;
use crate::session::RunPolicy;
use crate::session::{AlwaysSendSection, Dialect, RequestedCall, SessionAttachment, SessionRules, Slot};
use crate::time::{Deadline, Millis, Timestamp};
use crate::usage::Usage;
use crate::validation::{ExchangePrincipal, PolicyGrant, PromptAuthors};

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
    /// Whether it works by itself and ends: the run of an automation, or a sub-agent.
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
        /// It was inactive or lasted too long.
        Timeout = "TIMEOUT",
        /// A person stopped it.
        Cancelled = "CANCELLED",
        /// A restart found an action of unknown outcome and the policy says stop.
        Interrupted = "INTERRUPTED",
    }
}

/// What is known of a session beside its phase. All of it follows from the session's inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionFacts {
    /// Its id.
    pub id: SessionId,
    /// Where it lives.
    pub workspace: WorkspaceKey,
    /// Its kind.
    pub kind: SessionKind,
    /// Name for people.
    pub name: String,
    /// Every action needs approval.
    pub require_validation: bool,
    /// Whether a plan comes before its actions; none where its rules say.
    pub mode: Option<PlanMode>,
    /// The plan that a person approved last, and how far it is.
    pub plan: Option<Plan>,
    /// Which commands it may ask for.
    pub restriction: Restriction,
    /// The automation that a run belongs to.
    pub automation: Option<String>,
    /// The occurrence of a run: "now" of its relative periods.
    pub scheduled_at: Option<Timestamp>,
    /// What holds in a run, where it differs from the workspace.
    pub policy: RunPolicy,
    /// The call that an agent answers, or answered last.
    pub parent: Option<CallId>,
    /// What it is as an agent; none of any other kind, and of agents in journals of before.
    pub agent: Option<Box<Agent>>,
    /// The agents that work, or rest, for it.
    pub children: Vec<ChildSession>,
    /// What those used that have ended.
    pub below: DescendantUsage,
    /// Name of the provider.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// Number of the prompt generation.
    pub generation: u32,
    /// Hash of the frozen prefix of this generation.
    pub prefix: Option<Digest>,
    /// Counts its inputs; the version for compare-and-swap.
    pub sequence: u64,
    /// Its right to work.
    pub slot: Slot,
    /// Its counters.
    pub counters: SessionCounters,
    /// What was seen since the last human act; the last [`SEEN_MAX`].
    pub seen: Vec<ResultFingerprint>,
    /// Messages that wait for the next model call.
    pub queue: Vec<QueuedMessage>,
    /// Long tasks that have not ended.
    pub tasks: Vec<TaskId>,
    /// Long tasks that are over, and of which more may be heard: expired or called off. The last [`OVERDUE_MAX`].
    pub overdue: Vec<TaskId>,
    /// Calls of unknown outcome that a person may settle.
    pub unsettled: Vec<CallId>,
    /// Calls of a run whose approval expired. Empty in journals of v0.1, whose calls have no cards.
    pub expired: Vec<CallId>,
    /// A person has seen how the session ended.
    pub is_end_seen: bool,
    /// Sequence of the human act that began this exchange.
    pub exchange: u64,
    /// Who asked for the work of this exchange, and whose rights it has.
    pub asked_by: ExchangePrincipal,
    /// Whose words its model reads. `None` in sessions of before, where those of the exchange alone were counted.
    pub prompt_authors: Option<PromptAuthors>,
    /// The yes in advance that the policy of a run gives, if it gives one.
    pub grant: Option<PolicyGrant>,
    /// How often a start died in the same place.
    pub crashes: CrashStreak,
    /// When it was made.
    pub created_at: Timestamp,
    /// Last input.
    pub last_event_at: Timestamp,
    /// Last human act.
    pub last_human_at: Timestamp,
    /// Number, in the log of the workspace, of the last human act: whoever acted later has the greater one, whatever the
    /// clock says. 0 where that was before these numbers were kept.
    pub acted: u64,
    /// Number, in the log of the workspace, of the entry that gave it its place among those that wait for a slot; 0 as above.
    pub lined_up: u64,
    /// Since when it has been active without a break; none while it is not.
    pub active_since: Option<Timestamp>,
    /// How long it was active before that.
    pub active_before: Millis,
    /// Tokens used.
    pub usage: Usage,
    /// The schemas that the model was shown, the last [`SCHEMAS_MAX`]: it may ask for writes in these shapes.
    pub schemas: Vec<Digest>,
    /// The data that is always sent, as it was told last.
    pub told: Vec<AlwaysSendSection>,
    /// How far each reader has read, the last [`READERS_MAX`]: name and sequence.
    pub read: Vec<(String, u64)>,
    /// Who has it open, the last [`super::ATTACHED_MAX`]; those whose lease is over count no more.
    pub attached: Vec<SessionAttachment>,
    /// A person asked for its slot without giving it work: until when that counts, while it has none.
    pub asks_slot: Option<Deadline>,
    /// What stands in the conversation waits for a round that nobody has begun: a long task ended meanwhile, or a later
    /// chat took its place in the queue.
    pub owes_round: bool,
}

/// A command with its result, both by their short hashes: a session remembers many, and is written with every commit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultFingerprint {
    command: ShortDigest,
    result: ShortDigest,
}

impl ResultFingerprint {
    /// Of the command of this id, with a result of this hash.
    pub fn from_digests(command: &Digest, result: &Digest) -> Self {
        Self { command: ShortDigest::from_digest(command), result: ShortDigest::from_digest(result) }
    }

    /// Of what has short hashes of these bits.
    pub const fn from_short_bits(command: u64, result: u64) -> Self {
        Self { command: ShortDigest::Bits(command), result: ShortDigest::Bits(result) }
    }

    /// The bits of the short hashes of the command and of the result; none where one of them is no hash.
    pub const fn short_bits(&self) -> Option<(u64, u64)> {
        match (&self.command, &self.result) {
            (ShortDigest::Bits(command), ShortDigest::Bits(result)) => Some((*command, *result)),
            (ShortDigest::Text(_), ShortDigest::Bits(_) | ShortDigest::Text(_))
            | (ShortDigest::Bits(_), ShortDigest::Text(_)) => None,
        }
    }

    /// The short hashes of the command and of the result.
    pub fn short_digests(&self) -> (Digest, Digest) {
        (self.command.digest(), self.result.digest())
    }
}

/// The first 64 bits of a hash, as numbers: every commit copies those of a session, and writes them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ShortDigest {
    Bits(u64),
    /// What is no hash stays as it is.
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

/// How many results are remembered for "new = unseen command id or result".
pub const SEEN_MAX: usize = 64;

/// How many tasks are remembered that are over and of which more may be heard.
pub const OVERDUE_MAX: usize = 64;

/// How many shown schemas are remembered.
pub const SCHEMAS_MAX: usize = 64;

/// How many readers are remembered.
pub const READERS_MAX: usize = 16;

/// The counters that limits are read from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SessionCounters {
    /// Rounds of the session; never reset, shown.
    pub rounds_total: u32,
    /// Rounds since the last human act (for runs: of the whole run).
    pub rounds_since_human: u32,
    /// Rounds that only read, in a row.
    pub query_rounds: u32,
    /// Rounds whose actions failed, in a row.
    pub failed_action_rounds: u32,
    /// Replies that could not be read, in a row.
    pub format_errors: u32,
    /// Rounds begun without a human act since the last one.
    pub relaunches: u32,
    /// Rounds without a new successful call, in a row.
    pub without_progress: u32,
    /// The failure of the last round and how often it came in a row.
    pub equal_failures: Option<FailureStreak>,
    /// Calls asked for in the session; never reset.
    pub calls_total: u32,
    /// The closing call of this exchange was made.
    pub closing_done: bool,
}

/// The same failure, again and again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailureStreak {
    /// Command, code and path of every fault.
    pub signature: LocalizableText,
    /// How often in a row.
    pub count: u32,
}

/// A user message that waits for the next model call. The message itself is in the log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueuedMessage {
    /// The message.
    pub message: MessageId,
    /// Who asks with it; none in journals of v0.1, and in a copy.
    pub author: Option<String>,
    /// The queries of its enrichments.
    pub enrichments: Vec<RequestedCall>,
}

/// Starts that died in the same place, for the quarantine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CrashStreak {
    /// How many.
    pub count: u32,
    /// The start that was counted last.
    pub last_start: Option<Timestamp>,
}

/// Why a run waits for a person, who lets it go on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParkReason {
    /// The provider's quota or credit is used up.
    Exhausted(String),
    /// A person interrupted it.
    Interrupted,
    /// Three starts died in the same place.
    Quarantined,
}

impl SessionFacts {
    /// The facts of a session that is just made.
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

    /// Whether it may ask for the command of that name. Whoever may only do a few things may plan them, too.
    pub fn admits(&self, command: &str) -> bool {
        self.restriction.allows_command(command) || PlanCommand::from_word(command).is_some()
    }

    /// Loses what a session above it may not do now: whoever lost a right lost it for all below.
    pub fn restrict_to_ancestor(&mut self, above: &SessionFacts) {
        self.restriction = self.restriction.intersect(&above.restriction);
        self.require_validation |= above.require_validation;
    }

    /// Whether a plan comes before its actions.
    pub fn mode(&self, rules: &SessionRules) -> PlanMode {
        self.mode.unwrap_or(rules.mode)
    }

    /// What relative periods count from: the occurrence of a run, else now.
    pub fn period_reference(&self, now: Timestamp) -> Timestamp {
        self.scheduled_at.unwrap_or(now)
    }

    /// What follows is asked for anew. A run is one exchange from its beginning to its end.
    pub(crate) fn begin_exchange(&mut self) {
        if !self.kind.is_run() {
            self.asked_by = ExchangePrincipal::default();
        }
    }

    /// Words of these people are told to the model from now on, and stay in what it reads; `None` if nobody knows whose
    /// they are. In a session of before nobody counts them.
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

    /// The model was shown these schemas.
    pub(crate) fn remember_schemas(&mut self, shown: &[Digest]) {
        for schema in shown {
            self.schemas.retain(|known| known != schema);
            self.schemas.push(schema.clone());
        }
        let over = self.schemas.len().saturating_sub(SCHEMAS_MAX);
        self.schemas.drain(..over);
    }

    /// A task is over, and more of it may be heard.
    pub(crate) fn remember_overdue(&mut self, task: TaskId) {
        self.overdue.retain(|known| *known != task);
        self.overdue.push(task);
        let over = self.overdue.len().saturating_sub(OVERDUE_MAX);
        self.overdue.drain(..over);
    }

    /// How far somebody has read; 0 when not at all.
    pub fn read_mark_of(&self, reader: &str) -> u64 {
        self.read.iter().find(|(name, _)| name == reader).map_or(0, |(_, sequence)| *sequence)
    }

    /// How long it has been active in all.
    pub fn active_for(&self, now: Timestamp) -> Millis {
        let current = self.active_since.map_or(Millis(0), |since| now.since(since));
        Millis(self.active_before.0.saturating_add(current.0))
    }

    /// Notes a result; true when neither its command nor its result was seen before.
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
