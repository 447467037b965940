//! Checks that the people who must approve are enough and here, in each workspace and for each tool that names its own.

use entracte_adapters_db::Database;
use entracte_application::codec::WorkspaceBody;
use entracte_application::commands::Catalog;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{Approver, ApproverRequirement};

use super::DoctorCheck;
use crate::render::text::one_line;
use crate::user_text::message;

/// One check for each demand that cannot be met now; empty if there is none.
pub(super) async fn checks(database: &Database, catalog: &Catalog) -> Vec<DoctorCheck> {
    let (now, mut checks) = (SystemClock.now(), Vec::new());
    // A database or a row that cannot be read has a check of its own.
    for row in database.store().workspaces().await.unwrap_or_default() {
        let Ok(body) = WorkspaceBody::decode(&row.body) else { continue };
        let (approval, name) = (&body.settings.approval, format!("approvers {}", row.key));
        checks.extend(approval.requirement().and_then(|required| check(&name, &required, now)));
        for known in catalog.entries() {
            let Some(demand) = &known.spec.approvers else { continue };
            let required = approval.requirement_of(&demand.named, demand.quorum, demand.escalate_after);
            checks.extend(check(&format!("{name} {}", known.spec.name), &required, now));
        }
    }
    checks
}

fn check(name: &str, required: &ApproverRequirement, now: Timestamp) -> Option<DoctorCheck> {
    let people = required.attainable(&[], now, now, |_| true)?;
    if usize::try_from(required.quorum).is_ok_and(|quorum| people >= quorum) {
        return None;
    }
    let named = required.named.iter().map(Approver::text).collect::<Vec<_>>().join(", ");
    let quorum = u64::from(required.quorum);
    let says = message!("doctor-approvers", quorum = quorum, people = people, named = one_line(&named));
    let fix = "entracte workspace settings set roles \"ROLE: PERSON, PERSON\"";
    Some(DoctorCheck::warn(name, says, fix))
}
