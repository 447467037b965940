//! A clock that is set back by hours and days: nothing is ended or withdrawn, no wait is prolonged by that time, and
//! nothing is decided or done twice.

use entracte_application::mail::{
    ChangeSettingsRequest, DecideCallsRequest, MailAnswer, MailDecision, MailRequest, MailVerdict,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{AutomationFixture, AutomationSpec, completed_line, minute};

const BACK: [i64; 3] = [1, 5, 24 * 3];

/// Sets the clock back by this many hours; the process reads it at its next wake-up.
async fn set_back(scene: &mut AutomationFixture, hours: i64) {
    let back = scene.world.now().plus(Millis::hours(-hours));
    scene.world.clock.set(back);
    scene.world.advance_time(Millis::minutes(1)).await;
}

fn all_need_approval() -> MailRequest {
    let changes = vec![("require_validation".to_owned(), Some("true".to_owned()))];
    MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes })
}

async fn asked_for_approval() -> (AutomationFixture, SessionId) {
    let mut scene = AutomationFixture::new([
        command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
        envelope_line("Then not."),
    ])
    .await;
    assert_eq!(scene.world.post(all_need_approval()).await, MailAnswer::Done);
    let chat = scene.chat("ses_chat").await;
    scene.world.finish_all_effects().await;
    assert_eq!(scene.standing_and_phase(&chat).await.1, "WAITING_VALIDATION");
    (scene, chat)
}

/// Input: a clock that is set back during a wait, in a running process and before the start of another; expected:
/// nothing is ended, and the wait lasts for its full time, counted from the moment the change was noticed.
#[tokio::test]
async fn clock_set_back_keeps_waits() {
    for hours in BACK {
        for is_down in [false, true] {
            let (mut scene, chat) = asked_for_approval().await;
            if is_down {
                scene.world.crash();
                scene.world.clock.set(scene.world.now().plus(Millis::hours(-hours)));
                scene.world.start().await;
            }
            set_back(&mut scene, if is_down { 0 } else { hours }).await;
            let waits = async |scene: &AutomationFixture| {
                scene.standing_and_phase(&chat).await.1 == "WAITING_VALIDATION"
            };
            assert!(waits(&scene).await, "{hours} h, down: {is_down}");
            scene.world.clock.set(scene.world.now().plus(Millis(Millis::hours(72).0 - Millis::minutes(3).0)));
            scene.world.advance_time(Millis::minutes(1)).await;
            assert!(waits(&scene).await, "{hours} h, down: {is_down}: its time has not passed");
            scene.world.advance_time(Millis::minutes(2)).await;
            assert_eq!(scene.standing_and_phase(&chat).await.1, "IDLE", "{hours} h, down: {is_down}");
            assert_eq!(scene.outside.recorded_effects(), [], "what was not approved did not run");
            scene.world.verify().await;
        }
    }
}

#[tokio::test]
async fn retry_delay_survives_clock_set_back() {
    for hours in BACK {
        let mut scene =
            AutomationFixture::new([FakeModelLine::Fails(FailureClass::Unreachable), completed_line()]).await;
        let automation =
            scene.automation("a", AutomationSpec::new(entracte_domain::automation::Trigger::Manual)).await;
        let (run, _) = scene.run(&automation, "ses_run").await;
        scene.world.finish_all_effects().await;
        assert_eq!(scene.standing_and_phase(&run).await.1, "WAITING_NETWORK_RETRY");
        set_back(&mut scene, hours).await;
        scene.world.advance_time(Millis::minutes(2)).await;
        assert_eq!(scene.standing_and_phase(&run).await.1, "COMPLETED", "{hours} h");
        assert_eq!(scene.model.requests.lock().unwrap().len(), 2, "it was asked once more, and not twice");
        scene.world.verify().await;
    }
}

