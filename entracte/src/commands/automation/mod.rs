//! `automation`: sessions that run by schedule or event.

mod change;
mod dry_run;
mod history;
mod inspect;
mod policies;
mod run;
mod trigger;
mod watch;

use entracte_adapters_http::shapes::automation::AutomationShape;

use crate::api_client::{ApiClient, ShortIdKind};
use crate::args::AutomationCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;

/// Runs `automation …`.
pub(crate) async fn run(
    context: &CommandContext,
    command: AutomationCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        AutomationCommand::Create(args) => change::create(context, args).await,
        AutomationCommand::List => inspect::list(context).await,
        AutomationCommand::Show { automation } => inspect::show(context, &automation).await,
        AutomationCommand::Edit(args) => change::edit(context, args).await,
        AutomationCommand::Enable { automation } => change::switch(context, &automation, true).await,
        AutomationCommand::Disable { automation } => change::switch(context, &automation, false).await,
        AutomationCommand::Run { automation, event, no_wait } => {
            run::run(context, &automation, event.as_deref(), no_wait).await
        }
        AutomationCommand::DryRun { automation, script, event, prompt } => {
            dry_run::run(context, &automation, script.as_deref(), event.as_deref(), prompt).await
        }
        AutomationCommand::Next { automation, count } => {
            inspect::next(context, &automation, count.into()).await
        }
        AutomationCommand::History(args) => history::run(context, args).await,
        AutomationCommand::Watch => watch::run(context).await,
        AutomationCommand::Delete { automation, force } => change::delete(context, &automation, force).await,
    }
}

/// The automation with this id, id prefix or name, as the API shows it.
async fn named_shape(api: &ApiClient<'_>, named: &str) -> Result<AutomationShape, CliError> {
    let hint = |error: CliError| error.or_next("entracte automation list");
    let id = api.find(ShortIdKind::Automation, named).await.map_err(hint)?;
    api.get(&api.path(&["automations", &id])).await.map_err(hint)
}

/// Prints a single automation as JSON.
fn print_object(context: &CommandContext, shape: AutomationShape) -> Result<CliExitCode, CliError> {
    context.out.write_json_line(&VersionedShape::new("entracte.automation/2", shape))?;
    Ok(CliExitCode::Done)
}
