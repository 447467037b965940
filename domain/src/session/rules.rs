//! The rules a session runs under: every limit and policy, each a setting. 0 means "no limit".

use crate::plan::PlanMode;
pub use crate::rights::UnattendedPolicy;
use crate::session::SessionKind;
use crate::time::{Deadline, Millis, Timestamp};

crate::words! {
    /// Which set of limits to begin from.
    pub enum LimitProfile {
        /// One limit on rounds, and the guards against loops.
        Autonomous = "autonomous",
        /// The four counters and a maximum duration.
        Strict = "strict",
    }
}

crate::words! {
    /// What follows the failure of an action for the actions after it.
    pub enum ActionFailurePolicy {
        /// Later ordered actions are cancelled.
        Stop = "stop",
        /// They run all the same.
        Continue = "continue",
    }
}

crate::words! {
    /// Whether "completed" is taken at its word.
    pub enum CompletionCheck {
        /// It is.
        Trust = "trust",
        /// The model is asked once more.
        AskOnce = "ask_once",
    }
}

crate::words! {
    /// How long a run tries to reach its provider.
    pub enum NetworkPolicy {
        /// Every `network_retry` for ever.
        Forever = "forever",
        /// After 5, 15 and 30 s, then to the end of the queue.
        Backoff = "backoff",
    }
}

crate::words! {
    /// What follows an action whose outcome nobody knows.
    pub enum UnknownOutcomePolicy {
        /// The model is told and goes on.
        Continue = "continue",
        /// A run ends INTERRUPTED.
        Stop = "stop",
    }
}

crate::words! {
    /// Whether a model may ask for commands again when it reads results, in a chat with native tools.
    pub enum RelaunchCommandPolicy {
        /// It may each time.
        Always = "always",
        /// Only when something failed; otherwise it answers in words.
        OnError = "on_error",
    }
}

crate::words! {
    /// Whether a run may end by words alone, because its model never says formally that it is done.
    pub enum TextOnlyEndPolicy {
        /// It goes on until it says so, or a limit is reached.
        Never = "never",
        /// A reply without commands is asked about once; a second one in a row ends the run.
        AskOnce = "ask_once",
    }
}

crate::words! {
    /// What follows an empty answer in a chat with native tools.
    pub enum EmptyReplyPolicy {
        /// The chat rests.
        Rest = "rest",
        /// The model is told once; after a second one in a row the person is.
        AskOnce = "ask_once",
    }
}

crate::words! {
    /// What follows a reply that is nothing but a plan.
    pub enum PlanOnlyReplyPolicy {
        /// It is shown and the model goes on.
        GoOn = "go_on",
        /// It ends the turn, as any other reply without commands. So it was before it was shown.
        Rest = "rest",
    }
}

crate::words! {
    /// What follows where the clock was set back behind the instant at which a deadline was set.
    pub enum ClockSetbackPolicy {
        /// The wait ended at once, a decision counted no more, and times said whose turn it is. So it was first.
        EndsWaits = "ends_waits",
        /// The deadline is set again for its whole span, a decision stands, and numbers say whose turn it is.
        EndsNothing = "ends_nothing",
    }
}

impl ClockSetbackPolicy {
    /// Whether a deadline counts as due at `now`.
    pub(crate) fn is_due(self, deadline: Deadline, now: Timestamp) -> bool {
        match self {
            ClockSetbackPolicy::EndsWaits => deadline.is_due(now) || deadline.is_ahead(now),
            ClockSetbackPolicy::EndsNothing => deadline.is_due(now),
        }
    }

    /// Whether a lease has ended at `now`.
    pub(crate) fn has_lapsed(self, lease: Deadline, now: Timestamp) -> bool {
        match self {
            ClockSetbackPolicy::EndsWaits => lease.is_due(now) || lease.is_ahead(now),
            ClockSetbackPolicy::EndsNothing => lease.has_lapsed(now),
        }
    }

    /// Whether a deadline has to be set again at `now`.
    pub(crate) fn must_rebase_deadline(self, deadline: Deadline, now: Timestamp) -> bool {
        match self {
            ClockSetbackPolicy::EndsWaits => false,
            ClockSetbackPolicy::EndsNothing => deadline.is_ahead(now),
        }
    }
}

