//! TOOL_STATS: statistics of a tool's entries, in total and per day.

use std::collections::BTreeMap;

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec, ResourceFilter};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::entry_filter;
use super::tally::EntryTally;
use crate::json::number;
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, id_schema, query};
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::resource_kinds::ENTRY;
use crate::resources::tool_types::MeasurableField;
use crate::resources::{instant_range, scan};

/// The query `tool_data.stats`.
pub(crate) struct EntryStatsQuery;

/// The most days shown, latest first; the totals include all days.
const MOST_DAYS: usize = 400;

#[async_trait]
impl ResourceQuery for EntryStatsQuery {
    fn spec(&self) -> CommandSpec {
        let properties = json!({
            "tool_id": id_schema("Id of the tool."),
            "per_day": {"type": "boolean", "description": "Whether to show each day; true when absent."},
        });
        query(ResourceCommandDeclaration {
            word: "TOOL_STATS",
            name: "tool_data.stats",
            properties: instant_range::arguments(entry_filter::arguments(properties)),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0", "period": "-1_WEEK"}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let tool = ask.tool("tool_id").await?;
        let bounds = instant_range::requested_range(ask)?;
        let wanted = entry_filter::requested_filter(ask, &tool)?;
        let measures = measures(ask, &tool);
        let filter =
            ResourceFilter { from: bounds.from, until: bounds.until, ..children_of(ENTRY, tool.id()) };
        let mut counted = EntryStatistics::of(measures);
        scan::for_each_row(ask, &filter, |entry| {
            if wanted.as_ref().is_none_or(|wanted| wanted.matches(&entry)) {
                counted.add(ask, &entry);
            }
        })
        .await?;
        let per_day = ask.argument("per_day").and_then(JsonValue::as_bool).unwrap_or(true);
        Ok(bounds.echo_range(ask, counted.value(per_day)))
    }
}

/// The measurable fields of the tool's entries; none if this version does not know its type.
fn measures(ask: &ResourceCallContext<'_>, tool: &DecodedResource) -> Vec<MeasurableField> {
    let known = ask.types.get(tool.tool_type());
    known.map(|known| known.tool_type().measures(tool.member("config"))).unwrap_or_default()
}

/// The tallies of all entries and of each day's entries.
struct EntryStatistics {
    measures: Vec<MeasurableField>,
    all: EntryTally,
    days: BTreeMap<String, EntryTally>,
}

impl EntryStatistics {
    fn of(measures: Vec<MeasurableField>) -> Self {
        Self { all: EntryTally::of(&measures), measures, days: BTreeMap::new() }
    }

    /// An entry without an instant, or outside the calendar's range, belongs to no day.
    fn add(&mut self, ask: &ResourceCallContext<'_>, entry: &DecodedResource) {
        self.all.add(&self.measures, entry);
        let day = entry.row.at.and_then(|at| ask.calendar.day_containing(at).ok());
        if let Some(day) = day {
            let tally = self.days.entry(day.date).or_insert_with(|| EntryTally::of(&self.measures));
            tally.add(&self.measures, entry);
        }
    }

    fn value(&self, per_day: bool) -> JsonValue {
        let mut members = self.all.members(&self.measures);
        if per_day {
            members.push(("days".to_owned(), number(len(&self.days))));
            members.push(("more_days".to_owned(), JsonValue::from(self.days.len() > MOST_DAYS)));
            let shown = self.days.iter().skip(self.days.len().saturating_sub(MOST_DAYS));
            let days = shown.map(|(date, tally)| self.day(date, tally)).collect::<Vec<_>>();
            members.push(("per_day".to_owned(), JsonValue::List(days)));
        }
        JsonValue::Object(members)
    }

    fn day(&self, date: &str, tally: &EntryTally) -> JsonValue {
        let mut members = vec![("date".to_owned(), JsonValue::from(date))];
        members.extend(tally.members(&self.measures));
        JsonValue::Object(members)
    }
}

fn len(days: &BTreeMap<String, EntryTally>) -> u64 {
    u64::try_from(days.len()).unwrap_or(u64::MAX)
}
