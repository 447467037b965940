//! The rules of a session: every limit and policy, each a setting. 0 means no limit.

use crate::plan::PlanMode;
pub use crate::rights::UnattendedPolicy;
use crate::session::SessionKind;
use crate::time::{Deadline, Millis, Timestamp};

crate::words! {
    /// The set of default limits.
    pub enum LimitProfile {
        /// One limit on rounds, and the guards against loops.
        Autonomous = "autonomous",
        /// The four counters and a maximum duration.
        Strict = "strict",
    }
}

crate::words! {
    /// Handling of the actions after a failed one.
    pub enum ActionFailurePolicy {
        /// Later ordered actions are cancelled.
        Stop = "stop",
        /// Later actions run nevertheless.
        Continue = "continue",
    }
}

crate::words! {
    /// Whether the model's "completed" counts at once.
    pub enum CompletionCheck {
        /// It counts at once.
        Trust = "trust",
        /// The model is asked once more.
        AskOnce = "ask_once",
    }
}

crate::words! {
    /// How long a run retries an unreachable provider.
    pub enum NetworkPolicy {
        /// Retries at intervals of `network_retry`, without end.
        Forever = "forever",
        /// Retries after 5, 15 and 30 s, then moves the run to the end of the queue.
        Backoff = "backoff",
    }
}

crate::words! {
    /// Handling of an action with unknown outcome.
    pub enum UnknownOutcomePolicy {
        /// The model reads that and continues.
        Continue = "continue",
        /// A run ends INTERRUPTED.
        Stop = "stop",
    }
}

crate::words! {
    /// Whether a model may request commands again when it reads results, in a chat with native tools.
    pub enum RelaunchCommandPolicy {
        /// It may in every round.
        Always = "always",
        /// Only after a failure; otherwise it answers in words.
        OnError = "on_error",
    }
}

crate::words! {
    /// Whether a run may end with a words-only reply, for models that never declare completion formally.
    pub enum TextOnlyEndPolicy {
        /// The run continues until the model declares completion or a limit is reached.
        Never = "never",
        /// The model is asked once after a reply without commands; a second one in a row ends the run.
        AskOnce = "ask_once",
    }
}

crate::words! {
    /// Handling of an empty answer in a chat with native tools.
    pub enum EmptyReplyPolicy {
        /// The chat rests.
        Rest = "rest",
        /// The model is asked again once; after a second empty answer in a row the person is informed.
        AskOnce = "ask_once",
    }
}

crate::words! {
    /// Handling of a reply that contains only a plan.
    pub enum PlanOnlyReplyPolicy {
        /// The plan is shown and the model continues.
        GoOn = "go_on",
        /// The reply ends the turn like any other reply without commands, as in versions that did not show plans.
        Rest = "rest",
    }
}