crate::words! {
    /// What follows a start that finds a model call which the process before it had under way.
    pub enum CrashRecoveryPolicy {
        /// It counted as an answer that the provider lost: one new attempt in a round. So it was first.
        IsLost = "is_lost",
        /// The round goes on with a new attempt, until the quarantine.
        Resumes = "resumes",
    }
}

crate::words! {
    /// What the policy covers that allows what nobody approves.
    pub enum AllowPolicyCoverage {
        /// The words of anybody. So it was before grants were recorded.
        Anything = "anything",
        /// The words that [its grant](crate::validation::PolicyGrant) names.
        Granted = "granted",
    }
}

/// Every limit and policy of a session. What is decided otherwise than by an earlier version stands here too, so that
/// the entries of that version are replayed as they were decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionRules {
    /// Rounds since the last human act (chat), of the whole run (automation, agent).
    pub rounds: u32,
    /// Rounds that only read, in a row.
    pub query_rounds: u32,
    /// Rounds whose actions failed, in a row.
    pub failed_action_rounds: u32,
    /// Replies that cannot be read, in a row.
    pub format_errors: u32,
    /// Equal failures in a row.
    pub equal_failures: u32,
    /// Rounds without a human act between them, chat in the `tools` dialect.
    pub relaunches: u32,
    /// Whether these rounds may ask for commands.
    pub relaunch_commands: RelaunchCommandPolicy,
    /// What follows a reply that is nothing but a plan.
    pub plan_alone: PlanOnlyReplyPolicy,
    /// Whether a plan comes before actions, where nothing else is set for the session.
    pub mode: PlanMode,
    /// Rounds without a new successful call, in a row.
    pub without_progress: u32,
    /// How long a run may be active.
    pub run_duration: Millis,
    /// Calls in one reply.
    pub calls_per_reply: u32,
    /// Calls of a session.
    pub calls_per_session: u32,
    /// Time for one call.
    pub call_timeout: Millis,
    /// Further attempts of a read, and of an action that may be repeated.
    pub call_retries: u32,
    /// Wait before the second attempt of a call; doubled for each further one.
    pub call_retry_delay: Millis,
    /// Queries that run at once.
    pub queries_parallel: u32,
    /// What follows a failed action.
    pub actions_on_failure: ActionFailurePolicy,
    /// User messages that may wait.
    pub message_queue: u32,
    /// Tokens of a request; beyond them the conversation is summed up. What the model takes at once may be less.
    pub context_tokens: u32,
    /// Messages of the conversation in a request; beyond them the older ones are summed up without a model.
    pub history_messages: u32,
    /// Whether "completed" is taken at its word.
    pub completion_check: CompletionCheck,
    /// Whether words alone end a run.
    pub words_end_run: TextOnlyEndPolicy,
    /// What follows an empty answer.
    pub empty_reply: EmptyReplyPolicy,
    /// Wait before "completed" is confirmed by itself.
    pub completion_delay: Millis,
    /// Wait before a run that closes is closed.
    pub closing_delay: Millis,
    /// How long an approval request stays open, and how long a given approval may be spent.
    pub validation_expires: Millis,
    /// How long a question stays open.
    pub question_expires: Millis,
    /// What happens when nobody watches.
    pub unattended: UnattendedPolicy,
    /// What `unattended = allow` covers. No setting: it only tells journals of before apart.
    pub allow_covers: AllowPolicyCoverage,
    /// How a run tries to reach its provider.
    pub network: NetworkPolicy,
    /// Wait between two tries.
    pub network_retry: Millis,
    /// The longest a chat waits for a throttled provider before it hands back.
    pub chat_wait: Millis,
    /// How often a chat's round waits for a throttled provider.
    pub chat_waits: u32,
    /// An identical query is answered from the ledger within this time.
    pub cache_window: Millis,
    /// An identical action is refused within this time.
    pub anti_loop_window: Millis,
    /// What follows an unknown outcome.
    pub on_unknown: UnknownOutcomePolicy,
    /// How long an active run may be inactive.
    pub watchdog: Millis,
    /// Starts that may die in the same place.
    pub quarantine_after: u32,
    /// What follows a start that finds a model call under way; no setting.
    pub own_crash: CrashRecoveryPolicy,
    /// What follows where the clock was set back; no setting.
    pub set_back: ClockSetbackPolicy,
    /// Output tokens of a model call; 0 = what its provider says.
    pub output_tokens: u32,
    /// Time for one model call, waits for its turn not counted; 0 = what its provider says.
    pub model_time: Millis,
    /// Levels of agents below a session that a person or an automation began.
    pub agent_depth: u32,
    /// Agents that may be at work, or at rest, for one session at once.
    pub agents_at_once: u32,
    /// Agents that may be started in a tree: since the last human act (chat), in the whole run (automation).
    pub agents_in_tree: u32,
    /// Rounds that the agents of a tree may make together, counted in the same way.
    pub agent_rounds: u32,
    /// How long an agent that asked its caller something stays at rest before it ends.
    pub agent_rest: Millis,
}

