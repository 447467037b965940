//! Effects of changed settings.

use entracte_application::rule_book::RuleBook;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{ApprovalView, ShowSession, UseCaseError};
use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, JournalNote, LimitProfile, SessionKind, Slot};
use entracte_domain::validation::ValidationLevel;
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};

use super::fixture::{ValidationFixture, ValidationWorkspace, notes, refusal};

#[tokio::test(start_paused = true)]
async fn settings_change_is_atomic_and_creates_workspace() {
    let stage = ValidationFixture::new([]);
    let life = stage.life().await;
    let place = ValidationWorkspace { life, tool: String::new(), zone: String::new() };
    let store = place.life.services.store.clone();
    assert!(store.workspace(&place.life.workspace).await.unwrap().is_none());
    place.set(&[]).await.unwrap();
    assert!(store.workspace(&place.life.workspace).await.unwrap().is_some(), "no change makes it, too");

    let wrong = place.set(&[("zone", Some("Europe/Paris")), ("slots", Some("many"))]).await;
    assert!(matches!(wrong, Err(UseCaseError::Invalid(_))), "{wrong:?}");
    assert_eq!(
        refusal(wrong),
        "“many” is not a valid value for slots; it takes a whole number from 1 to 1000"
    );
    let unknown = place.set(&[("zone", Some("Europe/Paris")), ("colour", Some("red"))]).await;
    assert!(matches!(unknown, Err(UseCaseError::NotFound(_))), "{unknown:?}");
    assert_eq!(place.body().await.settings.zone, "UTC", "nothing was changed");

    place.set(&[("zone", Some("Europe/Paris")), ("language", Some("fr"))]).await.unwrap();
    let french = refusal(place.set(&[("slots", Some("0"))]).await);
    assert_eq!(
        french,
        "«\u{a0}0\u{a0}» n’est pas une valeur valide pour slots\u{a0}; il faut un nombre entier de 1 à 1000"
    );
    place.set(&[("zone", None), ("language", None)]).await.unwrap();
    assert_eq!(place.body().await.settings, Default::default());
}

#[tokio::test(start_paused = true)]
async fn waiting_call_gets_reason_of_setting_immediately() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(250)])]);
    place.life.send_and_wait(&session, "raise it").await;
    place.set(&[("require_validation", Some("true"))]).await.unwrap();
    let levels = |approvals: &[ApprovalView]| -> Vec<ValidationLevel> {
        approvals[0].reasons.iter().map(|reason| reason.level).collect()
    };
    assert_eq!(levels(&place.inbox().await), [ValidationLevel::App, ValidationLevel::Session]);
    place.life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn limits_profile_applies_immediately_and_is_announced_later() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(false).await;
    stage.model.push_lines([envelope_line("Hello."), envelope_line("Hello again.")]);
    place.life.send_and_wait(&session, "hello").await;
    let prompt =
        |stage: &ValidationFixture| format!("{:?}", stage.model.requests.lock().unwrap().last().unwrap());
    let free = prompt(&stage);
    place.set(&[("limits_profile", Some("strict"))]).await.unwrap();
    place.life.send_and_wait(&session, "hello").await;
    let strict = prompt(&stage);
    let strict_rules = RuleBook::new(LimitProfile::Strict).rules_for_kind(SessionKind::Chat).clone();
    let line = say!(
        LocalizedTexts::for_language(Language::En),
        "prompt-limit-query-rounds",
        most = strict_rules.query_rounds
    );
    assert_ne!(RuleBook::default().rules_for_kind(SessionKind::Chat).query_rounds, strict_rules.query_rounds);
    assert!(strict.contains(&line) && !free.contains(&line), "{line}");
    let changed = place.life.entries(&session).await.into_iter().any(|entry| match entry.input {
        Input::RulesChanged(change) => change.prefix.is_some(),
        _ => false,
    });
    assert!(changed, "a generation begins with the next message");
    let view = place.life.entries(&session).await;
    assert!(notes(&view).any(|note| matches!(note, JournalNote::GenerationBegun(2))));
}

#[tokio::test(start_paused = true)]
async fn additional_slot_is_granted_to_queue_immediately() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let (first, second) = (place.life.chat(false).await, place.life.chat(false).await);
    stage.model.push_lines([FakeModelLine::Hangs, FakeModelLine::Hangs]);
    let a_second = std::time::Duration::from_secs(1);
    place.life.send_message(&first, "take your time").await;
    tokio::time::sleep(a_second).await;
    place.life.send_message(&second, "take yours").await;
    tokio::time::sleep(a_second).await;
    let held = async |session: &SessionId| {
        let view = ShowSession::new(place.life.services.store.clone())
            .run(&place.life.workspace, session)
            .await
            .unwrap();
        view.facts.slot == Slot::Held
    };
    assert!(!held(&first).await && held(&second).await, "a chat gives way to a chat");
    place.set(&[("slots", Some("2"))]).await.unwrap();
    assert!(held(&first).await && held(&second).await, "there is room for both");
}
