//! The text of notifications. Names and titles pass through [`crate::terminal_text`]; call arguments and message texts
//! are only sent to private targets.

use std::collections::BTreeMap;

use entracte_domain::id::{ApprovalId, Digest};
use entracte_domain::time::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{BlockingRun, NotificationCard, NotificationItem, NotificationKind, NotificationTarget};
use crate::calendar::Calendar;
use crate::instant_text::iso;
use crate::journal::AwaitedAct;
use crate::ports::{DeliveryChannel, Notification, NotificationAction};
use crate::system::sha256;
use crate::terminal_text::{block, one_line};
use crate::texts::{LocalizedTexts, say};

/// The maximum length of a title, in characters.
const TITLE_MAX: usize = 120;

/// The context for rendering a message.
#[derive(Clone, Copy)]
pub struct NotificationWording<'a> {
    /// The texts of the target's language.
    pub texts: &'a LocalizedTexts,
    /// The calendar of the workspace, in that language.
    pub calendar: &'a Calendar,
    /// The server's address for browsers; `None` if not configured.
    pub public_url: Option<&'a str>,
    /// The decision links, by approval.
    pub links: &'a BTreeMap<ApprovalId, String>,
    /// The maximum number of items one message names.
    pub named: usize,
}

/// Renders a message of these items for a target; several items are a digest.
pub fn message(
    id: &str,
    target: &NotificationTarget,
    items: &[NotificationItem],
    speaks: NotificationWording<'_>,
    now: Timestamp,
) -> Notification {
    if matches!(target.way, DeliveryChannel::Push { .. }) {
        return push_message(id, target, items, speaks, now);
    }
    let told = |item: &NotificationItem| {
        (kind_of(item), title(target, item, speaks), text(target, item, speaks), data(target, item, speaks))
    };
    let made = |title: String, text: String, click: Option<String>, body: &Value| Notification {
        id: id.to_owned(),
        at: now,
        title,
        text,
        click,
        actions: Vec::new(),
        body: body.to_string(),
    };
    if let [item] = items {
        let (kind, title, text, data) = told(item);
        let click = data["links"]["review"].as_str().or(data["links"]["open"].as_str()).map(str::to_owned);
        let body = json!({ "type": kind, "timestamp": iso(item.since), "data": data });
        return match decision_buttons(target, item, speaks, &text) {
            Some((whole, actions)) => Notification { actions, ..made(title, whole, click, &body) },
            None => made(title, text, click, &body),
        };
    }
    let (mut lines, mut all) = (Vec::new(), Vec::new());
    for item in items.iter().take(speaks.named) {
        let (kind, _, text, data) = told(item);
        lines.push(format!("- {text}"));
        all.push(json!({ "type": kind, "timestamp": iso(item.since), "data": data }));
    }
    let title = say!(speaks.texts, "notify-digest", count = items.len());
    let more = items.len().saturating_sub(all.len());
    if more > 0 {
        lines.push(say!(speaks.texts, "notify-digest-more", count = more));
    }
    let data = json!({
        "workspace": target.workspace.as_str(), "title": title, "count": items.len(), "items": all,
        "links": open_link(speaks, "/inbox"),
    });
    let body = json!({ "type": "digest", "timestamp": iso(now), "data": data });
    let click = speaks.public_url.map(|url| format!("{url}/inbox"));
    made(title, lines.join("\n"), click, &body)
}

/// The message for a browser: how many items there are, and the page of its console that shows them. Their words are in
/// it only if its person asked for them; otherwise the browser words the count in its own language.
fn push_message(
    id: &str,
    target: &NotificationTarget,
    items: &[NotificationItem],
    speaks: NotificationWording<'_>,
    now: Timestamp,
) -> Notification {
    let page = match items {
        [item] => Some(console_page(item)).filter(|page| !page.is_empty()),
        _ => None,
    };
    let workspace = utf8_percent_encode(target.workspace.as_str(), NON_ALPHANUMERIC);
    let page = format!("{}?w={workspace}", page.as_deref().unwrap_or("/inbox"));
    let count = items.len();
    let is_test = matches!(items, [item] if item.kind == NotificationKind::Test);
    let plain = json!({ "id": id, "count": count, "page": page, "test": is_test });
    let (title, text) = match items {
        _ if !is_full(target) => (String::new(), String::new()),
        [item] => (title(target, item, speaks), text(target, item, speaks)),
        _ => {
            let lines = items.iter().take(speaks.named).map(|item| text(target, item, speaks));
            (say!(speaks.texts, "notify-digest", count = count), lines.collect::<Vec<_>>().join("\n"))
        }
    };
    let mut worded = plain.clone();
    if is_full(target) {
        worded["title"] = json!(title);
        worded["text"] = json!(text);
    }
    // Too long for one message: the count alone fits always.
    let body = Some(worded.to_string()).filter(|body| body.len() <= WHOLE_MAX);
    let body = body.unwrap_or_else(|| plain.to_string());
    Notification { id: id.to_owned(), at: now, title, text, click: None, actions: Vec::new(), body }
}

