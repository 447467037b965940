//! `automation watch`: the scheduler in the foreground, with a line for each event.

use std::pin::pin;
use std::sync::Arc;

use entracte_application::journal::JournalEntry;
use entracte_application::stream::{StreamFrame, StreamReadStart};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::ListAutomations;
use entracte_domain::time::Millis;

use crate::desk::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{CtrlCListener, finish};
use crate::json::EntryObject;
use crate::render::entry::EntryRenderer;
use crate::render::time::day;
use crate::way::{OwnershipChange, RuntimeAccess, WATCH};
use crate::wiring::AppServices;

/// How often is looked for what another process wrote.
const LOOK_BESIDE: Millis = Millis(250);

pub(super) async fn run(desk: &CommandContext) -> Result<CliExitCode, CliError> {
    let wiring = desk.wire()?;
    let texts = desk.texts(&wiring, &desk.settings.workspace).await?;
    // Asked for before the scheduler starts: what it takes up at once is shown too.
    let workspace = &desk.settings.workspace;
    let mut events = wiring.events().open(workspace, None, StreamReadStart::Now, None).await?;
    let mut ctrl_c = CtrlCListener::listen();
    wiring.known_as(desk.kind(WATCH, None));
    let way = RuntimeAccess::open(wiring.clone()).await?;
    if !way.owns().await {
        let text = say!(texts, "automation-watched-elsewhere");
        return Err(CliError::with_next(CliExitCode::Conflict, text, "entracte automation list"));
    }
    begin(desk, &wiring, texts).await?;
    let lines = desk.lines(desk.out.style, texts);
    let mut kept = pin!(way.keep_owning(|news| {
        desk.out.say(&match news {
            OwnershipChange::Lost => say!(texts, "automation-watch-lost"),
            OwnershipChange::Regained => say!(texts, "automation-watch-regained"),
        });
    }));
    loop {
        // The scheduler runs for all workspaces; what it shows is of one.
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
            () = ctrl_c.pressed() => break,
            error = &mut kept => return Err(error),
            () = events.wait_for_change() => {}
            () = wiring.clock.sleep(LOOK_BESIDE) => {
                // A server may have taken the database: what it writes is shown all the same.
                if !way.owns().await {
                    events.invalidate();
                }
            }
        }
    }
    desk.out.say(&say!(texts, "automation-watch-ends"));
    finish(&wiring, &way, |line| desk.out.say(line)).await?;
    Ok(CliExitCode::Done)
}

/// Says what is coming.
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
    desk.out.say(&match next {
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

/// The line of an entry, after the session it is of.
fn show(desk: &CommandContext, lines: &EntryRenderer, entry: &JournalEntry) -> Result<(), CliError> {
    if desk.out.json {
        let object = EntryObject::new(entry)
            .map_err(|fault| CliError::new(CliExitCode::Failure, fault.to_string()))?;
        return desk.out.object(&object);
    }
    desk.out.data(&lines.draw_of_session(entry))
}
