//! Encoding of automations and occurrences.

use entracte_domain::automation::Automation;
use entracte_domain::id::WorkspaceKey;

use super::{CodecError, format_version, v1};
use crate::journal::{Occurrence, OccurrenceOutcome};
use crate::ports::{AutomationRow, OccurrenceRow};

/// Encodes the row of an automation.
///
/// # Errors
/// [`CodecError::Unstorable`]; no automation is known to cause it.
pub fn encode_automation(
    workspace: &WorkspaceKey,
    automation: &Automation,
    revision: u64,
) -> Result<AutomationRow, CodecError> {
    Ok(AutomationRow {
        id: automation.id.clone(),
        workspace: workspace.clone(),
        seed: automation.seed.clone(),
        name: automation.name.clone(),
        next_at: automation.next_undecided_occurrence(),
        revision,
        body: format_version::write("automation", &v1::AutomationV1::from(automation))?,
    })
}

/// Decodes the automation of a row.
///
/// # Errors
/// When a newer Entracte wrote it, or it is damaged.
pub fn decode_automation(row: &AutomationRow) -> Result<Automation, CodecError> {
    format_version::read::<v1::AutomationV1, _>("automation", &row.body)
}

/// Encodes the row of an occurrence.
///
/// # Errors
/// [`CodecError::Unstorable`]; no occurrence is known to cause it.
pub fn encode_occurrence(
    workspace: &WorkspaceKey,
    occurrence: &Occurrence,
) -> Result<OccurrenceRow, CodecError> {
    let (session, outcome) = match &occurrence.outcome {
        OccurrenceOutcome::Run(session) => (Some(session.clone()), "ran"),
        OccurrenceOutcome::Skipped(why) => (None, why.word()),
    };
    Ok(OccurrenceRow {
        automation: occurrence.automation.clone(),
        workspace: workspace.clone(),
        at: occurrence.at,
        outcome: outcome.to_owned(),
        session,
        decided_at: occurrence.decided_at,
        body: format_version::write("occurrence", &v1::OccurrenceV1::from(occurrence))?,
    })
}

/// Decodes the occurrence of a row.
///
/// # Errors
/// When a newer Entracte wrote it, or it is damaged.
pub fn decode_occurrence(row: &OccurrenceRow) -> Result<Occurrence, CodecError> {
    format_version::read::<v1::OccurrenceV1, _>("occurrence", &row.body)
}