/// Input: two actions, the second approved with edited arguments before the clock is set back, the first after it;
/// expected: both run, the second as approved, and no approval is requested again.
#[tokio::test]
async fn clock_set_back_keeps_decisions() {
    for hours in BACK {
        let send = |to: &str| ("SEND", json!({ "to": to }));
        let mut scene = AutomationFixture::new([
            command_request_line("actions", &[send("bob"), send("eve")]),
            envelope_line("Sent."),
        ])
        .await;
        scene.world.post(all_need_approval()).await;
        let chat = scene.chat("ses_chat").await;
        scene.world.finish_all_effects().await;
        let edit = MailVerdict::Edit {
            arguments: JsonValue::Object(vec![("to".into(), JsonValue::Text("ann".into()))]),
        };
        decide(&mut scene, &chat, 1, edit).await;
        set_back(&mut scene, hours).await;
        decide(&mut scene, &chat, 0, MailVerdict::Approve).await;
        scene.world.finish_all_effects().await;
        let sent: Vec<String> =
            scene.outside.recorded_effects().into_iter().map(|effect| effect.arguments).collect();
        assert_eq!(sent, [r#"{"to":"bob"}"#, r#"{"to":"ann"}"#], "{hours} h");
        assert_eq!(scene.standing_and_phase(&chat).await.1, "IDLE", "{hours} h");
        scene.world.verify().await;
    }
}

/// Decides on the waiting call at this position of the reply.
async fn decide(scene: &mut AutomationFixture, chat: &SessionId, at: usize, verdict: MailVerdict) {
    let (_, phase) = scene.world.session(chat).await;
    let call = phase.batch().unwrap().calls[at].clone();
    let decisions = vec![MailDecision { call: call.id, card: call.card, verdict }];
    let request = MailRequest::session(
        chat.clone(),
        DecideCallsRequest { author: "ann".into(), decisions, link: None },
    );
    let answer = scene.world.post(request).await;
    assert!(matches!(answer, MailAnswer::Accepted { .. }), "{answer:?}");
}

/// Input: a run that works, one that waits, and one that arrives after the clock was set back; expected: they run in
/// the order of arrival.
#[tokio::test]
async fn clock_set_back_keeps_slot_order() {
    let mut scene = AutomationFixture::new([]).await;
    let by_hand = || AutomationSpec::new(entracte_domain::automation::Trigger::Manual);
    let automations = [
        scene.automation("a", by_hand()).await,
        scene.automation("b", by_hand()).await,
        scene.automation("c", by_hand()).await,
    ];
    let (first, _) = scene.run(&automations[0], "ses_first").await;
    let (second, _) = scene.run(&automations[1], "ses_second").await;
    set_back_unanswered(&mut scene, 1);
    let (third, _) = scene.run(&automations[2], "ses_third").await;
    let mut order = Vec::new();
    for _ in 0..3 {
        // Only the model of the run with the slot is called.
        let (run, effect) = scene.world.effects_under_way().remove(0);
        scene.model.push_lines([completed_line()]);
        scene.world.finish(&run, &effect).await;
        order.push(run);
        for _ in 0..2 {
            scene.world.clock.set(scene.world.now().plus(Millis::seconds(6)));
            scene.world.wake().await;
        }
    }
    assert_eq!(order, [first, second, third]);
    scene.world.verify().await;
}

/// Input: a chat in a round, and another one that gets a message after the clock was set back; expected: the later one
/// gets the slot, whatever the clock shows.
#[tokio::test]
async fn clock_set_back_favours_later_chat() {
    let mut scene = AutomationFixture::new([]).await;
    let early = scene.chat("ses_early").await;
    set_back_unanswered(&mut scene, 1);
    let late = scene.chat("ses_late").await;
    assert_eq!(scene.standing_and_phase(&late).await.0, "active");
    assert_eq!(scene.standing_and_phase(&early).await.0, "suspended");
    scene.world.verify().await;
}

fn set_back_unanswered(scene: &mut AutomationFixture, hours: i64) {
    scene.world.clock.set(scene.world.now().plus(Millis::hours(-hours)));
}

#[tokio::test]
async fn clock_set_back_decides_no_occurrence_twice() {
    for hours in BACK {
        let mut scene = AutomationFixture::new((0..20).map(|_| completed_line())).await;
        let automation = scene.automation("a", AutomationSpec::every_minute()).await;
        scene.world.advance_time(Millis::minutes(3)).await;
        scene.world.advance_time(Millis::seconds(30)).await;
        set_back(&mut scene, hours).await;
        scene.world.advance_time(Millis::minutes(2)).await;
        let ran = |minute| (minute, "ran".to_owned());
        assert_eq!(
            scene.history(&automation).await,
            [ran(1), ran(2), ran(3)],
            "{hours} h: each had its turn"
        );
        scene.world.clock.set(minute(4));
        scene.world.advance_time(Millis::minutes(1)).await;
        assert_eq!(scene.history(&automation).await, [ran(1), ran(2), ran(3), ran(4), ran(5)], "{hours} h");
        scene.world.verify().await;
    }
}
