//! `automation history`: of one automation, or the last 24 hours of all.

use std::collections::HashMap;

use entracte_adapters_http::shapes::automation::{AutomationShape, OccurrenceShape};
use entracte_adapters_http::shapes::{self, iso};
use entracte_application::calendar::Calendar;
use entracte_application::texts::say;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::trigger;
use crate::api_client::{ApiClient, ShortIdKind};
use crate::args::AutomationHistoryArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::automation::{FoldedOccurrences, fold_occurrences, own_zone, past_occurrence_row};
use crate::render::listing::table;

/// The default number of occurrences of one automation.
const OF_ONE: u32 = 20;
/// The default number of occurrences of all automations.
const OF_ALL: u32 = 200;
pub(super) async fn run(
    context: &CommandContext,
    args: AutomationHistoryArgs,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let calendar = Calendar::from_locale(&api.locale().await?);
    let texts = api.texts().await?;
    let instant = |flag: &str, text: &Option<String>| {
        let read = |text: &str| trigger::instant(&calendar, flag, text, texts);
        let read = text.as_deref().map(read).transpose();
        // Parsed like a trigger's instant, whose help would be another one.
        read.map_err(|error| error.replace_next("entracte automation history --help"))
    };
    let (before, since) = (instant("--before", &args.before)?, instant("--since", &args.since)?);
    let before = before.map(iso);
    let Some(named) = &args.automation else {
        // Without an instant the API lists those of the last 24 hours.
        let path = api.path(&["occurrences"]).with_some("since", since.map(iso).as_deref());
        let path = path.with_some("before", before.as_deref());
        let all: Vec<OccurrenceShape> = api.list_first(&path, args.limit.unwrap_or(OF_ALL) as usize).await?;
        if context.out.json {
            return print_object(context, None, all);
        }
        if all.is_empty() {
            let workspace = api.workspace().as_str();
            context.out.write_notice(&say!(texts, "automation-no-history-all", workspace = workspace));
        }
        let zones = AutomationZones::read(&api, &context.zone).await?;
        let row = |one: &FoldedOccurrences<'_>| {
            let name = one.latest.name.clone().unwrap_or_default();
            [vec![name], past_occurrence_row(one, texts, zones.zone(&one.latest.automation))].concat()
        };
        let rows: Vec<Vec<String>> = fold_occurrences(&all).iter().map(row).collect();
        return print(context, texts, &[&["name"], &HEAD[..]].concat(), &rows);
    };
    let id = match api.find(ShortIdKind::Automation, named).await {
        Ok(id) => id,
        // A deleted one is given in full.
        Err(error) if error.exit == CliExitCode::NotFound => {
            let past = api.path(&["automations", named, "occurrences"]);
            let past: Result<Vec<OccurrenceShape>, CliError> = api.list_first(&past, 1).await;
            past.map_err(|_| error.or_next("entracte automation list"))?;
            named.clone()
        }
        Err(error) => return Err(error.or_next("entracte automation list")),
    };
    let path = api.path(&["automations", &id, "occurrences"]).with_some("before", before.as_deref());
    let mut found: Vec<OccurrenceShape> =
        api.list_first(&path, args.limit.unwrap_or(OF_ONE) as usize).await?;
    let is_late = |at: &str| since.is_none_or(|since| shapes::instant(at).is_some_and(|at| at >= since));
    found.retain(|one| is_late(&one.decided_at));
    if context.out.json {
        return print_object(context, Some(id), found);
    }
    if found.is_empty() {
        context.out.write_notice(&say!(texts, "automation-no-history", automation = id.as_str()));
    }
    let zones = AutomationZones::read(&api, &context.zone).await?;
    let row = |one: &FoldedOccurrences<'_>| past_occurrence_row(one, texts, zones.zone(&id));
    let rows: Vec<Vec<String>> = fold_occurrences(&found).iter().map(row).collect();
    print(context, texts, &HEAD, &rows)
}

/// The zones of the automations' own times.
struct AutomationZones<'a> {
    by_id: HashMap<String, TimeZone>,
    workspace: &'a TimeZone,
}

impl<'a> AutomationZones<'a> {
    async fn read(api: &ApiClient<'_>, workspace: &'a TimeZone) -> Result<Self, CliError> {
        let all: Vec<AutomationShape> = api.list(&api.path(&["automations"])).await?;
        let zone = |shape: AutomationShape| (shape.id, own_zone(&shape.trigger, workspace));
        Ok(Self { by_id: all.into_iter().map(zone).collect(), workspace })
    }

    /// The zone of an automation; the workspace's for a deleted one.
    fn zone(&self, automation: &str) -> &TimeZone {
        self.by_id.get(automation).unwrap_or(self.workspace)
    }
}

/// What `automation history --json` prints: the results of the occurrences of one automation or all, latest first.
#[derive(Serialize)]
struct AutomationHistoryObject {
    /// Null if it is about all automations.
    automation: Option<String>,
    occurrences: Vec<OccurrenceShape>,
}

fn print_object(
    context: &CommandContext,
    automation: Option<String>,
    occurrences: Vec<OccurrenceShape>,
) -> Result<CliExitCode, CliError> {
    let object = AutomationHistoryObject { automation, occurrences };
    context.out.write_json_line(&VersionedShape::new("entracte.history/1", object))?;
    Ok(CliExitCode::Done)
}

const HEAD: [&str; 7] = ["occurrence", "cause", "version", "decided", "outcome", "session", "run"];

fn print(
    context: &CommandContext,
    texts: &entracte_application::texts::LocalizedTexts,
    head: &[&str],
    rows: &[Vec<String>],
) -> Result<CliExitCode, CliError> {
    let head: Vec<String> =
        head.iter().map(|name| texts.render(&format!("automation-fact-{name}"), &[])).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    for line in table(&head, rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}
