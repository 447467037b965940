use entracte_domain::call::Call;
use entracte_domain::command::EffectClass;
use entracte_domain::plan::PlanCommand;
use entracte_domain::validation::{ArgumentCondition, RuleWidth, conditions_from_arguments, offered_widths};

use super::CatalogEntry;

/// The argument conditions of a standing approval that is given with a decision on this call. `None` if none can
/// be given: a call that cannot be undone, or needs a decision each time (such as a plan), is always asked about.
/// The preview before the decision and the created rule both use this function; it depends only on the arguments
/// and the command version, which are on the card that the decision is bound to.
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

/// The widths of a standing approval that the card of this call offers, the narrowest first; empty if none can be given.
/// `is_for_run` tells whether a run or an agent asks.
pub fn standing_approval_widths(known: &CatalogEntry, call: &Call, is_for_run: bool) -> Vec<RuleWidth> {
    standing_approval_conditions(known, call)
        .map(|conditions| offered_widths(&call.command.arguments, &conditions, is_for_run))
        .unwrap_or_default()
}
