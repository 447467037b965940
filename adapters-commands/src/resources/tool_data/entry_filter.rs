//! Filters entries by name and by the value of one field; their instants are filtered elsewhere.

use entracte_application::ports::ActionPlanError;
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use rust_decimal::Decimal;
use serde_json::{Value as Json, json};

use super::decimal_sum::exact;
use crate::resources::call_context::ResourceCallContext;
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::refusal::refused_at;
use crate::resources::tool_types::{MeasurableField, MeasureScale};

/// The conditions on an entry.
pub(crate) struct EntryFilter {
    name: Option<String>,
    value: Option<(MeasurableField, FieldPredicate)>,
}

enum FieldPredicate {
    Range(Option<Decimal>, Option<Decimal>),
    Equals(JsonValue),
}

const BY_VALUE: [&str; 4] = ["field", "min", "max", "equals"];

/// Adds the schemas of the filter arguments to `properties`.
pub(crate) fn arguments(mut properties: Json) -> Json {
    let text = |doc: &str| json!({"type": "string", "minLength": 1, "maxLength": 120, "description": doc});
    properties["name"] = text("Only entries with this in their name, letter case aside.");
    properties["field"] = text("The field that min, max and equals look at; the main one when absent.");
    properties["min"] = json!({"type": "number", "description": "Only values not below."});
    properties["max"] = json!({"type": "number", "description": "Only values not above."});
    properties["equals"] = json!({
        "type": ["number", "string", "boolean"],
        "description": "Only this value.",
    });
    properties
}

/// The filter that the call requests; `None` selects all entries.
pub(crate) fn requested_filter(
    ask: &ResourceCallContext<'_>,
    tool: &DecodedResource,
) -> Result<Option<EntryFilter>, ActionPlanError> {
    let by_value = BY_VALUE.iter().any(|name| ask.argument(name).is_some());
    let name = ask.text("name").map(str::to_lowercase);
    if name.is_none() && !by_value {
        return Ok(None);
    }
    let value = if by_value { Some(by_value_of(ask, tool)?) } else { None };
    Ok(Some(EntryFilter { name, value }))
}

impl EntryFilter {
    /// Whether the entry meets the conditions.
    pub(crate) fn matches(&self, entry: &DecodedResource) -> bool {
        let named = self.name.as_ref().is_none_or(|part| entry.name().to_lowercase().contains(part));
        named && self.value.as_ref().is_none_or(|(measure, test)| test.holds(measure.of(entry)))
    }
}

impl MeasurableField {
    /// The value of this field in an entry, or the default for an absent one.
    pub(crate) fn of<'a>(&'a self, entry: &'a DecodedResource) -> Option<&'a JsonValue> {
        entry.member("data").get(self.field).or(self.absent.as_ref())
    }
}

impl FieldPredicate {
    fn holds(&self, value: Option<&JsonValue>) -> bool {
        match (self, value) {
            (_, None) => false,
            (FieldPredicate::Range(min, max), Some(value)) => decimal(value).is_some_and(|number| {
                min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
            }),
            (FieldPredicate::Equals(wanted), Some(value)) => match (decimal(wanted), decimal(value)) {
                (Some(wanted), Some(number)) => wanted == number,
                (_, _) => wanted == value,
            },
        }
    }
}

fn decimal(value: &JsonValue) -> Option<Decimal> {
    match value {
        JsonValue::Number(text) => exact(text),
        JsonValue::Null
        | JsonValue::Bool(_)
        | JsonValue::Text(_)
        | JsonValue::List(_)
        | JsonValue::Object(_) => None,
    }
}

fn by_value_of(
    ask: &ResourceCallContext<'_>,
    tool: &DecodedResource,
) -> Result<(MeasurableField, FieldPredicate), ActionPlanError> {
    let measure = measure(ask, tool)?;
    let bounds = (bound(ask, &measure, "min")?, bound(ask, &measure, "max")?);
    let test = match (bounds, ask.argument("equals")) {
        ((None, None), Some(value)) if takes(&measure.scale, value) => FieldPredicate::Equals(value.clone()),
        ((None, None), Some(_)) => return Err(refused(ask, &measure, "equals")),
        ((None, None), None) => {
            return Err(refused_at("INVALID_FILTER", "/field", say!(ask.texts, "resources-filter-empty")));
        }
        ((_, _), Some(_)) => {
            return Err(refused_at("INVALID_FILTER", "/equals", say!(ask.texts, "resources-filter-both")));
        }
        ((Some(min), Some(max)), None) if min > max => {
            return Err(refused_at("INVALID_FILTER", "/min", say!(ask.texts, "resources-fault-bounds")));
        }
        ((min, max), None) => FieldPredicate::Range(min, max),
    };
    Ok((measure, test))
}

fn measure(
    ask: &ResourceCallContext<'_>,
    tool: &DecodedResource,
) -> Result<MeasurableField, ActionPlanError> {
    let known = ask.types.find(ask.texts, tool.tool_type(), "/tool_id")?;
    let measures = known.tool_type().measures(tool.member("config"));
    let fields = measures.iter().map(|measure| measure.field).collect::<Vec<_>>().join(", ");
    let wanted = ask.text("field");
    measures.into_iter().find(|measure| wanted.is_none_or(|field| field == measure.field)).ok_or_else(|| {
        let (tool, given) = (tool.name(), wanted.unwrap_or_default());
        let message = if fields.is_empty() {
            say!(ask.texts, "resources-filter-none", tool = tool)
        } else {
            say!(ask.texts, "resources-filter-field", tool = tool, given = given, fields = fields)
        };
        refused_at("INVALID_FILTER", "/field", message)
    })
}

fn bound(
    ask: &ResourceCallContext<'_>,
    measure: &MeasurableField,
    name: &str,
) -> Result<Option<Decimal>, ActionPlanError> {
    let Some(value) = ask.argument(name) else { return Ok(None) };
    match (&measure.scale, decimal(value)) {
        (MeasureScale::Number(_), Some(bound)) => Ok(Some(bound)),
        (_, _) => Err(refused(ask, measure, name)),
    }
}

fn takes(scale: &MeasureScale, value: &JsonValue) -> bool {
    match scale {
        MeasureScale::Number(_) => decimal(value).is_some(),
        MeasureScale::Choice(_) | MeasureScale::Text => value.as_text().is_some(),
        MeasureScale::Truth => value.as_bool().is_some(),
    }
}

fn refused(ask: &ResourceCallContext<'_>, measure: &MeasurableField, argument: &str) -> ActionPlanError {
    let holds = match measure.scale {
        MeasureScale::Number(_) => say!(ask.texts, "resources-holds-numbers"),
        MeasureScale::Choice(_) | MeasureScale::Text => say!(ask.texts, "resources-holds-texts"),
        MeasureScale::Truth => say!(ask.texts, "resources-holds-truths"),
    };
    let message =
        say!(ask.texts, "resources-filter-unfit", argument = argument, field = measure.field, holds = holds);
    refused_at("INVALID_FILTER", &format!("/{argument}"), message)
}
