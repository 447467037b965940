//! `automation dry-run`: executes a run without side effects.

use std::path::Path;

use entracte_adapters_http::shapes::dry_run::{DryRunShape, NewDryRun};
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use serde::Serialize;

use super::named_shape;
use super::run::read;
use crate::api_client::{ApiClient, post};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::automation::own_zone;
use crate::render::dry_run;
use crate::render::time::TimeFormatter;
use crate::user_text::message;

/// What `automation dry-run --json` prints.
#[derive(Serialize)]
struct DryRunObject {
    automation: String,
    name: String,
    #[serde(flatten)]
    run: DryRunShape,
}

pub(super) async fn run(
    context: &CommandContext,
    name: &str,
    script: Option<&Path>,
    event: Option<&str>,
    prompt: bool,
) -> Result<CliExitCode, CliError> {
    let plan = NewDryRun { script: script.map(text_of).transpose()?, event: event.map(read).transpose()? };
    let api = ApiClient::open(context).await?;
    let automation = named_shape(&api, name).await?;
    let path = api.path(&["automations", &automation.id, "dry-runs"]);
    let played: DryRunShape = api.read_by(post(&path, &plan)).await?;
    let exit = if played.would_work { CliExitCode::Done } else { CliExitCode::Failure };
    if context.out.json {
        let object = DryRunObject { automation: automation.id, name: automation.name, run: played };
        context.out.write_json_line(&VersionedShape::new("entracte.dry-run/1", object))?;
        return Ok(exit);
    }
    let texts = api.texts().await?;
    let zone = own_zone(&automation.trigger, &context.zone);
    let dial = TimeFormatter { zone: &zone, now: Some(SystemClock.now()) };
    for line in dry_run::lines(&automation.name, &played, prompt, texts, dial, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(exit)
}

fn text_of(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|fault| {
        let file = file.display().to_string();
        let says = message!("cannot-be-read", file = file, why = fault.to_string());
        CliError::new(CliExitCode::NotFound, message!("flag-says", flag = "--script", says = says))
    })
}
