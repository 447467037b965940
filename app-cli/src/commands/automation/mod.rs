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

use entracte_application::use_cases::{
    AutomationDetails, AutomationUpdate, FindAutomation, ShowAutomation, UseCaseError,
};
use entracte_domain::automation::Automation;

use crate::app_services::AppServices;
use crate::args::AutomationCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::runtime_access::RuntimeAccess;

/// Runs `automation …`.
pub(crate) async fn run(desk: &CommandContext, command: AutomationCommand) -> Result<CliExitCode, CliError> {
    match command {
        AutomationCommand::Create(args) => change::create(desk, args).await,
        AutomationCommand::List => inspect::list(desk).await,
        AutomationCommand::Show { automation } => inspect::show(desk, &automation).await,
        AutomationCommand::Edit(args) => change::edit(desk, args).await,
        AutomationCommand::Enable { automation } => change::change(desk, &automation, enabled(true)).await,
        AutomationCommand::Disable { automation } => change::change(desk, &automation, enabled(false)).await,
        AutomationCommand::Run { automation, event, no_wait } => {
            run::run(desk, &automation, event.as_deref(), no_wait).await
        }
        AutomationCommand::DryRun { automation, script, event, prompt } => {
            dry_run::run(desk, &automation, script.as_deref(), event.as_deref(), prompt).await
        }
        AutomationCommand::Next { automation, count } => inspect::next(desk, &automation, count.into()).await,
        AutomationCommand::History(args) => history::run(desk, args).await,
        AutomationCommand::Watch => watch::run(desk).await,
        AutomationCommand::Delete { automation, force } => change::delete(desk, &automation, force).await,
    }
}

fn enabled(enabled: bool) -> AutomationUpdate {
    AutomationUpdate { enabled: Some(enabled), ..AutomationUpdate::default() }
}

fn find(wiring: &AppServices) -> FindAutomation {
    FindAutomation::new(wiring.store.clone(), wiring.automations.clone())
}

/// The automation with this id, id prefix or name.
async fn named(desk: &CommandContext, wiring: &AppServices, named: &str) -> Result<Automation, CliError> {
    let found = find(wiring).run(&desk.settings.workspace, named).await;
    found.map_err(|error| CliError::from(error).or_next("entracte automation list"))
}

/// The sheet of an automation, with its seed.
async fn sheet(
    desk: &CommandContext,
    wiring: &AppServices,
    automation: Automation,
) -> Result<AutomationDetails, CliError> {
    let (store, log) = (wiring.store.clone(), wiring.log.clone());
    let show = ShowAutomation::new(store, log, wiring.automations.clone());
    Ok(show.run(&desk.settings.workspace, automation).await?)
}

/// The result of a request, after the work that this process took up as the owner has come to rest.
async fn finish_request<T>(
    desk: &CommandContext,
    wiring: &Arc<AppServices>,
    way: &Arc<RuntimeAccess>,
    answer: Result<T, UseCaseError>,
) -> Result<T, CliError> {
    drain_before_exit(wiring, way, |line| desk.out.write_notice(line)).await?;
    Ok(answer?)
}
