//! `automation watch`: the scheduler in the foreground, with a line for each event.

use std::sync::Arc;

use entracte_application::journal::Entry;
use entracte_application::ports::FeedEvent;
use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::ListAutomations;
use tokio::sync::broadcast::error::RecvError;

use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::follow::{CtrlC, finish};
use crate::json::EntryObject;
use crate::render::entry::Lines;
use crate::render::time::day;
use crate::way::Way;
use crate::wiring::Wiring;

pub(super) async fn run(desk: &Desk) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let texts = desk.texts(&wiring, &desk.settings.workspace).await?;
    // Asked for before the scheduler starts: what it takes up at once is shown too.
    let mut feed = wiring.feed.subscribe();
    let mut ctrl_c = CtrlC::listen();
    wiring.known_as(desk.kind("watch", None));
    let way = Way::open(wiring.clone()).await?;
    if !way.owns().await {
        let text = say!(texts, "automation-watched-elsewhere");
        return Err(CliError::with_next(Exit::Conflict, text, "entracte automation list"));
    }
    begin(desk, &wiring, texts).await?;
    let lines = desk.lines(desk.out.style, texts);
    loop {
        let told = tokio::select! {
            biased;
            () = ctrl_c.pressed() => break,
            told = feed.recv() => told,
        };
        match told {
            Ok(FeedEvent::Committed { workspace, entry, .. }) if workspace == desk.settings.workspace => {
                show(desk, &lines, &entry)?;
            }
            // The scheduler runs for all workspaces; what it shows is of one.
            Ok(
                FeedEvent::Committed { .. }
                | FeedEvent::Changed { .. }
                | FeedEvent::Said { .. }
                | FeedEvent::Thought { .. },
            ) => {}
            Err(RecvError::Lagged(missed)) => {
                desk.out.say(&say!(texts, "automation-watch-missed", count = missed));
            }
            Err(RecvError::Closed) => break,
        }
    }
    desk.out.say(&say!(texts, "automation-watch-ends"));
    finish(&wiring, &way, |line| desk.out.say(line)).await?;
    Ok(Exit::Done)
}

/// Says what is coming.
async fn begin(desk: &Desk, wiring: &Arc<Wiring>, texts: &Texts) -> Result<(), CliError> {
    let workspace = &desk.settings.workspace;
    let list = ListAutomations::new(wiring.automations.clone()).run(workspace).await?;
    let next = list
        .views
        .iter()
        .filter_map(|view| Some((view.automation.awaits()?, &view.automation)))
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
fn show(desk: &Desk, lines: &Lines, entry: &Entry) -> Result<(), CliError> {
    if desk.out.json {
        let object =
            EntryObject::new(entry).map_err(|fault| CliError::new(Exit::Failure, fault.to_string()))?;
        return desk.out.object(&object);
    }
    desk.out.data(&lines.draw_of_session(entry))
}
