//! `automation`: sessions that run by schedule or event.

mod change;
mod dry_run;
mod history;
mod inspect;
mod policies;
mod run;
mod trigger;
mod watch;

use std::sync::Arc;

use entracte_adapters_http::shapes::automation::{AutomationShape, SeedShape};
use entracte_application::use_cases::{FindAutomation, ShowAutomation, UseCaseError};
use entracte_domain::automation::Automation;

use crate::api_client::{ApiClient, ShortIdKind};
use crate::app_services::AppServices;
use crate::args::AutomationCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::json::VersionedShape;
use crate::runtime_access::RuntimeAccess;

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

fn find(services: &AppServices) -> FindAutomation {
    FindAutomation::new(services.store.clone(), services.automations.clone())
}

/// The automation with this id, id prefix or name.
async fn named(
    context: &CommandContext,
    services: &AppServices,
    named: &str,
) -> Result<Automation, CliError> {
    let found = find(services).run(&context.settings.workspace, named).await;
    found.map_err(|error| CliError::from(error).or_next("entracte automation list"))
}

/// The shape of an automation, with its seed.
async fn shape(
    context: &CommandContext,
    services: &AppServices,
    automation: Automation,
) -> Result<AutomationShape, CliError> {
    let (store, log) = (services.store.clone(), services.log.clone());
    let show = ShowAutomation::new(store, log, services.automations.clone());
    let details = show.run(&context.settings.workspace, automation).await?;
    let begins = Some(SeedShape::from(&details.seed));
    Ok(AutomationShape { begins, ..AutomationShape::from(&details.view) })
}

/// The result of a request, after the work that this process took up as the owner has come to rest.
async fn finish_request<T>(
    context: &CommandContext,
    services: &Arc<AppServices>,
    runtime: &Arc<RuntimeAccess>,
    answer: Result<T, UseCaseError>,
) -> Result<T, CliError> {
    drain_before_exit(services, runtime, |line| context.out.write_notice(line)).await?;
    Ok(answer?)
}
