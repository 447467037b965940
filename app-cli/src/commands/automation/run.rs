//! `automation run`: starts a run now, on request or for an external event.

use entracte_application::texts::say;
use entracte_application::use_cases::RunAutomation;

use super::super::turn::SessionContext;
use super::{finish_request, named};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::RunStartObject;
use crate::render;
use crate::render::automation::activation;
use crate::render::time::TimeFormatter;
use crate::runtime_access::RuntimeAccess;
use crate::user_text::message;

pub(super) async fn run(
    context: &CommandContext,
    name: &str,
    event: Option<&str>,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    let event = event.map(read).transpose()?;
    let services = context.open_services()?;
    let automation = named(context, &services, name).await?;
    let workspace = context.settings.workspace.clone();
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let runs = RunAutomation::new(runtime.clone(), services.ids.clone());
    let made = match runs.run(&workspace, context.settings.author.clone(), &automation.id, event).await {
        Ok(made) => made,
        refused => {
            let again = format!("entracte automation show {}", automation.id);
            return finish_request(context, &services, &runtime, refused)
                .await
                .map(|_| CliExitCode::Done)
                .map_err(|error| error.or_next(again));
        }
    };
    let place = services.slot_place(&workspace, &made.session).await?;
    if context.out.json {
        context.out.write_json_line(&RunStartObject::new(&automation.id, &made, place.as_ref()))?;
    } else {
        context
            .out
            .write_data_line(format!("{}  {}", made.session, activation(made.activation)).trim_end())?;
    }
    let stage =
        SessionContext { context, services, runtime, workspace, session: made.session, stream: false };
    if no_wait && (place.is_some() || !stage.runtime.refresh_is_owner().await) {
        let texts = context.workspace_texts().await;
        context.out.write_notice(&match &place {
            Some(place) => {
                let dial = TimeFormatter { zone: &context.zone, now: Some(stage.services.clock.now()) };
                render::slot_place::place(place, texts, dial)
            }
            None => say!(texts, "recorded-elsewhere"),
        });
        stage.drain_owned_work().await?;
        return Ok(CliExitCode::Done);
    }
    stage.report(0).await
}

/// The event of the flag: JSON, or `@` and a file with it.
pub(super) fn read(flag: &str) -> Result<String, CliError> {
    let Some(file) = flag.strip_prefix('@') else { return Ok(flag.to_owned()) };
    std::fs::read_to_string(file).map_err(|fault| {
        let why = message!("cannot-be-read", file = file, why = fault.to_string());
        let says = message!("flag-says", flag = "--event", says = why);
        CliError::with_next(CliExitCode::NotFound, says, "entracte automation run --help")
    })
}
