//! Evaluates all limits of a session.

use crate::agent::AgentEndClass;
use crate::dollars::Dollars;
use crate::localizable_text::{LocalizableText, sentences};
use crate::rights::Budget;
use crate::session::{
    Dialect, RelaunchCommandPolicy, RoundReason, SessionFacts, SessionKind, SessionRules, child_agents,
};
use crate::spending::{SpendingExcess, SpendingExcessNumbers};

/// A limit that stops a session from calling the model again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words of `Rules`")]
pub enum SessionLimit {
    Rounds,
    QueryRounds,
    FailedActionRounds,
    FormatErrors,
    EqualFailures {
        failure: LocalizableText,
    },
    Relaunches,
    WithoutProgress,
    /// The request exceeds the model's context window even after a summary; both in tokens.
    Context {
        size: u64,
        budget: u64,
    },
    /// A call of the model could exceed a cap on money or tokens.
    Spending(SpendingExcess),
}

impl From<&SessionLimit> for AgentEndClass {
    fn from(limit: &SessionLimit) -> Self {
        match limit {
            SessionLimit::Rounds => Self::Rounds,
            SessionLimit::QueryRounds => Self::QueryRounds,
            SessionLimit::FailedActionRounds => Self::FailedActionRounds,
            SessionLimit::FormatErrors => Self::FormatErrors,
            SessionLimit::EqualFailures { .. } => Self::EqualFailures,
            SessionLimit::Relaunches => Self::Relaunches,
            SessionLimit::WithoutProgress => Self::WithoutProgress,
            SessionLimit::Context { .. } => Self::Context,
            SessionLimit::Spending(_) => Self::Spending,
        }
    }
}

/// The first limit that forbids another round, if any.
pub(crate) fn reached_limit(facts: &SessionFacts, rules: &SessionRules) -> Option<SessionLimit> {
    let counters = &facts.counters;
    let full = |count: u32, limit: u32| limit > 0 && count >= limit;
    if let Some(equal) = &counters.equal_failures
        && full(equal.count, rules.equal_failures)
    {
        return Some(SessionLimit::EqualFailures { failure: equal.signature.clone() });
    }
    if full(counters.rounds_since_human, rules.rounds) || has_no_rounds(facts, rules) {
        return Some(SessionLimit::Rounds);
    }
    // A round of queries beyond the limit was refused before execution, see `refuses_queries`.
    if rules.query_rounds > 0 && counters.query_rounds > rules.query_rounds {
        return Some(SessionLimit::QueryRounds);
    }
    if full(counters.failed_action_rounds, rules.failed_action_rounds) {
        return Some(SessionLimit::FailedActionRounds);
    }
    if full(counters.format_errors, rules.format_errors) {
        return Some(SessionLimit::FormatErrors);
    }
    if full(counters.relaunches, relaunch_limit(facts, rules)) {
        return Some(SessionLimit::Relaunches);
    }
    if full(counters.without_progress, rules.without_progress) {
        return Some(SessionLimit::WithoutProgress);
    }
    None
}

/// Whether the agent and its descendants have used up the agent's budget of rounds.
fn has_no_rounds(facts: &SessionFacts, rules: &SessionRules) -> bool {
    facts.agent.is_some() && child_agents::remaining_budget(facts, rules).rounds == 0
}

/// Whether another round of queries is refused; read before the queries run.
pub(crate) fn refuses_queries(facts: &SessionFacts, rules: &SessionRules) -> bool {
    rules.query_rounds > 0 && facts.counters.query_rounds >= rules.query_rounds
}

