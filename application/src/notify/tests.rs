//! The time and content of notifications: input, then the expected result.

use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::id::{ApprovalId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;
use serde_json::Value;

use super::*;
use crate::calendar::Calendar;
use crate::journal::AwaitedAct;
use crate::ports::{DeliveryChannel, DeliveryOutcome, OutboxRow, OutboxState, SecretReference};
use crate::settings::{Language, NotifySettings, WorkspaceLocale};
use crate::texts::LocalizedTexts;

/// 2026-11-20T12:00:00Z.
const NOON: Timestamp = Timestamp(1_795_176_000_000_000);

fn target(wants: TargetPreferences) -> NotificationTarget {
    let secret = SecretReference::Environment("HOOK".into());
    NotificationTarget {
        id: "tgt_1".into(),
        workspace: WorkspaceKey::new("ann:home"),
        name: "phone".into(),
        person: "ann".into(),
        way: DeliveryChannel::Webhook { url: "https://hook.example/x".into(), secret },
        wants,
        is_operators: true,
    }
}

fn approval() -> NotificationItem {
    let card = NotificationCard {
        approval: ApprovalId::new("apr_k1_3_0"),
        digest: Some(Digest::new("d1")),
        command: "pay.send".into(),
        says: "Pays 40 € to Bob".into(),
        arguments: r#"{"to":"bob","amount":40}"#.into(),
        acts_as: Some("ann".into()),
        warnings: Vec::new(),
        is_plain: true,
        expires_at: NOON.plus(Millis::hours(48)),
    };
    NotificationItem {
        session: Some(SessionId::new("ses_k1")),
        card: Some(card),
        ..NotificationItem::new("apr_k1_3_0@d1".into(), NotificationKind::Approval, NOON, "Billing")
    }
}

fn rows(wants: TargetPreferences, items: &[NotificationItem], now: Timestamp) -> Vec<OutboxRow> {
    let mut count = 0;
    let id = || {
        count += 1;
        format!("ntf_{count}")
    };
    new_rows(&target(wants), items, now, &NotifySettings::default(), id)
}

/// Plans with sequential ids and no jitter.
fn planned(
    due: Vec<OutboxRow>,
    wants: TargetPreferences,
    standing: &[&str],
    zone: &str,
    now: Timestamp,
) -> NotificationPlan {
    let targets = BTreeMap::from([("tgt_1".to_owned(), target(wants))]);
    let standing: BTreeSet<String> = standing.iter().map(|item| (*item).to_owned()).collect();
    let (zone, settings) = (TimeZone::get(zone).unwrap(), NotifySettings::default());
    let known = NotificationPlanContext {
        targets: &targets,
        standing: &standing,
        zone: &zone,
        now,
        settings: &settings,
    };
    plan(due, known, || "ntf_together".into(), |_| Millis(0))
}

/// Input: an approval, and the news that eve assigned it to ann or to bob; expected: ann's target gets the first, which says
/// who assigned it.
#[test]
fn assignment_is_told_to_its_person_alone() {
    let all = TargetPreferences::default;
    let (to_ann, to_bob) = (approval().assigned("ann", "eve", NOON), approval().assigned("bob", "eve", NOON));
    let told: Vec<String> =
        rows(all(), &[approval(), to_ann.clone(), to_bob], NOON).into_iter().map(|row| row.item).collect();
    let expected = format!("apr_k1_3_0@d1:assigned:{}", NOON.0);
    assert_eq!(told, ["apr_k1_3_0@d1".to_owned(), expected]);

    let (body, told) = worded(all(), &[to_ann], Language::En);
    assert_eq!(told.text, "eve assigned this to you: “Billing” needs your approval: pay.send");
    assert_eq!(body["type"], "approval.requested");
    assert_eq!(body["data"]["assigned_by"], "eve");
}

/// Input: an approval that only bob may give, and that escalates to ann after four hours; expected: ann's target gets the second
/// alone, at that time.
#[test]
fn escalation_is_told_to_its_people_at_its_time() {
    let bobs = NotificationItem { audience: Some(vec!["bob".into()]), ..approval() };
    let later = NOON.plus(Millis::hours(4));
    let escalated = bobs.escalated(vec!["ann".into()], later).unwrap();
    let told = rows(TargetPreferences::default(), &[bobs.clone(), escalated], NOON);
    let told: Vec<(&str, &str, Timestamp)> =
        told.iter().map(|row| (row.item.as_str(), row.kind.as_str(), row.due_at)).collect();
    let id = format!("escalated:apr_k1_3_0:{}", later.0);
    assert_eq!(told, [(id.as_str(), "approval.waits", later)]);
    let reminder = bobs.reminder(Millis::hours(1)).unwrap();
    assert_eq!(reminder.audience, bobs.audience, "whoever may approve is reminded");
}

#[test]
fn target_gets_wanted_new_items_only() {
    let question =
        NotificationItem::new("question:ses_k1:1".into(), NotificationKind::Question, NOON, "Billing");
    let old = NotificationItem::new(
        "question:ses_k0:1".into(),
        NotificationKind::Question,
        NOON.plus(Millis::hours(-24 * 31)),
        "Old",
    );
    let items = [approval(), question, old];
    let told = |kinds: Vec<NotificationKind>| -> Vec<String> {
        rows(TargetPreferences { kinds, ..TargetPreferences::default() }, &items, NOON)
            .into_iter()
            .map(|row| row.item)
            .collect()
    };
    assert_eq!(told(Vec::new()), ["apr_k1_3_0@d1", "question:ses_k1:1"]);
    assert_eq!(told(vec![NotificationKind::Approval]), ["apr_k1_3_0@d1"]);
    assert_eq!(told(vec![NotificationKind::Run]), Vec::<String>::new());
}

#[test]
fn waiting_approval_gets_one_reminder() {
    let reminder = approval().reminder(Millis::hours(1)).unwrap();
    assert_eq!((reminder.id.as_str(), reminder.kind), ("waits:apr_k1_3_0:1h", NotificationKind::Waits));
    assert_eq!(rows(TargetPreferences::default(), &[reminder], NOON)[0].due_at, NOON.plus(Millis::hours(1)));
    let late = approval().reminder(Millis::hours(1)).unwrap();
    let row = &rows(TargetPreferences::default(), &[late], NOON.plus(Millis::hours(3)))[0];
    assert_eq!(row.due_at, NOON.plus(Millis::hours(4)), "not beside what it reminds of");
    assert_eq!(approval().reminder(Millis(0)), None);
    let question =
        NotificationItem::new("question:ses_k1:1".into(), NotificationKind::Question, NOON, "Billing");
    assert_eq!(question.reminder(Millis::hours(1)), None);
}

#[test]
fn gathered_items_are_sent_together_at_end() {
    let wants = || TargetPreferences { gather: Millis::minutes(15), ..TargetPreferences::default() };
    let question =
        NotificationItem::new("question:ses_k1:1".into(), NotificationKind::Question, NOON, "Billing");
    let first = rows(wants(), &[approval()], NOON.plus(Millis::minutes(1)));
    let second = rows(wants(), &[question], NOON.plus(Millis::minutes(14)));
    let end = NOON.plus(Millis::minutes(15));
    assert_eq!((first[0].due_at, second[0].due_at), (end, end));
    let due = vec![first[0].clone(), OutboxRow { id: "ntf_2".into(), ..second[0].clone() }];
    let made = planned(due, wants(), &["apr_k1_3_0@d1", "question:ses_k1:1"], "UTC", end);
    let ids: Vec<(&str, usize)> =
        made.messages.iter().map(|message| (message.id.as_str(), message.rows.len())).collect();
    assert_eq!(ids, [("ntf_together", 2)]);
}

#[test]
fn settled_item_is_dropped_retry_keeps_id() {
    let due = rows(TargetPreferences::default(), &[approval()], NOON);
    let settled = planned(due.clone(), TargetPreferences::default(), &[], "UTC", NOON);
    assert_eq!((settled.messages.len(), settled.changed[0].state), (0, OutboxState::Dropped));

    let first =
        planned(due, TargetPreferences::default(), &["apr_k1_3_0@d1"], "UTC", NOON).messages.remove(0);
    let row = &first.rows[0];
    assert_eq!((first.id.as_str(), row.message.as_deref(), row.attempts), ("ntf_1", Some("ntf_1"), 1));
    assert_eq!(row.due_at, NOON.plus(Millis::seconds(5)), "written down before it goes out");
    // After a crash it is sent again with the same id.
    let again =
        planned(first.rows.clone(), TargetPreferences::default(), &["apr_k1_3_0@d1"], "UTC", row.due_at);
    assert_eq!((again.messages[0].id.as_str(), again.messages[0].rows[0].attempts), ("ntf_1", 2));
}

#[test]
fn simultaneously_due_items_form_one_message() {
    let item = |number: u32| {
        NotificationItem::new(format!("question:ses_{number}:1"), NotificationKind::Question, NOON, "Q")
    };
    let made = |count: u32| {
        let items: Vec<NotificationItem> = (0..count).map(item).collect();
        let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        planned(
            rows(TargetPreferences::default(), &items, NOON),
            TargetPreferences::default(),
            &ids,
            "UTC",
            NOON,
        )
        .messages
        .len()
    };
    assert_eq!([made(1), made(2), made(3), made(9)], [1, 2, 1, 1]);
}

#[test]
fn quiet_hours_delay_messages_until_their_end() {
    // In winter Paris is one hour ahead of UTC.
    let wants =
        || TargetPreferences { quiet: QuietHours::parse("22:00-07:00"), ..TargetPreferences::default() };
    let at = |hours: i64| NOON.plus(Millis::hours(hours));
    let night = at(10);
    let due = rows(TargetPreferences::default(), &[approval()], NOON);
    let quiet = planned(due.clone(), wants(), &["apr_k1_3_0@d1"], "Europe/Paris", night);
    assert_eq!(
        (quiet.messages.len(), quiet.changed[0].due_at),
        (0, at(18)),
        "07:00 in Paris is 06:00 in UTC"
    );
    let day = planned(due, wants(), &["apr_k1_3_0@d1"], "Europe/Paris", at(8));
    assert_eq!(day.messages.len(), 1, "21:00 in Paris");
}

#[test]
fn quiet_hours_end_although_the_clock_jumps() {
    let paris = TimeZone::get("Europe/Paris").unwrap();
    let at = |text: &str| Timestamp(text.parse::<jiff::Timestamp>().unwrap().as_microsecond());
    // On 2026-03-29 the clock goes from 02:00 to 03:00.
    let quiet = QuietHours::parse("22:00-02:30");
    assert_eq!(quiet_until(quiet, &paris, at("2026-03-29T00:30:00Z")), Some(at("2026-03-29T01:00:00Z")));
    assert_eq!(quiet_until(quiet, &paris, at("2026-03-29T01:00:00Z")), None);
    // On 2026-10-25 02:30 occurs twice: the first one ends the quiet hours, the second begins none.
    assert_eq!(quiet_until(quiet, &paris, at("2026-10-25T00:10:00Z")), Some(at("2026-10-25T00:30:00Z")));
    assert_eq!(quiet_until(quiet, &paris, at("2026-10-25T01:10:00Z")), None);
}

#[test]
fn quiet_hours_round_trip_as_text() {
    for (text, inside, outside) in [("22:00-07:00", 23 * 60, 7 * 60), ("12:30-13:00", 12 * 60 + 30, 13 * 60)]
    {
        let quiet = QuietHours::parse(text).unwrap();
        assert_eq!(quiet.to_text(), text);
        assert!(quiet.contains_minute(inside) && !quiet.contains_minute(outside), "{text}");
    }
    for wrong in ["", "22-7", "24:00-07:00", "22:00", "07:00-07:00", "22:60-07:00", "+1:00-07:00"] {
        assert_eq!(QuietHours::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn retry_delays_grow_within_bounds_with_jitter() {
    let settings = NotifySettings::default();
    let waits = |attempts: u32| {
        let most = next_try(&settings, attempts, |most| most);
        (next_try(&settings, attempts, |_| Millis(0)).0 / 1000, most.0 / 1000)
    };
    let all: Vec<(i64, i64)> = [0, 1, 2, 5, 9, 10, 40, u32::MAX].map(waits).into();
    assert_eq!(all[..4], [(5, 5), (5, 10), (5, 20), (5, 160)]);
    assert_eq!(all[4..], [(5, 2560), (5, 3600), (5, 3600), (5, 3600)]);
}

#[test]
fn message_is_sent_dead_or_retried() {
    let settings = NotifySettings::default();
    let due = rows(TargetPreferences::default(), &[approval()], NOON);
    let message =
        planned(due, TargetPreferences::default(), &["apr_k1_3_0@d1"], "UTC", NOON).messages.remove(0);
    let after = |delivery: DeliveryOutcome, hours: i64| {
        let outcome =
            rows_after_attempt(message.clone(), &delivery, NOON.plus(Millis::hours(hours)), &settings);
        (outcome.rows[0].state, outcome.rows[0].error.clone(), outcome.is_gone)
    };
    let refused = || DeliveryOutcome::Refused("500".into());
    let why = || Some("500".to_owned());
    assert_eq!(after(DeliveryOutcome::Taken, 0), (OutboxState::Sent, None, false));
    assert_eq!(after(refused(), 23), (OutboxState::Pending, why(), false));
    assert_eq!(after(refused(), 24), (OutboxState::Dead, why(), false));
    assert_eq!(after(DeliveryOutcome::Gone, 0), (OutboxState::Dead, Some("410".into()), true));
}

fn worded(
    wants: TargetPreferences,
    items: &[NotificationItem],
    language: Language,
) -> (Value, crate::ports::Notification) {
    let made = spoken(&target(wants), items, language);
    (serde_json::from_str(&made.body).unwrap(), made)
}

fn spoken(
    target: &NotificationTarget,
    items: &[NotificationItem],
    language: Language,
) -> crate::ports::Notification {
    let calendar =
        Calendar::from_locale(&WorkspaceLocale { zone: "Europe/Paris".into(), ..WorkspaceLocale::default() });
    let link = "https://entracte.example/a#lnk_s".to_owned();
    let links = BTreeMap::from([(ApprovalId::new("apr_k1_3_0"), link)]);
    let speaks = NotificationWording {
        texts: LocalizedTexts::for_language(language),
        calendar: &calendar,
        public_url: Some("https://entracte.example"),
        links: &links,
        named: 2,
    };
    message("ntf_1", target, items, speaks, NOON)
}

#[test]
fn argument_values_go_to_private_targets_only() {
    let told = |is_private: bool, is_full: bool| {
        worded(
            TargetPreferences { is_private, is_full, ..TargetPreferences::default() },
            &[approval()],
            Language::En,
        )
    };
    let (body, made) = told(false, false);
    let expected = serde_json::json!({
        "type": "approval.requested",
        "timestamp": "2026-11-20T12:00:00Z",
        "data": {
            "workspace": "ann:home", "title": "Billing: pay.send", "session": "ses_k1",
            "approval": "apr_k1_3_0", "links": { "review": "https://entracte.example/a#lnk_s" },
        },
    });
    assert_eq!(body, expected);
    assert_eq!(made.text, "“Billing” needs your approval: pay.send");
    assert_eq!(made.click.as_deref(), Some("https://entracte.example/a#lnk_s"));
    for (is_private, is_full) in [(false, true), (true, false)] {
        let (_, made) = told(is_private, is_full);
        let all = format!("{made:?}");
        assert!(!all.contains("bob") && !all.contains("Bob"), "{all}");
    }
    let (body, _) = told(true, true);
    assert_eq!(body["data"]["card"]["arguments_text"], r#"{"to":"bob","amount":40}"#);
    assert_eq!(body["data"]["card"]["digest"], "d1");
}

#[test]
fn buttons_require_complete_card_on_private_target() {
    let ntfy = |wants: TargetPreferences, item: NotificationItem| {
        let way = DeliveryChannel::Ntfy { url: "https://ntfy.example/mine".into(), token: None };
        spoken(&NotificationTarget { way, ..target(wants) }, &[item], Language::En)
    };
    let own = || TargetPreferences { is_private: true, is_full: true, ..TargetPreferences::default() };
    let made = ntfy(own(), approval());
    let labels: Vec<&str> = made.actions.iter().map(|action| action.label.as_str()).collect();
    assert_eq!(labels, ["Approve", "Reject"]);
    assert!(made.text.contains("ann") && made.text.contains("Pays 40 € to Bob"), "{made:?}");
    assert!(made.text.contains(r#"{"to":"bob","amount":40}"#));
    let sent: Value = serde_json::from_str(&made.actions[0].body).unwrap();
    let nonce = nonce("lnk_s", &Digest::new("d1"));
    assert_eq!(sent, serde_json::json!({ "secret": "lnk_s", "nonce": nonce, "decision": "approve" }));
    assert_eq!(made.actions[0].url, "https://entracte.example/v1/links/act");

    let with = |change: fn(&mut NotificationCard)| {
        let mut item = approval();
        change(item.card.as_mut().unwrap());
        item
    };
    let long = with(|card| card.arguments = "x".repeat(4_000));
    let warned = with(|card| card.warnings.push("look".into()));
    let destroys = with(|card| card.is_plain = false);
    // Each character of its name takes twelve bytes when shown.
    let named = NotificationItem { name: "\u{202e}".repeat(300), ..approval() };
    for (wants, item) in [
        (TargetPreferences { is_private: false, ..own() }, approval()),
        (TargetPreferences { is_full: false, ..own() }, approval()),
        (own(), long),
        (own(), named),
        (own(), warned),
        (own(), destroys),
    ] {
        let made = ntfy(wants, item);
        assert_eq!(made.actions, [], "{made:?}");
        assert!(!made.text.contains("bob"), "{made:?}");
    }
    assert_eq!(worded(own(), &[approval()], Language::En).1.actions, [], "a webhook has no buttons");
}

/// Input: an approval without a decision link, a question, a skipped occurrence and a digest; expected: the link of each
/// leads to its page.
#[test]
fn link_leads_to_the_item() {
    let item = |kind| NotificationItem::new("i".into(), kind, NOON, "Q");
    let card = approval().card.map(|card| NotificationCard { approval: ApprovalId::new("apr_2"), ..card });
    let asked =
        NotificationItem { session: Some(SessionId::new("ses_1")), ..item(NotificationKind::Question) };
    let missed = NotificationItem { of: "aut_1".into(), ..item(NotificationKind::Missed) };
    let approval = NotificationItem { card, ..item(NotificationKind::Approval) };
    let behind = |awaits| {
        let blocked_by = Some(BlockingRun { session: SessionId::new("ses_2"), awaits });
        NotificationItem { blocked_by, ..missed.clone() }
    };
    for (items, page) in [
        (vec![approval], "/inbox/apr_2"),
        (vec![asked.clone()], "/sessions/ses_1"),
        (vec![missed.clone()], "/automations/aut_1"),
        (vec![behind(None)], "/automations/aut_1"),
        (vec![behind(Some(AwaitedAct::Approval))], "/sessions/ses_2"),
        (vec![asked, missed], "/inbox"),
    ] {
        let (body, made) = worded(TargetPreferences::default(), &items, Language::En);
        let expected = format!("https://entracte.example{page}");
        assert_eq!(made.click.as_ref(), Some(&expected));
        assert_eq!(body["data"]["links"]["open"], expected);
    }
}

/// Input: an occurrence that was skipped, for each thing that the run before it may wait for; expected: the text names that
/// run and what it waits for, in both languages, and so do the data.
#[test]
fn skip_names_its_blocking_run() {
    let skipped = |awaits| NotificationItem {
        word: "overlap".into(),
        blocked_by: Some(BlockingRun { session: SessionId::new("ses_2"), awaits }),
        ..NotificationItem::new("i".into(), NotificationKind::Missed, NOON, "Nightly")
    };
    for (awaits, says, french) in [
        (None, "ses_2, had not ended", "ses_2, n’était pas terminée"),
        (Some(AwaitedAct::Approval), "ses_2, waits for an approval", "ses_2, attend une approbation"),
        (Some(AwaitedAct::Question), "ses_2, waits for an answer", "ses_2, attend une réponse"),
        (Some(AwaitedAct::Person), "ses_2, waits until somebody", "ses_2, attend que quelqu’un"),
    ] {
        let (body, made) = worded(TargetPreferences::default(), &[skipped(awaits)], Language::En);
        assert!(made.text.starts_with("“Nightly” did not run at ") && made.text.contains(says), "{made:?}");
        let blocked_by = &body["data"]["blocked_by"];
        assert_eq!(blocked_by["session"], "ses_2");
        assert_eq!(blocked_by["waits_for"].as_str(), awaits.map(AwaitedAct::word));
        let (_, made) = worded(TargetPreferences::default(), &[skipped(awaits)], Language::Fr);
        assert!(made.text.contains(french), "{made:?}");
    }
}

#[test]
fn digest_counts_items_and_names_first_ones() {
    let item = |number: u32| {
        NotificationItem::new(
            format!("question:ses_{number}:1"),
            NotificationKind::Question,
            NOON,
            "Q\u{202e}x",
        )
    };
    let (body, made) = worded(TargetPreferences::default(), &[item(1), item(2), item(3)], Language::Fr);
    assert_eq!((&body["type"], &body["data"]["count"]), (&"digest".into(), &3.into()));
    assert_eq!(body["data"]["items"].as_array().unwrap().len(), 2);
    assert_eq!(made.title, "3 choses à voir");
    assert_eq!(made.text.lines().count(), 3, "{}", made.text);
    assert!(made.text.contains("⟨U+202E⟩"), "what cannot be seen is marked: {}", made.text);
}

/// Input: items for a browser; expected: how many they are and the page that shows them, and their words only if its person
/// asked for them.
#[test]
fn push_message_has_no_words_unless_asked() {
    let way = DeliveryChannel::Push {
        endpoint: "https://push.example/send".into(),
        key: "BA".into(),
        auth: "Bw".into(),
    };
    let told = |is_full: bool, items: &[NotificationItem]| {
        let wants = TargetPreferences { is_private: true, is_full, ..TargetPreferences::default() };
        let target = NotificationTarget { way: way.clone(), ..target(wants) };
        let made = spoken(&target, items, Language::Fr);
        (serde_json::from_str::<Value>(&made.body).unwrap(), made)
    };
    let (body, made) = told(false, &[approval()]);
    let page = "/inbox/apr_k1_3_0?w=ann%3Ahome";
    assert_eq!(body, serde_json::json!({ "id": "ntf_1", "count": 1, "page": page, "test": false }));
    assert_eq!((made.title.as_str(), made.text.as_str(), made.click), ("", "", None));

    let question =
        NotificationItem::new("question:ses_k1:1".into(), NotificationKind::Question, NOON, "Billing");
    let (body, _) = told(false, &[approval(), question.clone()]);
    let page = "/inbox?w=ann%3Ahome";
    assert_eq!(body, serde_json::json!({ "id": "ntf_1", "count": 2, "page": page, "test": false }));
    let (body, _) = told(true, &[approval()]);
    assert_eq!(body["title"], "Billing: pay.send");
    assert!(!body.to_string().contains("bob"), "the page shows the values: {body}");

    // A message too long for a push service becomes the count.
    let long = NotificationItem { name: "x".repeat(4_000), ..question };
    let (body, _) = told(true, &[long]);
    assert_eq!((&body["count"], body.get("text")), (&1.into(), None));
}

#[test]
fn invalid_target_is_refused_with_fault() {
    let fault = |change: fn(&mut NotificationTarget)| {
        let mut wrong = target(TargetPreferences::default());
        change(&mut wrong);
        wrong.check().map_err(|fault| fault.key)
    };
    assert_eq!(fault(|_| {}), Ok(()));
    assert_eq!(fault(|target| target.name = " x".into()), Err("notify-fault-name"));
    assert_eq!(fault(|target| target.name = "tgt_x".into()), Err("notify-fault-name"));
    assert_eq!(fault(|target| target.wants.is_full = true), Err("notify-fault-full"));
    assert_eq!(fault(|target| target.wants.gather = Millis::hours(25)), Err("notify-fault-gather"));
    let relative = |target: &mut NotificationTarget| {
        target.way = DeliveryChannel::Command { program: "tell".into(), arguments: Vec::new() };
    };
    assert_eq!(fault(relative), Err("notify-fault-program"));
    let browser = |target: &mut NotificationTarget| {
        let [endpoint, key, auth] = ["https://push.example/a", "BA", "Bw"].map(str::to_owned);
        target.way = DeliveryChannel::Push { endpoint, key, auth };
    };
    assert_eq!(fault(browser), Err("notify-fault-push"), "others would read it");
}

#[test]
fn secret_reference_round_trips_as_text() {
    for text in ["env:HOOK", "file:/run/secrets/hook"] {
        assert_eq!(
            parse_secret_reference(text).map(|place| format_secret_reference(&place)).as_deref(),
            Some(text)
        );
    }
    for wrong in ["whsec_abc", "env:", "file:hook", "command:pass hook"] {
        assert_eq!(parse_secret_reference(wrong), None, "{wrong}");
    }
}
