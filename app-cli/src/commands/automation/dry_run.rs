//! `automation dry-run`: executes a run without side effects.

use std::path::Path;
use std::sync::Arc;

use entracte_application::system::CronScheduleCalculator;
use entracte_application::use_cases::{DryRunAutomation, DryRunOptions, DryRunPorts};

use super::named;
use super::run::read;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::DryRunObject;
use crate::render::dry_run;
use crate::render::time::TimeFormatter;
use crate::user_text::message;

pub(super) async fn run(
    context: &CommandContext,
    name: &str,
    script: Option<&Path>,
    event: Option<&str>,
    prompt: bool,
) -> Result<CliExitCode, CliError> {
    let plan =
        DryRunOptions { script: script.map(text_of).transpose()?, event: event.map(read).transpose()? };
    let services = context.open_services()?;
    let automation = named(context, &services, name).await?;
    let dry = DryRunAutomation::new(ports(context, &services));
    let played = dry.run(&context.settings.workspace, &automation, plan).await?;
    if context.out.json {
        context.out.write_json_line(&DryRunObject::new(&automation, &played))?;
    } else {
        let texts = context.texts(&services, &context.settings.workspace).await?;
        let dial = TimeFormatter { zone: &context.zone, now: Some(services.clock.now()) };
        for line in dry_run::lines(&automation, &played, prompt, texts, dial, context.out.style) {
            context.out.write_data_line(&line)?;
        }
    }
    Ok(if played.would_work() { CliExitCode::Done } else { CliExitCode::Failure })
}

fn ports(context: &CommandContext, services: &AppServices) -> DryRunPorts {
    DryRunPorts {
        store: services.store.clone(),
        log: services.log.clone(),
        rows: services.rows.clone(),
        automations: services.automations.clone(),
        catalog: services.catalog(),
        providers: services.providers.clone(),
        stages: services.dry_stages.clone(),
        clock: services.clock.clone(),
        ids: services.ids.clone(),
        calculator: Arc::new(CronScheduleCalculator),
        rules: context.settings.rules.clone(),
        settings: context.settings.runtime.clone(),
    }
}

fn text_of(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|fault| {
        let file = file.display().to_string();
        let says = message!("cannot-be-read", file = file, why = fault.to_string());
        CliError::new(CliExitCode::NotFound, message!("flag-says", flag = "--script", says = says))
    })
}
