//! `automation history`: of one automation, or the last 24 hours of all.

use entracte_adapters_http::shapes::automation::OccurrenceShape;
use entracte_application::calendar::Calendar;
use entracte_application::texts::say;
use entracte_application::use_cases::{OccurrenceView, ReadAutomationHistory, settings_of};
use entracte_domain::time::Millis;

use super::{find, trigger};
use crate::args::AutomationHistoryArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::AutomationHistoryObject;
use crate::render::automation::past_occurrence_row;
use crate::render::listing::table;

/// The default number of occurrences of one automation.
const OF_ONE: u32 = 20;
/// The default number of occurrences of all automations.
const OF_ALL: u32 = 200;
/// The default time span for all automations.
const NIGHT: Millis = Millis::hours(24);

pub(super) async fn run(
    context: &CommandContext,
    args: AutomationHistoryArgs,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let locale = settings_of(&*services.store, workspace).await?.locale();
    let texts = context.texts(&services, workspace).await?;
    let calendar = Calendar::from_locale(&locale);
    let instant = |flag: &str, text: &Option<String>| {
        let read = |text: &str| trigger::instant(&calendar, flag, text, texts);
        let read = text.as_deref().map(read).transpose();
        // Parsed like a trigger's instant, whose help would be another one.
        read.map_err(|error| error.replace_next("entracte automation history --help"))
    };
    let (before, since) = (instant("--before", &args.before)?, instant("--since", &args.since)?);
    let history = ReadAutomationHistory::new(services.store.clone(), services.automations.clone());
    let Some(named) = &args.automation else {
        let from = since.unwrap_or_else(|| services.clock.now().plus(Millis(-NIGHT.0)));
        let all = history.run_for_all(workspace, from, before, args.limit.unwrap_or(OF_ALL)).await?;
        if context.out.json {
            let shape = |(name, past): (String, OccurrenceView)| OccurrenceShape {
                name: Some(name),
                ..OccurrenceShape::from(&past)
            };
            let past = all.into_iter().map(shape).collect();
            context.out.write_json_line(&AutomationHistoryObject::new(None, past))?;
            return Ok(CliExitCode::Done);
        }
        if all.is_empty() {
            context.out.write_notice(&say!(
                texts,
                "automation-no-history-all",
                workspace = workspace.as_str()
            ));
        }
        let rows: Vec<Vec<String>> = all
            .iter()
            .map(|(name, one)| {
                [vec![name.clone()], past_occurrence_row(&one.into(), texts, &context.zone)].concat()
            })
            .collect();
        return print(context, texts, &[&["name"], &HEAD[..]].concat(), &rows);
    };
    let id = find(&services).find_deleted(workspace, named).await;
    let id = id.map_err(|error| CliError::from(error).or_next("entracte automation list"))?;
    let mut found = history.run(workspace, &id, before, args.limit.unwrap_or(OF_ONE)).await?;
    found.retain(|one| since.is_none_or(|since| one.occurrence.decided_at >= since));
    if context.out.json {
        let past = found.iter().map(OccurrenceShape::from).collect();
        context.out.write_json_line(&AutomationHistoryObject::new(Some(&id), past))?;
        return Ok(CliExitCode::Done);
    }
    if found.is_empty() {
        context.out.write_notice(&say!(texts, "automation-no-history", automation = id.as_str()));
    }
    let rows: Vec<Vec<String>> =
        found.iter().map(|one| past_occurrence_row(&one.into(), texts, &context.zone)).collect();
    print(context, texts, &HEAD, &rows)
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
