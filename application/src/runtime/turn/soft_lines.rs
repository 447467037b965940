//! The soft lines of caps: the question that an attempt asks there, and the line that a person raises.

use std::cmp::Reverse;

use entracte_domain::id::SessionId;
use entracte_domain::session::{ParkReason, Phase};
use entracte_domain::spending::{
    RaisedSpendingLine, SpendingAmount, SpendingCap, SpendingExcessNumbers, SpendingQuestion, SpendingScope,
    SpendingShare, SpendingTotals,
};
use entracte_domain::time::Timestamp;

use super::cap_filters::{filter_of, initiator};
use super::context::{TurnContext, TurnStop};
use super::draft::TurnDraft;
use super::placement::{draft_session, request_sessions_together};
use super::questions::{SpendingSharesQuestion, WaitingSessionsQuestion};
use crate::ports::{CostFilter, CostInitiator};

/// The most commands that a question names.
const SHARES_MAX: usize = 3;

/// A cap that leaves room for an attempt.
pub(super) struct CheckedCap {
    pub(super) scope: SpendingScope,
    pub(super) cap: SpendingCap,
    /// The cap without the reserve of the closing call.
    pub(super) limit: SpendingCap,
    /// The attempts that the cap applies to.
    pub(super) filter: CostFilter,
    pub(super) totals: SpendingTotals,
}

/// The question at the first soft line that leaves no room for the amount.
pub(super) fn find_question(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    caps: &[CheckedCap],
    amount: SpendingAmount,
) -> Result<Option<SpendingQuestion>, TurnStop> {
    for CheckedCap { scope, cap, limit, filter, totals } in caps {
        let since = filter.since.unwrap_or_default();
        let raised = draft.body.raised_line(*scope, &subject_of(filter), since);
        let line = cap.soft_line(draft.body.settings.budget.soft_line, raised);
        let Some(question) = SpendingQuestion::new(*scope, *limit, line, totals, amount) else { continue };
        let shares = turn.ask(SpendingSharesQuestion(filter.clone()))?.clone();
        let spent_for = largest_shares(shares, question.excess.numbers);
        return Ok(Some(SpendingQuestion { since, spent_for, ..question }));
    }
    Ok(None)
}

/// Raises the soft line that a session asks about. Once the day or month of the question is over, nothing has to be raised.
pub(super) fn raise_line(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    question: &SpendingQuestion,
    extra: SpendingAmount,
) -> Result<(), TurnStop> {
    let Some((subject, since)) = subject_of_session(turn, draft, session, question)? else { return Ok(()) };
    if since == question.since {
        let (scope, line) = (question.excess.scope, question.raised_line(extra));
        draft.body.raise_line(RaisedSpendingLine { scope, subject, since, line });
        draft.is_body_changed = true;
    }
    Ok(())
}

/// The other runs and agents that rest at the soft line that a session asks about. Chats wait for a person anyway, and would
/// take the slot from one another.
pub(super) fn runs_at_same_line(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    question: &SpendingQuestion,
) -> Result<Vec<SessionId>, TurnStop> {
    let line = subject_of_session(turn, draft, session, question)?;
    let waiting = turn.ask(WaitingSessionsQuestion)?;
    request_sessions_together(turn, draft, waiting)?;
    let mut runs = Vec::new();
    for other in waiting.iter().filter(|other| *other != session) {
        if !draft_session(turn, draft, other)? {
            continue;
        }
        let Some(drafted) = draft.sessions.get(other).filter(|drafted| drafted.facts.kind.is_run()) else {
            continue;
        };
        let Phase::Parked(ParkReason::Spending(asked)) = &drafted.phase else { continue };
        let asked = asked.clone();
        let is_same = asked.excess.scope == question.excess.scope && asked.since == question.since;
        if is_same && subject_of_session(turn, draft, other, &asked)? == line {
            runs.push(other.clone());
        }
    }
    Ok(runs)
}

/// What the cap of a question applies to for a session, and since when; `None` if it does not apply to it.
fn subject_of_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    question: &SpendingQuestion,
) -> Result<Option<(String, Timestamp)>, TurnStop> {
    let Some(drafted) = draft.sessions.get(session) else { return Ok(None) };
    let facts = drafted.facts.clone();
    let person = initiator(turn, draft, &facts)?;
    let filter = filter_of(draft, question.excess.scope, &facts, &person);
    Ok(filter.map(|filter| (subject_of(&filter), filter.since.unwrap_or_default())))
}

/// The session, root session, automation or person of a cap; empty for the workspace.
fn subject_of(filter: &CostFilter) -> String {
    if let Some(session) = filter.session.as_ref().or(filter.tree.as_ref()) {
        return session.to_string();
    }
    match &filter.initiator {
        Some(CostInitiator::Person(subject) | CostInitiator::Automation(subject)) => subject.clone(),
        Some(CostInitiator::Unknown) | None => String::new(),
    }
}

/// The commands that used most, in the unit of an excess.
fn largest_shares(mut shares: Vec<SpendingShare>, numbers: SpendingExcessNumbers) -> Vec<SpendingShare> {
    match numbers {
        SpendingExcessNumbers::Cost { .. } => shares.sort_by_key(|share| Reverse(share.amount.cost)),
        SpendingExcessNumbers::Tokens { .. } => shares.sort_by_key(|share| Reverse(share.amount.tokens)),
    }
    shares.truncate(SHARES_MAX);
    shares
}
