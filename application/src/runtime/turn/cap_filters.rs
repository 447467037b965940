//! The attempts that a cap applies to.

use entracte_domain::period::PeriodUnit;
use entracte_domain::session::SessionFacts;
use entracte_domain::spending::SpendingScope;

use super::context::{TurnContext, TurnStop};
use super::draft::TurnDraft;
use super::questions::CostSumQuestion;
use crate::attempt_costs::first_person;
use crate::calendar::Calendar;
use crate::ports::{CostFilter, CostInitiator, CostSum, CostSumBy, CostSumKey};

/// The attempts that a cap applies to; `None` if it does not apply to this session.
pub(super) fn filter_of(
    draft: &TurnDraft,
    scope: SpendingScope,
    facts: &SessionFacts,
    initiator: &CostInitiator,
) -> Option<CostFilter> {
    let all = CostFilter::new(draft.workspace.key.clone(), CostSumBy::Everything, 1);
    let since = |unit| {
        let calendar = Calendar::from_locale(&draft.body.settings.locale());
        Some(calendar.period_start(unit, draft.now))
    };
    let initiator = Some(initiator.clone());
    match scope {
        SpendingScope::Session => Some(CostFilter { session: Some(facts.id.clone()), ..all }),
        SpendingScope::Tree => Some(CostFilter { tree: Some(facts.id.tree_root()), ..all }),
        SpendingScope::AutomationDay => matches!(initiator, Some(CostInitiator::Automation(_)))
            .then(|| CostFilter { initiator, since: since(PeriodUnit::Day), ..all }),
        SpendingScope::PersonDay => matches!(initiator, Some(CostInitiator::Person(_))).then(|| CostFilter {
            initiator,
            since: since(PeriodUnit::Day),
            ..all
        }),
        SpendingScope::WorkspaceDay => Some(CostFilter { since: since(PeriodUnit::Day), ..all }),
        SpendingScope::WorkspaceMonth => Some(CostFilter { since: since(PeriodUnit::Month), ..all }),
    }
}

/// The person or automation that the attempts of a session count for: that of its first attempt.
pub(super) fn initiator(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
) -> Result<CostInitiator, TurnStop> {
    if let Some(automation) = &facts.automation {
        return Ok(CostInitiator::Automation(automation.clone()));
    }
    let now = match first_person(&facts.asked_by) {
        person if person.is_empty() => CostInitiator::Unknown,
        person => CostInitiator::Person(person),
    };
    if draft.body.settings.budget.cap(SpendingScope::PersonDay).is_none() {
        return Ok(now);
    }
    let known = turn.memory.initiators.get(&facts.id).or_else(|| draft.aside.initiators.get(&facts.id));
    if let Some(known) = known {
        return Ok(known.clone());
    }
    let of_session = CostFilter::new(draft.workspace.key.clone(), CostSumBy::Initiator, 1);
    let of_session = CostFilter { session: Some(facts.id.clone()), ..of_session };
    Ok(match turn.ask(CostSumQuestion(of_session))? {
        Some(CostSum { key: CostSumKey::Initiator(first), .. }) => {
            draft.aside.initiators.insert(facts.id.clone(), first.clone());
            first.clone()
        }
        Some(_) | None => now,
    })
}
