//! A clock that is set back by hours and days: no wait lasts for that, nothing is decided or done twice.

use entracte_application::mail::MailAnswer;
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_tests::stage::{Line, asks, says};
use serde_json::json;

use super::scene::{Plan, Scene, done, minute};

const BACK: [i64; 3] = [1, 5, 24 * 3];

/// The clock is set back by so many hours, and the process looks at it when it wakes for the next time.
async fn set_back(scene: &mut Scene, hours: i64) {
    let back = scene.world.now().plus(Millis::hours(-hours));
    scene.world.clock.set(back);
    scene.world.pass(Millis::minutes(1)).await;
}

async fn asked_for_approval() -> (Scene, SessionId) {
    let mut scene =
        Scene::new([asks("actions", &[("SEND", json!({ "to": "bob" }))]), says("Then not.")]).await;
    let change = vec![("require_validation".to_owned(), Some("true".to_owned()))];
    let change =
        entracte_application::mail::MailRequest::ChangeSettings { author: "ann".into(), changes: change };
    assert_eq!(scene.world.post(None, change).await, MailAnswer::Done);
    let chat = scene.chat("ses_chat").await;
    scene.world.answer_all().await;
    assert_eq!(scene.stands(&chat).await.1, "WAITING_VALIDATION");
    (scene, chat)
}

#[tokio::test]
async fn an_approval_that_is_waited_for_expires_and_is_not_waited_for_until_the_clock_is_there_again() {
    for hours in BACK {
        let (mut scene, chat) = asked_for_approval().await;
        set_back(&mut scene, hours).await;
        assert_eq!(scene.stands(&chat).await.1, "IDLE", "{hours} h");
        assert_eq!(scene.outside.seen(), [], "what was not approved did not run");
        scene.world.verify().await;
    }
}

#[tokio::test]
async fn a_retry_comes_at_once_and_not_when_the_clock_is_there_again() {
    for hours in BACK {
        let mut scene = Scene::new([Line::Fails(FailureClass::Unreachable), done()]).await;
        let automation = scene.automation("a", Plan::new(entracte_domain::automation::Trigger::Manual)).await;
        let (run, _) = scene.run(&automation, "ses_run").await;
        scene.world.answer_all().await;
        assert_eq!(scene.stands(&run).await.1, "WAITING_NETWORK_RETRY");
        set_back(&mut scene, hours).await;
        assert_eq!(scene.stands(&run).await.1, "COMPLETED", "{hours} h");
        assert_eq!(scene.model.requests.lock().unwrap().len(), 2, "it was asked once more, and not twice");
        scene.world.verify().await;
    }
}

/// The process was down when the clock was set back.
#[tokio::test]
async fn a_wait_ends_too_for_a_process_that_finds_the_clock_set_back() {
    for hours in BACK {
        let (mut scene, chat) = asked_for_approval().await;
        scene.world.crash();
        let back = scene.world.now().plus(Millis::hours(-hours));
        scene.world.clock.set(back);
        scene.world.start().await;
        scene.world.pass(Millis::minutes(1)).await;
        assert_eq!(scene.stands(&chat).await.1, "IDLE", "{hours} h");
        assert_eq!(scene.outside.seen(), []);
        scene.world.verify().await;
    }
}

#[tokio::test]
async fn no_occurrence_is_decided_twice_and_they_go_on_when_the_clock_is_there_again() {
    for hours in BACK {
        let mut scene = Scene::new((0..20).map(|_| done())).await;
        let automation = scene.automation("a", Plan::every_minute()).await;
        scene.world.pass(Millis::minutes(3)).await;
        scene.world.pass(Millis::seconds(30)).await;
        set_back(&mut scene, hours).await;
        scene.world.pass(Millis::minutes(2)).await;
        let ran = |minute| (minute, "ran".to_owned());
        assert_eq!(
            scene.history(&automation).await,
            [ran(1), ran(2), ran(3)],
            "{hours} h: each had its turn"
        );
        scene.world.clock.set(minute(4));
        scene.world.pass(Millis::minutes(1)).await;
        assert_eq!(scene.history(&automation).await, [ran(1), ran(2), ran(3), ran(4), ran(5)], "{hours} h");
        scene.world.verify().await;
    }
}
