//! `automation watch`: the scheduler in the foreground, with a line for each event; on a server, what its scheduler does.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use entracte_adapters_http::shapes::instant;
use entracte_application::journal::JournalEntry;
use entracte_application::stream::{StreamFrame, StreamReadStart};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Millis;

use super::inspect::read_all;
use crate::api_client::ApiClient;
use crate::api_follow::WorkspaceStream;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{CtrlCListener, drain_before_exit};
use crate::json::entry_object;
use crate::render::automation::own_zone;
use crate::render::entry::EntryRenderer;
use crate::render::time::day;
use crate::runtime_access::{OwnershipChange, RuntimeAccess, WATCH};

/// The interval for polling entries of another process.
const LOOK_BESIDE: Millis = Millis(250);

pub(super) async fn run(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match api.services() {
        Some(services) => run_scheduler(context, &api, services.clone()).await,
        None => watch_server(context, &api).await,
    }
}

/// Runs what is due in this process, and shows it.
async fn run_scheduler(
    context: &CommandContext,
    api: &ApiClient<'_>,
    services: Arc<AppServices>,
) -> Result<CliExitCode, CliError> {
    let texts = api.texts().await?;
    // Subscribed before the scheduler starts, so that its first events are shown too.
    let workspace = &context.settings.workspace;
    let mut events = services.events().open(workspace, None, StreamReadStart::Now, None).await?;
    let mut ctrl_c = CtrlCListener::listen();
    services.set_owner_kind(context.owner_kind(WATCH, None));
    let runtime = RuntimeAccess::open(services.clone()).await?;
    if !runtime.refresh_is_owner().await {
        let text = say!(texts, "automation-watched-elsewhere");
        return Err(CliError::with_next(CliExitCode::Conflict, text, "entracte automation list"));
    }
    begin(context, api, texts).await?;
    let lines = context.entry_renderer(context.out.style, texts);
    let mut kept = pin!(runtime.maintain_ownership(|news| {
        context.out.write_notice(&match news {
            OwnershipChange::Lost => say!(texts, "automation-watch-lost"),
            OwnershipChange::Regained => say!(texts, "automation-watch-regained"),
        });
    }));
    loop {
        // The scheduler runs all workspaces; the display shows one.
        loop {
            let told = events.read_available(false).await?;
            if told.is_empty() {
                break;
            }
            for told in &told {
                if let StreamFrame::Entry(entry) = &told.frame {
                    show(context, &lines, entry)?;
                }
            }
        }
        tokio::select! {
            biased;
            () = ctrl_c.wait_for_press() => break,
            error = &mut kept => return Err(error),
            () = events.wait_for_change() => {}
            () = services.clock.sleep(LOOK_BESIDE) => {
                // A server may have taken the database: its entries are shown all the same.
                if !runtime.refresh_is_owner().await {
                    events.invalidate();
                }
            }
        }
    }
    context.out.write_notice(&say!(texts, "automation-watch-ends"));
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    Ok(CliExitCode::Done)
}

/// Shows what a server runs.
async fn watch_server(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let texts = api.texts().await?;
    let mut ctrl_c = CtrlCListener::listen();
    tokio::select! {
        biased;
        () = ctrl_c.wait_for_press() => {}
        ended = show_entries(context, api, texts) => match ended? {},
    }
    context.out.write_notice(&say!(texts, "automation-watch-ends-server"));
    Ok(CliExitCode::Done)
}

/// Shows the entries of a server, for as long as it is polled. A server that is away is waited for, also before the first one.
async fn show_entries(
    context: &CommandContext,
    api: &ApiClient<'_>,
    texts: &'static LocalizedTexts,
) -> Result<Infallible, CliError> {
    // Opened before the coming run is read, so that it is shown too.
    let mut stream = WorkspaceStream::open(api).await?;
    begin(context, api, texts).await?;
    let lines = context.entry_renderer(context.out.style, texts);
    loop {
        show(context, &lines, &stream.next().await?)?;
    }
}

/// Shows the upcoming runs.
async fn begin(
    context: &CommandContext,
    api: &ApiClient<'_>,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let automations = read_all(api).await?.automations;
    let next = automations
        .iter()
        .filter_map(|automation| Some((instant(automation.next_at.as_deref()?)?, automation)))
        .min_by_key(|(at, automation)| (*at, automation.id.clone()));
    context.out.write_notice(&match next {
        Some((at, automation)) => say!(
            texts,
            "automation-watch-begins",
            name = crate::render::text::one_line(&automation.name),
            at = day(at, &own_zone(&automation.trigger, &context.zone))
        ),
        None => say!(texts, "automation-watch-nothing", workspace = api.workspace().as_str()),
    });
    Ok(())
}

/// Prints the line of an entry, with its session first.
fn show(context: &CommandContext, lines: &EntryRenderer, entry: &JournalEntry) -> Result<(), CliError> {
    if context.out.json {
        return context.out.write_json_line(&entry_object(entry)?);
    }
    context.out.write_data_line(&lines.draw_of_session(entry))
}
