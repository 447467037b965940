//! Time ranges in arguments: a relative period counted from the call's reference, or `from` and `until`.

use entracte_application::calendar::CalendarError;
use entracte_application::ports::ActionPlanError;
use entracte_application::texts::say;
use entracte_domain::period::{Period, PeriodFault};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::call_context::ResourceCallContext;
use super::refusal::refused_at;

/// The requested time range; `None` leaves an end open.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InstantRange {
    /// Inclusive start.
    pub(crate) from: Option<Timestamp>,
    /// Exclusive end.
    pub(crate) until: Option<Timestamp>,
}

/// Adds the schemas of the arguments `period`, `from` and `until` to `properties`.
pub(crate) fn arguments(mut properties: Json) -> Json {
    let doc = "offset_TYPE, TYPE one of HOUR, DAY, WEEK, MONTH, YEAR: 0_DAY is today, -1_WEEK last week.";
    properties["period"] = json!({"type": "string", "minLength": 1, "maxLength": 40, "description": doc});
    properties["from"] = instant_schema("Not before");
    properties["until"] = instant_schema("Before");
    properties
}

/// The schema of an instant.
pub(crate) fn instant_schema(doc: &str) -> Json {
    let doc = format!(
        "{doc}, RFC 3339: 2026-11-20T08:30:00Z. Without an offset it is in the workspace's time zone; a date alone is \
         the start of that day."
    );
    json!({"type": "string", "minLength": 1, "maxLength": 64, "description": doc})
}

/// Reads the requested time range from the arguments.
pub(crate) fn requested_range(ask: &ResourceCallContext<'_>) -> Result<InstantRange, ActionPlanError> {
    let Some(text) = ask.text("period") else {
        let (from, until) = (instant(ask, "from")?, instant(ask, "until")?);
        return match (from, until) {
            (Some(from), Some(until)) if until < from => {
                Err(refused(ask, "/until", &PeriodFault::Backwards { from, until }.into()))
            }
            (from, until) => Ok(InstantRange { from, until }),
        };
    };
    if ask.argument("from").is_some() || ask.argument("until").is_some() {
        return Err(refused_at("INVALID_PERIOD", "/period", say!(ask.texts, "resources-two-periods")));
    }
    let resolved = Period::relative(text)
        .map_err(CalendarError::from)
        .and_then(|period| ask.calendar.resolve(&period, ask.request.reference));
    let stretch = resolved.map_err(|fault| refused(ask, "/period", &fault))?;
    Ok(InstantRange { from: Some(stretch.start), until: Some(stretch.end) })
}

impl InstantRange {
    /// `answer` preceded by the instants that were used.
    pub(crate) fn echo_range(self, ask: &ResourceCallContext<'_>, answer: JsonValue) -> JsonValue {
        let bounds = [("from", self.from), ("until", self.until)].into_iter();
        let mut members: Vec<(String, JsonValue)> = bounds
            .filter_map(|(name, at)| {
                Some((name.to_owned(), JsonValue::from(ask.calendar.format_instant(at?))))
            })
            .collect();
        members.extend_from_slice(answer.as_object().unwrap_or_default());
        JsonValue::Object(members)
    }
}

fn instant(ask: &ResourceCallContext<'_>, name: &str) -> Result<Option<Timestamp>, ActionPlanError> {
    let read = ask.text(name).map(|text| ask.calendar.parse_instant(text)).transpose();
    read.map_err(|fault| refused(ask, &format!("/{name}"), &fault))
}

fn refused(ask: &ResourceCallContext<'_>, path: &str, fault: &CalendarError) -> ActionPlanError {
    refused_at("INVALID_PERIOD", path, fault.describe(ask.texts))
}
