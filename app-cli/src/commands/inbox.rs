//! `inbox`: what waits for a person, each with the commands that answer.

use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::{InboxItem, InboxKind};

use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::json::InboxObject;
use crate::render::approval::{card, question};
use crate::render::colour::paint;
use crate::render::rule::width;
use crate::render::text::one_line;
use crate::render::words;

/// Runs `inbox`.
pub(crate) async fn run(desk: &Desk) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let items = wiring.inbox().run(&desk.settings.workspace).await?;
    if desk.out.json {
        desk.out.object(&InboxObject::from(items.as_slice()))?;
        return Ok(Exit::Done);
    }
    let texts = desk.texts(&wiring, &desk.settings.workspace).await?;
    for item in &items {
        desk.out.data(&draw(desk, item, texts))?;
    }
    if items.is_empty() {
        desk.out.say(&say!(texts, "inbox-none", workspace = desk.settings.workspace.as_str()));
    }
    Ok(Exit::Done)
}

fn draw(desk: &Desk, item: &InboxItem, texts: &Texts) -> String {
    let colour = desk.out.style.colour;
    let session = &item.session;
    let head = paint(&format!("{session} “{}”", one_line(&item.name)), "2", colour);
    let body = match &item.kind {
        InboxKind::Approval(approval) => {
            let id = &approval.id;
            let always = width(approval, false, desk.settings.runtime.always_expires)
                .map(|width| format!("\n  entracte approve {id} --always\n    {}", width.trim_start()));
            format!(
                "{}\n  entracte approve {id}\n  entracte reject {id} --reason {text}{always}",
                card(approval, colour, &desk.zone),
                text = say!(texts, "placeholder-text"),
                always = always.unwrap_or_default()
            )
        }
        InboxKind::Question(asked) => {
            let text = say!(texts, "placeholder-text");
            format!("{}\n  entracte answer {session} {text}", question(asked, colour, texts))
        }
        InboxKind::Unsettled(row) => format!(
            "{} {}\n  entracte settle {id} happened\n  entracte settle {id} did-not-happen",
            paint(&say!(texts, "inbox-unknown"), "31;1", colour),
            say!(texts, "inbox-unknown-settle", command = one_line(&row.command)),
            id = row.id
        ),
        InboxKind::Parked(why) => format!(
            "{} {}\n  entracte session resume {session}",
            paint(&words::word("standing", "parked", texts), "33;1", colour),
            one_line(&words::parked(why, texts))
        ),
    };
    format!("{head}\n{body}\n")
}