impl SessionRules {
    /// The defaults of a kind of session.
    pub fn new(kind: SessionKind, profile: LimitProfile) -> Self {
        let mut rules = Self::autonomous(kind);
        match profile {
            LimitProfile::Autonomous => {}
            LimitProfile::Strict => rules.apply_strict_profile(kind),
        }
        rules
    }

    fn autonomous(kind: SessionKind) -> Self {
        Self {
            rounds: match kind {
                SessionKind::Chat | SessionKind::Seed => 25,
                SessionKind::Automation => 20,
                SessionKind::Agent => 7,
            },
            query_rounds: 0,
            failed_action_rounds: 0,
            format_errors: 0,
            equal_failures: 3,
            relaunches: 10,
            relaunch_commands: RelaunchCommandPolicy::Always,
            plan_alone: PlanOnlyReplyPolicy::GoOn,
            mode: PlanMode::Free,
            without_progress: 5,
            run_duration: Millis(0),
            calls_per_reply: 10,
            calls_per_session: 0,
            call_timeout: Millis::seconds(15),
            call_retries: 3,
            call_retry_delay: Millis(500),
            queries_parallel: 8,
            actions_on_failure: ActionFailurePolicy::Stop,
            message_queue: 100,
            context_tokens: match kind {
                SessionKind::Chat | SessionKind::Seed | SessionKind::Automation => 80_000,
                SessionKind::Agent => 15_000,
            },
            history_messages: 0,
            completion_check: CompletionCheck::Trust,
            words_end_run: TextOnlyEndPolicy::AskOnce,
            empty_reply: EmptyReplyPolicy::AskOnce,
            completion_delay: Millis::seconds(5),
            closing_delay: Millis::seconds(5),
            validation_expires: Millis::hours(72),
            question_expires: Millis(0),
            unattended: UnattendedPolicy::Park,
            allow_covers: AllowPolicyCoverage::Granted,
            network: NetworkPolicy::Forever,
            network_retry: Millis::seconds(30),
            chat_wait: Millis::seconds(20),
            chat_waits: 3,
            cache_window: Millis::seconds(60),
            anti_loop_window: Millis::seconds(30),
            on_unknown: UnknownOutcomePolicy::Continue,
            watchdog: Millis::minutes(10),
            quarantine_after: 3,
            own_crash: CrashRecoveryPolicy::Resumes,
            set_back: ClockSetbackPolicy::EndsNothing,
            output_tokens: match kind {
                SessionKind::Chat | SessionKind::Seed | SessionKind::Automation => 0,
                SessionKind::Agent => 1_024,
            },
            model_time: match kind {
                SessionKind::Chat | SessionKind::Seed | SessionKind::Automation => Millis(0),
                SessionKind::Agent => Millis::seconds(30),
            },
            agent_depth: 3,
            agents_at_once: 8,
            agents_in_tree: 32,
            agent_rounds: 32 * 7,
            agent_rest: Millis::minutes(15),
        }
    }

    fn apply_strict_profile(&mut self, kind: SessionKind) {
        let (rounds, queries, actions, formats) = match kind {
            SessionKind::Chat | SessionKind::Seed => (10, 3, 3, 3),
            SessionKind::Automation => (20, 5, 5, 5),
            SessionKind::Agent => (7, 5, 5, 5),
        };
        self.rounds = rounds;
        self.query_rounds = queries;
        self.failed_action_rounds = actions;
        self.format_errors = formats;
        self.run_duration = match kind {
            SessionKind::Chat | SessionKind::Seed => Millis(0),
            SessionKind::Automation | SessionKind::Agent => Millis::minutes(10),
        };
    }
}
