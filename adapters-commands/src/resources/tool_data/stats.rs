//! TOOL_STATS: what the entries of a tool come to, in all and day by day.

use std::collections::BTreeMap;

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec, ResourceFilter};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::tally::Tally;
use super::wanted;
use crate::json::number;
use crate::resources::ask::{Ask, living_in};
use crate::resources::command::{Declared, Query, query};
use crate::resources::rows::{ENTRY, Row};
use crate::resources::tool_types::Measure;
use crate::resources::zones::id_schema;
use crate::resources::{periods, scan};

/// The query `tool_data.stats`.
pub(crate) struct Stats;

/// Days shown at most: the latest. The totals are of all.
const MOST_DAYS: usize = 400;

#[async_trait]
impl Query for Stats {
    fn spec(&self) -> CommandSpec {
        let properties = json!({
            "tool_id": id_schema("Id of the tool."),
            "per_day": {"type": "boolean", "description": "Whether to show each day; true when absent."},
        });
        query(Declared {
            word: "TOOL_STATS",
            name: "tool_data.stats",
            properties: periods::arguments(wanted::arguments(properties)),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0", "period": "-1_WEEK"}),
        })
    }

    async fn answer(&self, ask: &Ask<'_>) -> Result<JsonValue, ActionPlanError> {
        let tool = ask.tool("tool_id").await?;
        let bounds = periods::asked(ask)?;
        let wanted = wanted::asked(ask, &tool)?;
        let measures = measures(ask, &tool);
        let filter = ResourceFilter { from: bounds.from, until: bounds.until, ..living_in(ENTRY, tool.id()) };
        let mut counted = Counted::of(measures);
        scan::each(ask, &filter, |entry| {
            if wanted.as_ref().is_none_or(|wanted| wanted.fits(&entry)) {
                counted.add(ask, &entry);
            }
        })
        .await?;
        let per_day = ask.given("per_day").and_then(JsonValue::as_bool).unwrap_or(true);
        Ok(bounds.told(ask, counted.value(per_day)))
    }
}

/// What can be counted of the tool's entries; nothing but the entries where this version does not know its type.
fn measures(ask: &Ask<'_>, tool: &Row) -> Vec<Measure> {
    let known = ask.types.get(tool.tool_type());
    known.map(|known| known.tool_type().measures(tool.member("config"))).unwrap_or_default()
}

/// The tallies of all entries and of those of each day.
struct Counted {
    measures: Vec<Measure>,
    all: Tally,
    days: BTreeMap<String, Tally>,
}

impl Counted {
    fn of(measures: Vec<Measure>) -> Self {
        Self { all: Tally::of(&measures), measures, days: BTreeMap::new() }
    }

    /// An entry without an instant that the calendar knows belongs to no day.
    fn add(&mut self, ask: &Ask<'_>, entry: &Row) {
        self.all.add(&self.measures, entry);
        let day = entry.row.at.and_then(|at| ask.calendar.day_of(at).ok());
        if let Some(day) = day {
            let tally = self.days.entry(day.date).or_insert_with(|| Tally::of(&self.measures));
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

    fn day(&self, date: &str, tally: &Tally) -> JsonValue {
        let mut members = vec![("date".to_owned(), JsonValue::from(date))];
        members.extend(tally.members(&self.measures));
        JsonValue::Object(members)
    }
}

fn len(days: &BTreeMap<String, Tally>) -> u64 {
    u64::try_from(days.len()).unwrap_or(u64::MAX)
}
