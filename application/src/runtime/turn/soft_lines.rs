//! The soft lines of caps: the question that an attempt asks there, and the line that a person raises.

use std::cmp::Reverse;

use entracte_domain::id::SessionId;
use entracte_domain::spending::{
    RaisedSpendingLine, SpendingAmount, SpendingCap, SpendingExcessNumbers, SpendingQuestion, SpendingScope,
    SpendingShare, SpendingTotals,
};

use super::cap_filters::{filter_of, initiator};
use super::context::{TurnContext, TurnStop};
use super::draft::TurnDraft;
use super::questions::SpendingSharesQuestion;
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
    let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
    let facts = drafted.facts.clone();
    let person = initiator(turn, draft, &facts)?;
    let scope = question.excess.scope;
    let Some(filter) = filter_of(draft, scope, &facts, &person) else { return Ok(()) };
    let since = filter.since.unwrap_or_default();
    if since == question.since {
        let (subject, line) = (subject_of(&filter), question.raised_line(extra));
        draft.body.raise_line(RaisedSpendingLine { scope, subject, since, line });
        draft.is_body_changed = true;
    }
    Ok(())
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