crate::words! {
    /// Handling of deadlines that were armed after `now`, because the clock was set back.
    pub enum ClockSetbackPolicy {
        /// The behaviour of the first versions: the wait ends at once, an approval expires, and times decide the queue
        /// order.
        EndsWaits = "ends_waits",
        /// The deadline is armed again for its whole span, an approval stays valid, and log numbers decide the queue
        /// order.
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

    /// Whether a deadline has to be armed again at `now`.
    pub(crate) fn must_rebase_deadline(self, deadline: Deadline, now: Timestamp) -> bool {
        match self {
            ClockSetbackPolicy::EndsWaits => false,
            ClockSetbackPolicy::EndsNothing => deadline.is_ahead(now),
        }
    }
}

crate::words! {
    /// How a read ends whose answer was lost in every attempt: its connection broke, or its server ended.
    pub enum LostReadPolicy {
        /// The behaviour of the first versions: as if no answer had come in time.
        TimesOut = "times_out",
        /// It failed, with a code of its own.
        Fails = "fails",
    }
}

crate::words! {
    /// Whether a session remembers approved calls that failed, for the people who approved them.
    pub enum FailureNoticePolicy {
        /// The behaviour of the first versions.
        Omits = "omits",
        /// Until the approver has seen them.
        Keeps = "keeps",
    }
}

crate::words! {
    /// Whether the run of an automation that reaches a limit reports what was done.
    pub enum RunReportPolicy {
        /// The behaviour of the first versions: it ends without a word.
        Omits = "omits",
        /// A closing call without commands, as in a chat; then it ends.
        Asks = "asks",
    }
}

crate::words! {
    /// Whether an agent that is cut short records why, for its caller.
    pub enum EndCausePolicy {
        /// The behaviour of the first versions: the caller reads the status alone.
        Omits = "omits",
        /// The caller reads a reason and an explanation.
        Records = "records",
    }
}

crate::words! {
    /// Handling of a model call that a process start finds unfinished after a crash.
    pub enum CrashRecoveryPolicy {
        /// The behaviour of the first versions: the answer counts as lost by the provider, with one new attempt per
        /// round.
        IsLost = "is_lost",
        /// The round continues with a new attempt, until the quarantine.
        Resumes = "resumes",
    }
}

crate::words! {
    /// Coverage of the unattended policy `allow`.
    pub enum AllowPolicyCoverage {
        /// Words of any author, as before grants were recorded.
        Anything = "anything",
        /// Only the texts that [its grant](crate::validation::PolicyGrant) names.
        Granted = "granted",
    }
}

/// Every limit and policy of a session. Behaviour that changed between versions is also a rule here, so that journal
/// entries of an earlier version are replayed as they were decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionRules {
    /// Maximum rounds since the last human act (chat), or of the whole run (automation, agent).
    pub rounds: u32,
    /// Maximum consecutive rounds that only read.
    pub query_rounds: u32,
    /// Maximum consecutive rounds whose actions failed.
    pub failed_action_rounds: u32,
    /// Maximum consecutive replies that cannot be read.
    pub format_errors: u32,
    /// Maximum consecutive equal failures.
    pub equal_failures: u32,
    /// Maximum rounds without a human act in between, for chats in the `tools` dialect.
    pub relaunches: u32,
    /// Whether these rounds may request commands.
    pub relaunch_commands: RelaunchCommandPolicy,
    /// Handling of a reply that contains only a plan.
    pub plan_alone: PlanOnlyReplyPolicy,
    /// Plan mode, unless the session sets its own.
    pub mode: PlanMode,
    /// Maximum consecutive rounds without a new successful call.
    pub without_progress: u32,
    /// Maximum active time of a run.
    pub run_duration: Millis,
    /// Maximum calls in one reply.
    pub calls_per_reply: u32,
    /// Maximum calls of a session.
    pub calls_per_session: u32,
    /// Time limit of one call.
    pub call_timeout: Millis,
    /// Further attempts of a read, and of an action that may be repeated.
    pub call_retries: u32,
    /// Delay before the second attempt of a call; doubled for each further one.
    pub call_retry_delay: Millis,
    /// Maximum queries that run in parallel.
    pub queries_parallel: u32,
    /// Handling of the actions after a failed one.
    pub actions_on_failure: ActionFailurePolicy,
    /// Maximum queued user messages.
    pub message_queue: u32,
    /// Maximum tokens of a request before the conversation is summarized. The model's context window may be smaller.
    pub context_tokens: u32,
    /// Maximum messages in a request before older ones are summarized without a model.
    pub history_messages: u32,
    /// Whether the model's "completed" counts at once.
    pub completion_check: CompletionCheck,
    /// Whether a words-only reply ends a run.
    pub words_end_run: TextOnlyEndPolicy,
    /// Handling of an empty answer.
    pub empty_reply: EmptyReplyPolicy,
    /// Delay before "completed" is confirmed automatically.
    pub completion_delay: Millis,
    /// Delay before a closing run ends.
    pub closing_delay: Millis,
    /// How long an approval request stays open, and how long a given approval may be spent.
    pub validation_expires: Millis,
    /// How long a question stays open.
    pub question_expires: Millis,
    /// Handling of actions that need approval in runs and agents.
    pub unattended: UnattendedPolicy,
    /// Coverage of `unattended = allow`. Not a setting: it only marks journals of earlier versions.
    pub allow_covers: AllowPolicyCoverage,
    /// How a run retries its provider.
    pub network: NetworkPolicy,
    /// Delay between two tries.
    pub network_retry: Millis,
    /// Longest wait of a chat for a throttled provider before it hands back to the person.
    pub chat_wait: Millis,
    /// Maximum waits of a chat's round for a throttled provider.
    pub chat_waits: u32,
    /// Time within which an identical query is answered from the ledger.
    pub cache_window: Millis,
    /// Time within which an identical action is refused.
    pub anti_loop_window: Millis,
    /// Handling of an action with unknown outcome.
    pub on_unknown: UnknownOutcomePolicy,
    /// Maximum inactivity of an active run.
    pub watchdog: Millis,
    /// Number of process starts that may die in the same place.
    pub quarantine_after: u32,
    /// Handling of a model call that a start finds unfinished; not a setting.
    pub own_crash: CrashRecoveryPolicy,
    /// Handling of a clock that was set back; not a setting.
    pub set_back: ClockSetbackPolicy,
    /// How a read ends whose answer was lost in every attempt; not a setting.
    pub lost_read: LostReadPolicy,
    /// Whether an agent that is cut short records why; not a setting.
    pub end_cause: EndCausePolicy,
    /// Whether approved calls that failed are remembered for their approvers; not a setting.
    pub failure_notice: FailureNoticePolicy,
    /// Whether a run reports at a limit; not a setting.
    pub run_report: RunReportPolicy,
    /// Maximum output tokens of a model call; 0 uses the provider's value.
    pub output_tokens: u32,
    /// Time limit of one model call without waiting for a permit; 0 uses the provider's value.
    pub model_time: Millis,
    /// Maximum levels of agents below a session that a person or an automation began.
    pub agent_depth: u32,
    /// Maximum agents that work or rest for one session at the same time.
    pub agents_at_once: u32,
    /// Maximum agents started in a tree: since the last human act (chat), in the whole run (automation).
    pub agents_in_tree: u32,
    /// Maximum rounds of all agents of a tree, counted over the same period.
    pub agent_rounds: u32,
    /// How long an agent with a question rests before it ends.
    pub agent_rest: Millis,
}

impl SessionRules {
    /// The default rules of a session kind.
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
            lost_read: LostReadPolicy::Fails,
            end_cause: EndCausePolicy::Records,
            failure_notice: FailureNoticePolicy::Keeps,
            run_report: RunReportPolicy::Asks,
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
        // The limits above end such a run; equal failures would end it before any of them is reached.
        self.equal_failures = 0;
        self.run_duration = match kind {
            SessionKind::Chat | SessionKind::Seed => Millis(0),
            SessionKind::Automation | SessionKind::Agent => Millis::minutes(10),
        };
    }
}
