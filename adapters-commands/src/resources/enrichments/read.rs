//! Checks enrichments: against the schema of their kind, then their period.

use entracte_application::calendar::{Calendar, CalendarError};
use entracte_application::ports::SchemaFault;
use entracte_application::schema::Schema;
use entracte_application::settings::SchemaBounds;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::message::{Enrichment, EnrichmentKind};
use entracte_domain::period::Period;
use entracte_domain::value::JsonValue;

use super::reference::{EnrichmentReference, PointerTarget};
use super::schema::kind_schema;
use crate::json::with;
use crate::resources::resource_kinds::ZONE;

/// Parses an enrichment as people write it: an object whose `type` names the kind. Its sentence is still empty.
///
/// # Errors
/// When it does not match the schema, or its period is invalid; each fault with its path.
pub(crate) fn read_enrichment(
    written: &JsonValue,
    calendar: &Calendar,
    texts: &LocalizedTexts,
) -> Result<Enrichment, Vec<SchemaFault>> {
    let kind = kind_of(written, texts).map_err(|fault| vec![fault])?;
    let members = written.as_object().unwrap_or_default().iter();
    let config = JsonValue::Object(members.filter(|(name, _)| name != "type").cloned().collect());
    let enrichment = Enrichment { kind, config, summary: String::new() };
    read_reference(&enrichment, calendar, texts)?;
    Ok(enrichment)
}

/// The reference of an enrichment.
///
/// # Errors
/// When its configuration does not match the schema, or its period is invalid; each fault with its path.
pub(crate) fn read_reference(
    enrichment: &Enrichment,
    calendar: &Calendar,
    texts: &LocalizedTexts,
) -> Result<EnrichmentReference, Vec<SchemaFault>> {
    let Enrichment { kind, config, .. } = enrichment;
    let is_zone =
        *kind == EnrichmentKind::Pointer && config.get("target").and_then(JsonValue::as_text) == Some(ZONE);
    if is_zone && config.get("period").is_some() {
        let text = say!(texts, "enrichment-zone-period");
        return Err(vec![SchemaFault { path: "/period".to_owned(), text }]);
    }
    let faults = schema_faults(*kind, config, texts);
    if !faults.is_empty() {
        return Err(faults);
    }
    let period = config.get("period").map(|period| read_period(period, calendar, texts)).transpose();
    let period = period.map_err(|fault| vec![fault])?;
    let text = |name: &str| config.get(name).and_then(JsonValue::as_text).map(str::to_owned);
    let required = |name: &str| text(name).unwrap_or_default();
    Ok(match kind {
        EnrichmentKind::Pointer if is_zone => {
            EnrichmentReference::Pointer(PointerTarget::Zone { id: required("id") })
        }
        EnrichmentKind::Pointer => {
            EnrichmentReference::Pointer(PointerTarget::Tool { id: required("id"), period })
        }
        EnrichmentKind::Use => EnrichmentReference::Use { tool: required("id"), period },
        EnrichmentKind::Create => {
            EnrichmentReference::Create { tool_type: required("tool_type"), zone: text("zone") }
        }
        EnrichmentKind::ModifyConfig => EnrichmentReference::ModifyConfig { tool: required("id") },
    })
}

fn kind_of(written: &JsonValue, texts: &LocalizedTexts) -> Result<EnrichmentKind, SchemaFault> {
    let kinds = EnrichmentKind::ALL.map(EnrichmentKind::word).join(", ");
    let refused = |path: &str, text| SchemaFault { path: path.to_owned(), text };
    if written.as_object().is_none() {
        return Err(refused("", say!(texts, "enrichment-no-object", kinds = kinds)));
    }
    let Some(given) = written.get("type") else {
        return Err(refused("", say!(texts, "enrichment-no-type", kinds = kinds)));
    };
    given.as_text().and_then(EnrichmentKind::from_word).ok_or_else(|| {
        refused("/type", say!(texts, "enrichment-other-type", given = given.to_json(), kinds = kinds))
    })
}

fn schema_faults(kind: EnrichmentKind, config: &JsonValue, texts: &LocalizedTexts) -> Vec<SchemaFault> {
    let schema = Schema::of_program(kind_schema(kind), &SchemaBounds::WIDEST);
    let written = match config.as_object() {
        Some(_) => with(config, "type", Some(kind.word().into())),
        None => config.clone(),
    };
    match schema.faults(&written, usize::MAX) {
        Ok(found) => {
            found.into_iter().map(|fault| SchemaFault { path: fault.path, text: fault.text }).collect()
        }
        Err(why) => vec![SchemaFault { path: String::new(), text: why.describe(texts) }],
    }
}

fn read_period(
    period: &JsonValue,
    calendar: &Calendar,
    texts: &LocalizedTexts,
) -> Result<Period, SchemaFault> {
    let at = |path: &str| {
        let path = path.to_owned();
        move |fault: CalendarError| SchemaFault { path, text: fault.describe(texts) }
    };
    if let Some(text) = period.as_text() {
        return Period::relative(text).map_err(|fault| at("/period")(fault.into()));
    }
    let instant = |name: &str| {
        let text = period.get(name).and_then(JsonValue::as_text).unwrap_or_default();
        calendar.parse_instant(text).map_err(at(&format!("/period/{name}")))
    };
    let (from, until) = (instant("from")?, instant("until")?);
    Period::between(from, until).map_err(|fault| at("/period/until")(fault.into()))
}
