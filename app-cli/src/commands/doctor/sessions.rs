//! The sessions that have not ended.

use entracte_application::use_cases::{Ailment, ExamineSessions, Finding, ListAutomations};

use super::Check;
use crate::error::chain;
use crate::wiring::Wiring;

/// One line when all is well, else one for each finding.
pub(super) async fn checks(wiring: &Wiring) -> Vec<Check> {
    let examine = ExamineSessions::new(wiring.log.clone(), wiring.catalog.clone(), wiring.providers.clone());
    match examine.run().await {
        Ok((count, findings)) if findings.is_empty() => {
            vec![Check::ok("sessions", format!("{count} that have not ended, all can go on"))]
        }
        Ok((_, findings)) => findings.iter().map(check).collect(),
        Err(error) => vec![Check::fail("sessions", chain(&error), "entracte db check")],
    }
}

/// A line for each automation that cannot be read.
pub(super) async fn automations(wiring: &Wiring) -> Vec<Check> {
    let unreadable = |text: String| Check::fail("automations", text, "entracte db check");
    let rows = match wiring.store.workspaces().await {
        Ok(rows) => rows,
        Err(error) => return vec![unreadable(chain(&error))],
    };
    let list = ListAutomations::new(wiring.automations.clone());
    let (mut count, mut checks) = (0, Vec::new());
    for row in rows {
        match list.run(&row.key).await {
            Ok(list) => {
                count += list.views.len();
                checks.extend(list.damaged.into_iter().map(|one| {
                    let says = format!("“{}” cannot be read, and does not run: {}", one.name, one.why);
                    Check::fail(&format!("automation {}", one.id), says, "entracte db backup FILE")
                }));
            }
            Err(error) => checks.push(unreadable(chain(&error))),
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok("automations", format!("{count}, all can be read")));
    }
    checks
}

fn check(finding: &Finding) -> Check {
    let session = &finding.session;
    let check = format!("session {session}");
    match &finding.ailment {
        Ailment::Unreadable(why) => {
            Check::fail(&check, format!("it cannot be read: {why}"), "entracte db backup FILE")
        }
        Ailment::Quarantined => Check::warn(
            &check,
            "it was set aside, for Entracte died several times at the same place of it",
            format!(
                "look: entracte session journal {session}; let it go on: entracte session resume {session}"
            ),
        ),
        Ailment::CommandGone { command } => Check::warn(
            &check,
            format!("it has a call of {command} to do, and that command is gone"),
            "its call will fail; put the command back if it should not",
        ),
        Ailment::CommandChanged { command, what } => Check::warn(
            &check,
            format!("it has a call of {command} to do, and that command was changed since{}", listed(what)),
            "leave for it is asked again: entracte inbox",
        ),
        Ailment::ArgumentsUnfit { command, fault } => Check::warn(
            &check,
            format!("it has a call of {command} to do, whose arguments the command takes no more: {fault}"),
            "give others with your leave: entracte approve ID --edit JSON; or entracte reject ID --reason TEXT",
        ),
        Ailment::RestrictionEmpty { pattern } => Check::warn(
            &check,
            format!("it may ask for {pattern}, and there is no such command"),
            format!(
                "put it back, or say what it may ask for: entracte session set {session} --commands LIST"
            ),
        ),
        Ailment::ProviderGone { provider, why } => Check::warn(
            &check,
            format!("its provider {provider} cannot be used: {why}"),
            format!("or let another one speak: entracte session set {session} --provider NAME"),
        ),
    }
}

/// “ (effect class, destructive)”.
fn listed(what: &[&str]) -> String {
    if what.is_empty() { String::new() } else { format!(" ({})", what.join(", ")) }
}
