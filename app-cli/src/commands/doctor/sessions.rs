//! The sessions that have not ended.

use entracte_application::use_cases::{Ailment, ExamineSessions, Finding};

use super::Check;
use crate::error::chain;
use crate::wiring::Wiring;

/// One line when all is well, else one for each finding.
pub(super) async fn checks(wiring: &Wiring) -> Vec<Check> {
    match ExamineSessions::new(wiring.log.clone(), wiring.catalog.clone()).run().await {
        Ok((count, findings)) if findings.is_empty() => {
            vec![Check::ok("sessions", format!("{count} that have not ended, all can go on"))]
        }
        Ok((_, findings)) => findings.iter().map(check).collect(),
        Err(error) => vec![Check::fail("sessions", chain(&error), "entracte db check")],
    }
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
        Ailment::CommandChanged { command } => Check::warn(
            &check,
            format!("it has a call of {command} to do, and that command was changed since"),
            "leave for it is asked again: entracte inbox",
        ),
    }
}
