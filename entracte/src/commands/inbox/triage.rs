//! `inbox snooze`, `inbox unsnooze`, `inbox assign`: what people note about items of their inbox.

use entracte_adapters_http::shapes::card::InboxShape;
use entracte_adapters_http::shapes::triage::{
    AssignItemsShape, SnoozeItemsShape, TriagedItemShape, TriagedItemsShape, WakeItemsShape,
};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use super::{read_items, read_snoozed_items};
use crate::api_client::{ApiClient, post};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::text::one_line;
use crate::render::time::{moment, shown_instant};
use crate::user_text::message;

/// Where the items are listed.
const LIST: &str = "entracte inbox --list";

/// Snoozes the named items.
pub(super) async fn snooze(
    context: &CommandContext,
    api: &ApiClient<'_>,
    named: &[String],
    until: String,
) -> Result<CliExitCode, CliError> {
    let items = find_items(api, named).await?;
    let done = note(api, "snooze", &SnoozeItemsShape { items, until }).await?;
    let says = |item: &TriagedItemShape, texts: &LocalizedTexts| {
        let until =
            item.triage.as_ref().and_then(|triage| triage.snoozed_until.as_deref()).unwrap_or_default();
        let until = shown_instant(until, |at| moment(at, &context.zone));
        say!(texts, "inbox-snoozed", item = one_line(&item.id), until = until)
    };
    report(context, api, done, says).await
}

/// Ends the snoozes of the named items.
pub(super) async fn wake(
    context: &CommandContext,
    api: &ApiClient<'_>,
    named: &[String],
) -> Result<CliExitCode, CliError> {
    let items = find_items(api, named).await?;
    let done = note(api, "wake", &WakeItemsShape { items }).await?;
    let says = |item: &TriagedItemShape, texts: &LocalizedTexts| {
        say!(texts, "inbox-awake", item = one_line(&item.id))
    };
    report(context, api, done, says).await
}

/// Assigns the named items to a person, or to nobody.
pub(super) async fn assign(
    context: &CommandContext,
    api: &ApiClient<'_>,
    named: &[String],
    person: Option<String>,
) -> Result<CliExitCode, CliError> {
    let items = find_items(api, named).await?;
    let done = note(api, "assign", &AssignItemsShape { items, person }).await?;
    let says = |item: &TriagedItemShape, texts: &LocalizedTexts| {
        let id = one_line(&item.id);
        match item.triage.as_ref().and_then(|triage| triage.assigned.as_ref()) {
            Some(assigned) => {
                say!(texts, "inbox-assigned", item = id, person = one_line(&assigned.person))
            }
            None => say!(texts, "inbox-unassigned", item = id),
        }
    };
    report(context, api, done, says).await
}

async fn note(api: &ApiClient<'_>, act: &str, body: &impl Serialize) -> Result<TriagedItemsShape, CliError> {
    let answer = api.change::<TriagedItemsShape>(post(&api.path(&["inbox", act]), body)).await;
    answer.map_err(|error| error.or_next(LIST))
}

async fn report(
    context: &CommandContext,
    api: &ApiClient<'_>,
    done: TriagedItemsShape,
    says: impl Fn(&TriagedItemShape, &LocalizedTexts) -> String,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.inbox_triage/1", done))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    for item in &done.items {
        context.out.write_notice(&says(item, texts));
    }
    Ok(CliExitCode::Done)
}

/// The ids of the named items, snoozed ones included, or none if one of them is not found.
async fn find_items(api: &ApiClient<'_>, named: &[String]) -> Result<Vec<String>, CliError> {
    let mut items = read_items(api).await?;
    items.extend(read_snoozed_items(api).await?);
    named.iter().map(|named| find_item(&items, named)).collect()
}

/// The id of the item with this name: its id, the id of what it is about (`ses_…`, `cal_…`, `tsk_…`), or the beginning of
/// one of them.
fn find_item(items: &[InboxShape], named: &str) -> Result<String, CliError> {
    let names = |item: &InboxShape| {
        let id = item.id().to_owned();
        let of = id.split_once(':').map(|(_, of)| of.to_owned());
        [Some(id), of]
    };
    let find = |fits: &dyn Fn(&str) -> bool| -> Vec<&InboxShape> {
        items.iter().filter(|item| names(item).iter().flatten().any(|name| fits(name))).collect()
    };
    let exact = find(&|name| name == named);
    let found = if exact.is_empty() { find(&|name| name.starts_with(named)) } else { exact };
    match found.as_slice() {
        [item] => Ok(item.id().to_owned()),
        [] => Err(CliError::with_next(
            CliExitCode::NotFound,
            message!("inbox-item-none", item = one_line(named)),
            LIST,
        )),
        [_, _, ..] => {
            let ids: Vec<&str> = found.iter().map(|item| item.id()).collect();
            let text = message!("inbox-item-many", item = one_line(named), items = ids.join(", "));
            Err(CliError::with_next(CliExitCode::Usage, text, LIST))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: &str, id: &str) -> InboxShape {
        let place = serde_json::json!({
            "kind": kind, "id": id, "session": "ses_a", "session_name": "A", "requester": null, "automation": null,
            "chain": [], "asked_at": "2026-11-20T08:00:00Z", "why": "failed", "says": "", "end_reason": "failed",
            "expired": [],
        });
        serde_json::from_value(place).unwrap()
    }

    /// Input: items, and what people name; expected: the item of that id or of what it is about, and a refusal where several
    /// fit.
    #[test]
    fn item_is_found_by_what_it_is_about() {
        let items =
            [item("parked", "parked:ses_ab"), item("ended", "run:ses_abc"), item("ended", "run:ses_x")];
        let found = |named: &str| find_item(&items, named).map_err(|error| error.exit);
        assert_eq!(found("parked:ses_ab"), Ok("parked:ses_ab".to_owned()));
        assert_eq!(found("ses_ab"), Ok("parked:ses_ab".to_owned()));
        assert_eq!(found("ses_x"), Ok("run:ses_x".to_owned()));
        assert_eq!(found("ses_abc"), Ok("run:ses_abc".to_owned()));
        assert_eq!(found("ses_"), Err(CliExitCode::Usage));
        assert_eq!(found("apr_"), Err(CliExitCode::NotFound));
    }
}
