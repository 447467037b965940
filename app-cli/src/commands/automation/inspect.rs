//! `automation list | show | next`.

use std::sync::Arc;

use entracte_application::calendar::Calendar;
use entracte_application::settings::WorkspaceLocale;
use entracte_application::system::CronScheduleCalculator;
use entracte_application::texts::say;
use entracte_application::use_cases::{AutomationView, ListAutomations, PreviewNextOccurrences, settings_of};
use entracte_domain::automation::{Automation, Trigger};

use super::{named, sheet};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{AutomationObject, AutomationsObject, NextOccurrencesObject};
use crate::render::automation;
use crate::render::listing::table;
use crate::render::time::relative;

pub(super) async fn list(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let list = ListAutomations::new(services.automations.clone()).run(workspace).await?;
    if context.out.json {
        context.out.write_json_line(&AutomationsObject::new(&list))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    if list.views.is_empty() && list.damaged.is_empty() {
        context.out.write_notice(&say!(texts, "automation-none", workspace = workspace.as_str()));
    }
    let row = |view: &AutomationView| automation::row(view, texts, &context.zone);
    let mut rows: Vec<Vec<String>> = list.damaged.iter().map(|one| automation::damaged(one, texts)).collect();
    rows.extend(list.views.iter().map(row));
    let head = ["automation", "name", "state", "when", "next", "last"];
    let head = head.map(|name| texts.render(&format!("automation-fact-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

pub(super) async fn show(context: &CommandContext, name: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let sheet = sheet(context, &services, named(context, &services, name).await?).await?;
    if context.out.json {
        context.out.write_json_line(&AutomationObject::single(&sheet.view, &sheet.seed))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    for line in automation::sheet(&sheet, texts, &context.zone) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

pub(super) async fn next(
    context: &CommandContext,
    name: &str,
    count: usize,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let automation = named(context, &services, name).await?;
    let next = PreviewNextOccurrences::new(Arc::new(CronScheduleCalculator), services.clock.clone());
    let coming = next.run(&automation, count);
    let locale = settings_of(&*services.store, &context.settings.workspace).await?.locale();
    let zone = match &automation.trigger {
        Trigger::Cron { zone, .. } => zone.clone(),
        _ => locale.zone.clone(),
    };
    let calendar = Calendar::from_locale(&WorkspaceLocale { zone: zone.clone(), ..locale });
    if context.out.json {
        context.out.write_json_line(&NextOccurrencesObject::new(&automation, &zone, &coming, &calendar))?;
    } else {
        let texts = context.texts(&services, &context.settings.workspace).await?;
        let now = services.clock.now();
        for at in &coming.instants {
            let relative = relative(*at, now, texts);
            context.out.write_data_line(&format!("{}  {relative}", calendar.format_instant(*at)))?;
        }
        if let Some(words) = remark(context, &services, &automation, coming.instants.is_empty()).await? {
            context.out.write_notice(&words);
        }
    }
    let Some(fault) = coming.fault else { return Ok(CliExitCode::Done) };
    let again = format!("entracte automation edit {} --cron EXPR", automation.id);
    let error = CliError::with_next(CliExitCode::Failure, fault.to_string(), again);
    if context.out.json {
        context.out.write_error_text(&context.localize_error(error.clone()).await);
        return Ok(error.exit);
    }
    Err(error)
}

/// A remark on an automation without scheduled instants.
async fn remark(
    context: &CommandContext,
    services: &crate::app_services::AppServices,
    automation: &Automation,
    is_empty: bool,
) -> Result<Option<String>, CliError> {
    let texts = context.texts(services, &context.settings.workspace).await?;
    let id = automation.id.as_str();
    let name = crate::render::text::one_line(&automation.name);
    Ok(match &automation.trigger {
        Trigger::Event => Some(say!(texts, "automation-comes-event", automation = id, name = name)),
        Trigger::Manual => Some(say!(texts, "automation-comes-asked", automation = id, name = name)),
        _ if !automation.enabled => Some(say!(texts, "automation-comes-off", automation = id, name = name)),
        Trigger::Once { .. } if is_empty => {
            Some(say!(texts, "automation-comes-passed", automation = id, name = name))
        }
        Trigger::Once { .. } | Trigger::Cron { .. } | Trigger::Every { .. } => None,
    })
}