fn kind_of(item: &NotificationItem) -> &'static str {
    item.kind.word()
}

fn title(target: &NotificationTarget, item: &NotificationItem, speaks: NotificationWording<'_>) -> String {
    let name = name(target, item, speaks.texts);
    let title = match &item.card {
        Some(card) => format!("{name}: {}", one_line(&card.command)),
        None if matches!(item.kind, NotificationKind::Unknown | NotificationKind::Failure) => {
            format!("{name}: {}", one_line(&item.word))
        }
        None => text(target, item, speaks),
    };
    title.chars().take(TITLE_MAX).collect()
}

/// The name of an item. Quoted messages are only sent to targets that receive card contents.
fn name(target: &NotificationTarget, item: &NotificationItem, texts: &LocalizedTexts) -> String {
    match item.has_message_name && !is_full(target) {
        true => say!(texts, "notify-chat"),
        false => one_line(&item.name),
    }
}

/// Whether a target receives card contents: it is private, and its person enabled it.
fn is_full(target: &NotificationTarget) -> bool {
    target.wants.is_full && target.wants.is_private
}

/// The sentence for a person.
fn text(target: &NotificationTarget, item: &NotificationItem, speaks: NotificationWording<'_>) -> String {
    let (texts, name) = (speaks.texts, name(target, item, speaks.texts));
    let command = item.card.as_ref().map(|card| one_line(&card.command)).unwrap_or_default();
    let at = match &item.zone {
        Some(zone) => speaks.calendar.in_zone(zone).format_for_people(item.at),
        None => speaks.calendar.format_for_people(item.at),
    };
    let says = match item.kind {
        NotificationKind::Approval => say!(texts, "notify-approval", name = name, command = command),
        NotificationKind::Waits => say!(texts, "notify-waits", name = name, command = command),
        NotificationKind::Question => say!(texts, "notify-question", name = name),
        NotificationKind::Unknown => {
            say!(texts, "notify-unknown", name = name, command = one_line(&item.word))
        }
        NotificationKind::Failure => {
            let approver = one_line(item.person.as_deref().unwrap_or_default());
            say!(texts, "notify-failure", name = name, command = one_line(&item.word), person = approver)
        }
        NotificationKind::Run => say!(texts, "notify-run", name = name, why = why(item, speaks)),
        NotificationKind::Task => say!(texts, "notify-task", name = name, why = why(item, speaks)),
        NotificationKind::Missed => {
            say!(texts, "notify-missed", name = name, at = at, why = why(item, speaks))
        }
        NotificationKind::Rule => say!(texts, "notify-rule", command = name, at = at),
        NotificationKind::Test => say!(texts, "notify-test", name = name),
    };
    match &item.assigned {
        Some(assigned) => say!(texts, "notify-assigned", author = one_line(&assigned.author), says = says),
        None => says,
    }
}

/// How a run ended, or why an occurrence was skipped.
fn why(item: &NotificationItem, speaks: NotificationWording<'_>) -> String {
    if let Some(BlockingRun { session, awaits }) = &item.blocked_by {
        let key = match awaits {
            Some(AwaitedAct::Approval) => "notify-why-behind-approval",
            Some(AwaitedAct::Question) => "notify-why-behind-question",
            Some(AwaitedAct::Person) => "notify-why-behind-person",
            None => "notify-why-behind",
        };
        return say!(speaks.texts, key, run = session.as_str());
    }
    let key = match item.word.as_str() {
        "failed" => "notify-why-failed",
        "limited" => "notify-why-limited",
        "expired" => "notify-why-expired",
        "exhausted" => "notify-why-exhausted",
        "interrupted" => "notify-why-interrupted",
        "quarantined" => "notify-why-quarantined",
        "spending" => "notify-why-spending",
        "too_late" => "notify-why-too-late",
        "superseded" => "notify-why-superseded",
        "overlap" => "notify-why-overlap",
        "unusable" => "notify-why-unusable",
        "contradicted" => "notify-why-contradicted",
        "undelivered" => "notify-why-undelivered",
        other => return other.to_owned(),
    };
    speaks.texts.render(key, &[])
}

