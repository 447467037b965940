//! `automation watch`: the scheduler in the foreground, with a line for each event.

use std::pin::pin;
use std::sync::Arc;

use entracte_application::journal::JournalEntry;
use entracte_application::stream::{StreamFrame, StreamReadStart};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::ListAutomations;
use entracte_domain::time::Millis;

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{CtrlCListener, drain_before_exit};
use crate::json::EntryObject;
use crate::render::entry::EntryRenderer;
use crate::render::time::day;
use crate::runtime_access::{OwnershipChange, RuntimeAccess, WATCH};

/// The interval for polling entries of another process.
const LOOK_BESIDE: Millis = Millis(250);

pub(super) async fn run(desk: &CommandContext) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let texts = desk.texts(&wiring, &desk.settings.workspace).await?;
    // Subscribed before the scheduler starts, so that its first events are shown too.
    let workspace = &desk.settings.workspace;
    let mut events = wiring.events().open(workspace, None, StreamReadStart::Now, None).await?;
    let mut ctrl_c = CtrlCListener::listen();
    wiring.set_owner_kind(desk.owner_kind(WATCH, None));
    let way = RuntimeAccess::open(wiring.clone()).await?;
    if !way.refresh_is_owner().await {
        let text = say!(texts, "automation-watched-elsewhere");
        return Err(CliError::with_next(CliExitCode::Conflict, text, "entracte automation list"));
    }
    begin(desk, &wiring, texts).await?;
    let lines = desk.entry_renderer(desk.out.style, texts);
    let mut kept = pin!(way.maintain_ownership(|news| {
        desk.out.write_notice(&match news {
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
                    show(desk, &lines, entry)?;
                }
            }
        }
        tokio::select! {
            biased;
            () = ctrl_c.wait_for_press() => break,
            error = &mut kept => return Err(error),
            () = events.wait_for_change() => {}
            () = wiring.clock.sleep(LOOK_BESIDE) => {
                // A server may have taken the database: its entries are shown all the same.
                if !way.refresh_is_owner().await {
                    events.invalidate();
                }
            }
        }
    }
    desk.out.write_notice(&say!(texts, "automation-watch-ends"));
    drain_before_exit(&wiring, &way, |line| desk.out.write_notice(line)).await?;
    Ok(CliExitCode::Done)
}

/// Shows the upcoming runs.
async fn begin(
    desk: &CommandContext,
    wiring: &Arc<AppServices>,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let workspace = &desk.settings.workspace;
    let list = ListAutomations::new(wiring.automations.clone()).run(workspace).await?;
    let next = list
        .views
        .iter()
        .filter_map(|view| Some((view.automation.next_undecided_occurrence()?, &view.automation)))
        .min_by_key(|(at, automation)| (*at, automation.id.clone()));
    desk.out.write_notice(&match next {
        Some((at, automation)) => say!(
            texts,
            "automation-watch-begins",
            name = crate::render::text::one_line(&automation.name),
            at = day(at, &desk.zone)
        ),
        None => say!(texts, "automation-watch-nothing", workspace = workspace.as_str()),
    });
    Ok(())
}

/// Prints the line of an entry, with its session first.
fn show(desk: &CommandContext, lines: &EntryRenderer, entry: &JournalEntry) -> Result<(), CliError> {
    if desk.out.json {
        let object = EntryObject::new(entry)
            .map_err(|fault| CliError::new(CliExitCode::Failure, fault.to_string()))?;
        return desk.out.write_json_line(&object);
    }
    desk.out.write_data_line(&lines.draw_of_session(entry))
}
