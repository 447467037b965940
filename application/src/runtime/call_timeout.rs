use entracte_domain::call::Call;
use entracte_domain::session::SessionFacts;
use entracte_domain::time::Millis;

use crate::commands::Catalog;
use crate::rule_book::RuleBook;

/// The time limit of a call; 0 = no limit.
pub(super) fn call_timeout(catalog: &Catalog, rules: &RuleBook, facts: &SessionFacts, call: &Call) -> Millis {
    let known = catalog.find(&call.command.name);
    let declared = known.filter(|known| known.spec.kind == call.kind).and_then(|known| known.spec.timeout);
    declared.unwrap_or(rules.rules_for_session(facts).call_timeout)
}