/// Whether the next round must be words only: it is a relaunch without failures, and the rules say so. A person who
/// wrote or decided meanwhile may want more work, so the round after a human act is free.
pub(crate) fn is_words_only(facts: &SessionFacts, rules: &SessionRules, reason: RoundReason) -> bool {
    let brings_results = match reason {
        RoundReason::DataResponse | RoundReason::ActionResult | RoundReason::TaskResult => true,
        RoundReason::UserMessage
        | RoundReason::FormatErrorCorrection
        | RoundReason::LimitNotification
        | RoundReason::ManualTrigger
        | RoundReason::ActionFailure
        | RoundReason::Answer
        | RoundReason::NetworkRetry
        | RoundReason::Continuation
        | RoundReason::CompletionCheck
        | RoundReason::Compaction
        | RoundReason::CutReply
        | RoundReason::PausedTurn
        | RoundReason::Resume => false,
    };
    let is_restricted = match rules.relaunch_commands {
        RelaunchCommandPolicy::Always => false,
        RelaunchCommandPolicy::OnError => is_relaunched(facts),
    };
    let counters = &facts.counters;
    brings_results && is_restricted && counters.rounds_since_human > 0 && counters.equal_failures.is_none()
}

/// The text for people and the model at a limit.
pub(crate) fn limit_message(
    limit: SessionLimit,
    facts: &SessionFacts,
    rules: &SessionRules,
) -> LocalizableText {
    let counters = &facts.counters;
    match limit {
        SessionLimit::Rounds => sentences::limit_rounds(counters.rounds_since_human, rules.rounds),
        SessionLimit::QueryRounds => sentences::limit_query_rounds(rules.query_rounds),
        SessionLimit::FailedActionRounds => {
            sentences::limit_failed_action_rounds(counters.failed_action_rounds, rules.failed_action_rounds)
        }
        SessionLimit::FormatErrors => {
            sentences::limit_format_errors(counters.format_errors, rules.format_errors)
        }
        SessionLimit::EqualFailures { failure } => {
            sentences::limit_equal_failures(rules.equal_failures, failure)
        }
        SessionLimit::Relaunches => sentences::limit_relaunches(counters.relaunches, rules.relaunches),
        SessionLimit::WithoutProgress => {
            sentences::limit_without_progress(counters.without_progress, rules.without_progress)
        }
        SessionLimit::Context { size, budget } => sentences::limit_context(size, budget),
        SessionLimit::Spending(excess) => spending_message(excess),
    }
}

fn spending_message(SpendingExcess { scope, numbers }: SpendingExcess) -> LocalizableText {
    let place = scope.place();
    let text = |cost: Dollars| LocalizableText::from(cost.to_string());
    match numbers {
        SpendingExcessNumbers::Cost { cap, used, needed } => {
            sentences::limit_spending_cost(place, text(needed), text(used), text(cap), scope.word())
        }
        SpendingExcessNumbers::Tokens { cap, used, needed } => {
            sentences::limit_spending_tokens(place, needed, used, cap, scope.word())
        }
    }
}

/// Resets the counters for a new exchange. The rounds of a run are counted over the whole run.
pub(crate) fn reset_after_human_act(facts: &mut SessionFacts) {
    let counters = &mut facts.counters;
    if !facts.kind.is_run() {
        counters.rounds_since_human = 0;
    }
    counters.query_rounds = 0;
    counters.failed_action_rounds = 0;
    counters.format_errors = 0;
    counters.relaunches = 0;
    counters.without_progress = 0;
    counters.equal_failures = None;
    if !facts.kind.is_run() {
        // A run makes one closing call, because its limits count for all of it.
        facts.counters.closing_done = false;
        facts.below.spent = Budget::default();
    }
    facts.seen.clear();
}

fn relaunch_limit(facts: &SessionFacts, rules: &SessionRules) -> u32 {
    if is_relaunched(facts) { rules.relaunches } else { 0 }
}

/// Whether rounds without a human act in between count as relaunches: in a chat with native tools.
const fn is_relaunched(facts: &SessionFacts) -> bool {
    match (facts.kind, facts.dialect) {
        (SessionKind::Chat, Dialect::Tools) => true,
        (SessionKind::Chat, Dialect::Envelope)
        | (
            SessionKind::Seed | SessionKind::Automation | SessionKind::Agent,
            Dialect::Envelope | Dialect::Tools,
        ) => false,
    }
}
