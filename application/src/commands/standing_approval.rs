use entracte_domain::call::Call;
use entracte_domain::command::EffectClass;
use entracte_domain::plan::PlanCommand;
use entracte_domain::validation::{ArgumentCondition, conditions_from_arguments};

use super::CatalogEntry;

/// What a standing approval, given with a decision on this call, asks of the arguments of later calls. None when it cannot
/// be given: what cannot be undone, or is decided on each time, such as a plan, is asked for each time. What a person is shown before the decision and what the
/// decision makes are this one answer; it follows from the arguments and the version of the command, and both are on the
/// card that the decision is bound to.
pub fn standing_approval_conditions(
    known: &CatalogEntry,
    call: &Call,
) -> Option<Vec<(String, ArgumentCondition)>> {
    let terms = call.terms.as_ref().filter(|terms| !terms.destructive && !terms.asks)?;
    if PlanCommand::from_command(&call.command).is_some() {
        return None;
    }
    let acts_outside = known.spec.egress || terms.effect != EffectClass::Local;
    Some(conditions_from_arguments(&call.command.arguments, acts_outside))
}
