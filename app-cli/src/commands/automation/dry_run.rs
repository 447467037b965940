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
    desk: &CommandContext,
    name: &str,
    script: Option<&Path>,
    event: Option<&str>,
    prompt: bool,
) -> Result<CliExitCode, CliError> {
    let plan =
        DryRunOptions { script: script.map(text_of).transpose()?, event: event.map(read).transpose()? };
    let wiring = desk.open_services()?;
    let automation = named(desk, &wiring, name).await?;
    let dry = DryRunAutomation::new(ports(desk, &wiring));
    let played = dry.run(&desk.settings.workspace, &automation, plan).await?;
    if desk.out.json {
        desk.out.write_json_line(&DryRunObject::new(&automation, &played))?;
    } else {
        let texts = desk.texts(&wiring, &desk.settings.workspace).await?;
        let dial = TimeFormatter { zone: &desk.zone, now: Some(wiring.clock.now()) };
        for line in dry_run::lines(&automation, &played, prompt, texts, dial, desk.out.style) {
            desk.out.write_data_line(&line)?;
        }
    }
    Ok(if played.would_work() { CliExitCode::Done } else { CliExitCode::Failure })
}

fn ports(desk: &CommandContext, wiring: &AppServices) -> DryRunPorts {
    DryRunPorts {
        store: wiring.store.clone(),
        log: wiring.log.clone(),
        rows: wiring.rows.clone(),
        automations: wiring.automations.clone(),
        catalog: wiring.catalog(),
        providers: wiring.providers.clone(),
        stages: wiring.dry_stages.clone(),
        clock: wiring.clock.clone(),
        ids: wiring.ids.clone(),
        calculator: Arc::new(CronScheduleCalculator),
        rules: desk.settings.rules.clone(),
        settings: desk.settings.runtime.clone(),
    }
}

fn text_of(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|fault| {
        let file = file.display().to_string();
        let says = message!("cannot-be-read", file = file, why = fault.to_string());
        CliError::new(CliExitCode::NotFound, message!("flag-says", flag = "--script", says = says))
    })
}
