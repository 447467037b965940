//! Maps references to commands of the catalog: the only such table.

use entracte_application::calendar::{Calendar, CalendarError};
use entracte_domain::command::Command;
use entracte_domain::period::Period;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::reference::{EnrichmentQuery, EnrichmentReference, PointerTarget};
use crate::resources::resource_kinds::{TOOL, ZONE};

/// The reference with its period as two instants, counted from `at` if it is relative.
///
/// # Errors
/// When there are no such instants.
pub(crate) fn resolve_period(
    reference: EnrichmentReference,
    calendar: &Calendar,
    at: Timestamp,
) -> Result<EnrichmentReference, CalendarError> {
    let Some(period) = reference.period() else { return Ok(reference) };
    let stretch = calendar.resolve(&period, at)?;
    Ok(reference.with_period(Period::Absolute { from: stretch.start, until: stretch.end }))
}

/// The queries that a reference stands for, in order, by catalog name.
pub(crate) fn commands_of(reference: &EnrichmentReference, calendar: &Calendar) -> Vec<Command> {
    reference.queries().iter().map(|query| command(query, calendar)).collect()
}

fn command(query: &EnrichmentQuery, calendar: &Calendar) -> Command {
    let (name, mut arguments, period) = match query {
        EnrichmentQuery::Zone { zone } => ("zones.get", vec![text("zone_id", zone)], None),
        EnrichmentQuery::Tool { tool } => ("tools.get", vec![text("tool_id", tool)], None),
        EnrichmentQuery::ToolSchemas { tool } => ("schemas.get", vec![text("tool_id", tool)], None),
        EnrichmentQuery::TypeSchemas { tool_type } => {
            ("schemas.get", vec![text("tool_type", tool_type)], None)
        }
        EnrichmentQuery::Data { tool, period } => ("tool_data.get", vec![text("tool_id", tool)], *period),
        EnrichmentQuery::Stats { tool, period } => ("tool_data.stats", vec![text("tool_id", tool)], *period),
    };
    match period {
        None => {}
        Some(Period::Absolute { from, until }) => {
            arguments.push(text("from", &calendar.format_instant(from)));
            arguments.push(text("until", &calendar.format_instant(until)));
        }
        Some(Period::Relative(relative)) => arguments.push(text("period", &relative.to_string())),
    }
    Command { name: name.to_owned(), arguments: JsonValue::Object(arguments) }
}

/// The enrichment configuration of this reference.
pub(crate) fn config(reference: &EnrichmentReference, calendar: &Calendar) -> JsonValue {
    let mut members = match reference {
        EnrichmentReference::Pointer(PointerTarget::Zone { id }) => {
            vec![text("target", ZONE), text("id", id)]
        }
        EnrichmentReference::Pointer(PointerTarget::Tool { id, .. }) => {
            vec![text("target", TOOL), text("id", id)]
        }
        EnrichmentReference::Use { tool, .. } | EnrichmentReference::ModifyConfig { tool } => {
            vec![text("id", tool)]
        }
        EnrichmentReference::Create { tool_type, zone } => {
            let zone = zone.iter().map(|zone| text("zone", zone));
            std::iter::once(text("tool_type", tool_type)).chain(zone).collect()
        }
    };
    members.extend(reference.period().map(|period| ("period".to_owned(), period_value(period, calendar))));
    JsonValue::Object(members)
}

fn period_value(period: Period, calendar: &Calendar) -> JsonValue {
    match period {
        Period::Relative(relative) => JsonValue::from(relative.to_string()),
        Period::Absolute { from, until } => JsonValue::from([
            ("from", JsonValue::from(calendar.format_instant(from))),
            ("until", JsonValue::from(calendar.format_instant(until))),
        ]),
    }
}

fn text(name: &str, value: &str) -> (String, JsonValue) {
    (name.to_owned(), JsonValue::from(value))
}