fn data(target: &NotificationTarget, item: &NotificationItem, speaks: NotificationWording<'_>) -> Value {
    let mut data = json!({ "workspace": target.workspace.as_str(), "title": title(target, item, speaks) });
    if let Some(session) = &item.session {
        data["session"] = json!(session.as_str());
    }
    if let Some(card) = &item.card {
        data["approval"] = json!(card.approval.as_str());
        if is_full(target) {
            data["card"] = full(card);
        }
    }
    let named = match item.kind {
        NotificationKind::Unknown | NotificationKind::Failure => Some("call"),
        NotificationKind::Task => Some("task"),
        NotificationKind::Missed => Some("automation"),
        NotificationKind::Rule => Some("rule"),
        NotificationKind::Approval
        | NotificationKind::Waits
        | NotificationKind::Question
        | NotificationKind::Run
        | NotificationKind::Test => None,
    };
    if let Some(named) = named {
        data[named] = json!(item.of);
    }
    if let Some(person) = &item.person {
        data["approver"] = json!(person);
    }
    if let Some(assigned) = &item.assigned {
        data["assigned_by"] = json!(assigned.author);
    }
    if let Some(BlockingRun { session, awaits }) = &item.blocked_by {
        let waits_for = awaits.map(AwaitedAct::word);
        data["blocked_by"] = json!({ "session": session.as_str(), "waits_for": waits_for });
    }
    if matches!(item.kind, NotificationKind::Run | NotificationKind::Task | NotificationKind::Missed) {
        data["reason"] = json!(item.word);
    }
    if matches!(item.kind, NotificationKind::Missed | NotificationKind::Rule) {
        data["at"] = json!(iso(item.at));
    }
    let link = item.card.as_ref().and_then(|card| speaks.links.get(&card.approval));
    data["links"] = match link {
        Some(link) => json!({ "review": link }),
        None => open_link(speaks, &console_page(item)),
    };
    data
}

/// The page of the console that shows an item: its approval, its session, the run that it waits for or its automation,
/// else the first page.
fn console_page(item: &NotificationItem) -> String {
    // The automation runs again once a person has acted there.
    if let Some(BlockingRun { session, awaits: Some(_) }) = &item.blocked_by {
        return format!("/sessions/{session}");
    }
    match (&item.card, &item.session, item.kind) {
        (Some(card), _, _) => format!("/inbox/{}", card.approval),
        (None, Some(session), _) => format!("/sessions/{session}"),
        (None, None, NotificationKind::Missed) => format!("/automations/{}", item.of),
        (None, None, _) => String::new(),
    }
}

/// The maximum size of a message with buttons or for a browser, in bytes: ntfy converts messages above 4096 to a file, and
/// push services refuse encrypted ones above 4096.
const WHOLE_MAX: usize = 3000;

/// Adds decision buttons, and the shown card to the text: only for a private target that receives card contents, and
/// only if everything fits.
fn decision_buttons(
    target: &NotificationTarget,
    item: &NotificationItem,
    speaks: NotificationWording<'_>,
    text: &str,
) -> Option<(String, Vec<NotificationAction>)> {
    let is_own = is_full(target) && matches!(target.way, DeliveryChannel::Ntfy { .. });
    let card = item.card.as_ref().filter(|card| is_own && card.is_plain && card.warnings.is_empty())?;
    let (address, secret) = speaks.links.get(&card.approval)?.split_once("/a#")?;
    let nonce = nonce(secret, card.digest.as_ref()?);
    let mut whole = format!("{text}\n\n{}\n{}", block(&card.says), block(&card.arguments));
    if let Some(person) = &card.acts_as {
        let line = say!(speaks.texts, "notify-acts-as", person = one_line(person));
        whole = format!("{whole}\n{line}");
    }
    let action = |decision: &str, key: &str| NotificationAction {
        label: speaks.texts.render(key, &[]),
        url: format!("{address}/v1/links/act"),
        body: json!({ "secret": secret, "nonce": nonce, "decision": decision }).to_string(),
    };
    let actions = vec![action("approve", "notify-approve"), action("reject", "notify-reject")];
    (whole.len() <= WHOLE_MAX).then_some((whole, actions))
}

/// Proves that the card of a link was shown: derived from its secret and the card's digest.
pub fn nonce(secret: &str, digest: &Digest) -> String {
    sha256(format!("entracte link\n{secret}\n{}", digest.as_str()).as_bytes()).to_string()
}

fn open_link(speaks: NotificationWording<'_>, page: &str) -> Value {
    speaks.public_url.map_or_else(|| json!({}), |url| json!({ "open": format!("{url}{page}") }))
}

/// The contents for private targets only.
fn full(card: &NotificationCard) -> Value {
    let warnings: Vec<String> = card.warnings.iter().map(|warning| block(warning)).collect();
    json!({
        "digest": card.digest.as_ref().map(|digest| digest.as_str()),
        "says": block(&card.says),
        "arguments_text": block(&card.arguments),
        "warnings": warnings,
        "expires_at": iso(card.expires_at),
    })
}
