//! `inbox`: what waits for a person, each with the commands that answer.

use entracte_application::use_cases::{InboxItem, InboxKind};

use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::json::InboxObject;
use crate::render::approval::{card, question};
use crate::render::colour::paint;
use crate::render::text::one_line;
use crate::render::words::parked;

/// Runs `inbox`.
pub(crate) async fn run(desk: &Desk) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let items = wiring.inbox().run(&desk.settings.workspace).await?;
    if desk.out.json {
        desk.out.object(&InboxObject::from(items.as_slice()))?;
        return Ok(Exit::Done);
    }
    for item in &items {
        desk.out.data(&draw(desk, item))?;
    }
    if items.is_empty() {
        desk.out.say(&format!("nothing waits for you in {}", desk.settings.workspace));
    }
    Ok(Exit::Done)
}

fn draw(desk: &Desk, item: &InboxItem) -> String {
    let colour = desk.out.style.colour;
    let session = &item.session;
    let head = paint(&format!("{session} “{}”", one_line(&item.name)), "2", colour);
    let body = match &item.kind {
        InboxKind::Approval(approval) => format!(
            "{}\n  entracte approve {id}\n  entracte reject {id} --reason TEXT",
            card(approval, colour, &desk.zone),
            id = approval.id
        ),
        InboxKind::Question(asked) => {
            format!("{}\n  entracte answer {session} TEXT", question(asked, colour))
        }
        InboxKind::Unsettled(row) => format!(
            "{} nobody knows whether {} happened; look, then say\n  entracte settle {id} happened\n  \
             entracte settle {id} absent",
            paint("unknown outcome", "31;1", colour),
            one_line(&row.command),
            id = row.id
        ),
        InboxKind::Parked(why) => format!(
            "{} {}\n  entracte session resume {session}",
            paint("parked", "33;1", colour),
            one_line(&parked(why))
        ),
    };
    format!("{head}\n{body}\n")
}
