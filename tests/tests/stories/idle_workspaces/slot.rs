//! A session that waits for a slot has no deadline in any row: the timer is set separately.

use entracte_application::mail::{
    CreateAutomationRequest, Mail, MailAnswer, MailRequest, NewAutomationRequest, NewSeedRequest,
    OpenSessionRequest, RunAutomationRequest,
};
use entracte_domain::automation::{AutomationPolicies, OverlapPolicy, Trigger};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, ModelSelection};
use entracte_domain::time::{Millis, Timestamp};
use entracte_tests::runtime_fixture::{FakeModelLine, NOON, RuntimeFixture, envelope_line};

use super::fixture::{IdleSessionFixture, advance_time, asks_to_send};

fn done() -> FakeModelLine {
    FakeModelLine::Says(r#"{"pre_text":"Done.","completed":true}"#.into())
}

async fn post(life: &RuntimeFixture, request: MailRequest) -> MailAnswer {
    life.mail_sender.post(&life.workspace, Mail::from_request(request)).await.unwrap()
}

async fn automation(life: &RuntimeFixture, trigger: Trigger, require_validation: bool) -> AutomationId {
    let id = AutomationId::new("aut_a");
    let new = NewAutomationRequest {
        id: id.clone(),
        name: "a".into(),
        trigger,
        policies: AutomationPolicies { overlap: OverlapPolicy::Queue, ..AutomationPolicies::default() },
        enabled: true,
        seed: NewSeedRequest {
            id: SessionId::new("ses_seed"),
            message: UserMessage::text("Do it."),
            voice: ModelSelection {
                provider: "fake".into(),
                model: "fake-1".into(),
                dialect: Dialect::Envelope,
            },
            require_validation,
            restriction: Restriction::Open,
        },
    };
    let request = MailRequest::workspace(CreateAutomationRequest { author: "ann".into(), new });
    assert_eq!(post(life, request).await, MailAnswer::Made { id: id.to_string() });
    id
}

/// A run of an automation without a near occurrence.
pub(crate) async fn run_by_hand(life: &RuntimeFixture) -> SessionId {
    let once = Trigger::Once { at: NOON.plus(Millis::hours(1000)) };
    let automation = automation(life, once, false).await;
    let session = SessionId::new("ses_run");
    let request = MailRequest::workspace(RunAutomationRequest {
        author: "ann".into(),
        automation,
        session: session.clone(),
        event: None,
    });
    assert!(matches!(post(life, request).await, MailAnswer::Accepted { .. }));
    session
}

/// The instants of the occurrences that ran, in minutes, latest first.
async fn run_minutes(life: &RuntimeFixture, automation: &AutomationId) -> Vec<i64> {
    let rows = life.services.automations.occurrences(&life.workspace, automation, None, 99).await.unwrap();
    let ran = rows.iter().filter(|row| row.session.is_some());
    ran.map(|row| (row.at.0 - NOON.0) / 60_000_000).collect()
}

fn minute(number: i64) -> Timestamp {
    NOON.plus(Millis::minutes(number))
}

#[tokio::test(start_paused = true)]
async fn an_occurrence_wakes_a_workspace_at_rest() {
    let scene = IdleSessionFixture::new([done(), done()]);
    let life = scene.life().await;
    let hourly = Trigger::Every { interval: Millis::hours(1), anchor: minute(60) };
    let automation = automation(&life, hourly, false).await;
    advance_time(Millis::minutes(59)).await;
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    advance_time(Millis::seconds(61)).await;
    assert_eq!(run_minutes(&life, &automation).await, [60]);
    advance_time(Millis::minutes(5)).await;
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    advance_time(Millis::minutes(56)).await;
    assert_eq!(run_minutes(&life, &automation).await, [120, 60]);
}

#[tokio::test(start_paused = true)]
async fn run_starts_when_resting_chat_yields() {
    let scene = IdleSessionFixture::new([envelope_line("Hello."), done()])
        .with_services(|services| services.settings.attachment_lease = Millis::minutes(10));
    let life = scene.life().await;
    // The open chat rests in its slot for five minutes; the occurrence due after two waits for it, and no workspace is
    // in memory.
    let automation = automation(&life, Trigger::Once { at: minute(2) }, false).await;
    let chat = life.chat(false).await;
    life.send_and_wait(&chat, "Hello").await;
    let open = MailRequest::session(
        chat.clone(),
        OpenSessionRequest { author: "ann".into(), attachment: "phone".into(), asks_slot: false },
    );
    let mail = Mail::from_request(open);
    life.mail_sender.post(&life.workspace, mail).await.unwrap();
    advance_time(Millis::minutes(4)).await;
    assert_eq!((life.runtime.workspaces_in_memory(), run_minutes(&life, &automation).await), (0, vec![]));
    let before = scene.store.reads();
    advance_time(Millis::seconds(50)).await;
    assert!(scene.store.reads() - before <= 3, "only the timer looks");
    advance_time(Millis::seconds(15)).await;
    assert_eq!((scene.minutes(), run_minutes(&life, &automation).await), (5, vec![2]));
}

#[tokio::test(start_paused = true)]
async fn occurrence_behind_parked_run_keeps_workspace_unloaded() {
    let scene = IdleSessionFixture::new([asks_to_send(), asks_to_send()]);
    let life = scene.life().await;
    let hourly = Trigger::Every { interval: Millis::hours(1), anchor: minute(60) };
    let automation = automation(&life, hourly, true).await;
    advance_time(Millis::minutes(130)).await;
    assert_eq!(run_minutes(&life, &automation).await, [60]);
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    let before = scene.store.reads();
    advance_time(Millis::minutes(30)).await;
    assert!(scene.store.reads() - before <= 61, "only the timer looks");
    // A new process finds it due, checks it, and unloads the workspace again.
    drop(life);
    let life = scene.life().await;
    advance_time(Millis::minutes(3)).await;
    assert_eq!((life.runtime.workspaces_in_memory(), run_minutes(&life, &automation).await), (0, vec![60]));
}
