//! Relaunches and their ends.

use entracte_application::ports::CommandRequestPolicy;
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{MeasureSession, SessionMetrics};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Dialect, RelaunchCommandPolicy};
use entracte_tests::fakes::strict_model::{StrictModelStep, calls, says};
use entracte_tests::strict::{StrictApi, StrictReplyPart};
use serde_json::json;

use super::fixture::NativeToolFixture;

fn look(number: usize, at: usize) -> StrictModelStep {
    calls(&[(&format!("c{number}"), "outside_look", json!({ "at": at }))])
}

/// How many of all requests permitted no commands.
fn closing_calls(scene: &NativeToolFixture) -> usize {
    let requests = scene.model.requests();
    requests.iter().filter(|(request, _)| request.commands == CommandRequestPolicy::None).count()
}

#[tokio::test(start_paused = true)]
async fn circuit_breaker_answers_once() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        scene.model.push_steps((0..11).map(|number| look(number, number)));
        scene.model.push_steps([says("That is as far as I came.")]);
        scene.turn("look everywhere").await;
        assert_eq!(scene.bodies().len(), 12, "{api:?}: the first, ten relaunches, the closing call");
        assert_eq!(closing_calls(&scene), 1, "{api:?}");
        assert_eq!(scene.life.phase(&scene.chat).await, "IDLE");

        scene.model.push_steps((20..31).map(|number| look(number, number)));
        scene.model.push_steps([StrictModelStep::Fails(FailureClass::Refused)]);
        scene.turn("and on").await;
        assert_eq!(closing_calls(&scene), 2, "{api:?}: it is not asked again");
        assert_eq!(
            scene.life.phase(&scene.chat).await,
            "IDLE",
            "{api:?}: a fixed text stands for the answer"
        );
        let last = format!("{:?}", scene.life.entries(&scene.chat).await.last());
        assert_eq!(last.matches("body: Text(").count(), 1, "{last}");

        scene.model.push_steps([look(40, 40), says("here")]);
        scene.turn("one more").await;
        assert_eq!(closing_calls(&scene), 2, "{api:?}: a person begins anew");
    }
}

#[tokio::test(start_paused = true)]
async fn tools_and_choice_are_constant() {
    for api in StrictApi::ALL {
        let mut rules = RuleBook::default();
        rules.change(|_, rules| rules.relaunch_commands = RelaunchCommandPolicy::OnError);
        let scene = NativeToolFixture::with(api, rules, Dialect::Tools).await;
        // A model that calls a tool in a text-only round gets a refusal as result, and may call again.
        scene.model.push_steps([look(1, 1), look(2, 2), look(3, 3), says("done")]);
        scene.turn("look").await;
        scene.model.push_steps([look(4, 4), says("there")]);
        scene.turn("and there?").await;
        let bodies = scene.bodies();
        assert_eq!(bodies.len(), 6, "{api:?}");
        for body in &bodies {
            assert_eq!(body["tools"], bodies[0]["tools"], "{api:?}");
            assert_eq!(body.get("tool_choice"), None, "{api:?}: it is left at auto");
        }
        let told = bodies[2].to_string();
        assert!(told.contains("OVER_LIMIT: this answer had to be text only"), "{api:?}: {told}");
        assert_eq!(scene.model.refusals(), Vec::<String>::new(), "{api:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn commands_may_be_withheld_until_something_fails() {
    for api in StrictApi::ALL {
        let mut rules = RuleBook::default();
        rules.change(|_, rules| rules.relaunch_commands = RelaunchCommandPolicy::OnError);
        let scene = NativeToolFixture::with(api, rules, Dialect::Tools).await;
        let missing = calls(&[("c1", "zones_get", json!({ "zone_id": "none" }))]);
        scene.model.push_steps([missing, look(2, 1), says("done")]);
        scene.turn("look").await;
        let uses: Vec<CommandRequestPolicy> =
            scene.model.requests().iter().map(|(request, _)| request.commands).collect();
        assert_eq!(
            uses,
            [CommandRequestPolicy::Allowed, CommandRequestPolicy::Allowed, CommandRequestPolicy::WordsOnly],
            "{api:?}"
        );
        let bodies = scene.bodies();
        assert_eq!(bodies[2]["tools"], bodies[0]["tools"], "{api:?}: the tools stay");
        assert!(bodies[2].to_string().contains("Answer in words now"), "{api:?}");

        // A server that does not prevent its model from calling tools.
        scene.model.push_steps([look(3, 2), look(4, 3), says("sorry")]);
        scene.turn("and there?").await;
        let uses: Vec<CommandRequestPolicy> =
            scene.model.requests().iter().skip(3).map(|(request, _)| request.commands).collect();
        assert_eq!(
            uses,
            [CommandRequestPolicy::Allowed, CommandRequestPolicy::WordsOnly, CommandRequestPolicy::Allowed],
            "{api:?}"
        );
        let (_, told, is_error) = scene.last_results().remove(0);
        assert!(is_error && told.starts_with("OVER_LIMIT: this answer had to be text only"), "{told}");
        assert_eq!(scene.outside.recorded_effects().len(), 2, "{api:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn empty_reply_is_reported_to_model_then_person() {
    let nothing = || StrictModelStep::Says(Vec::new());
    let thought = || StrictModelStep::Says(vec![StrictReplyPart::Thinks("hm".to_owned())]);
    for api in StrictApi::ALL {
        for silent in [nothing, thought] {
            let scene = NativeToolFixture::new(api).await;
            scene.model.push_steps([silent(), says("There.")]);
            scene.turn("look").await;
            let bodies = scene.bodies();
            assert_eq!(bodies.len(), 2, "{api:?}");
            assert!(bodies[1].to_string().contains("Your answer was empty"), "{api:?}: {}", bodies[1]);

            scene.model.push_steps([silent(), silent()]);
            scene.turn("and there?").await;
            assert_eq!(scene.bodies().len(), 4, "{api:?}: it is asked once more, not for ever");
            let last = format!("{:?}", scene.life.entries(&scene.chat).await.last());
            assert!(last.contains("The model answered with nothing, twice."), "{api:?}: {last}");

            scene.model.push_steps([says("Here I am.")]);
            scene.turn("are you there?").await;
            let body = scene.bodies().pop().unwrap().to_string();
            assert!(!body.contains("with nothing, twice"), "{api:?}: that is for the person alone");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn how_a_session_went_is_counted() {
    let scene = NativeToolFixture::new(StrictApi::Messages).await;
    let missing = calls(&[("c1", "zones_get", json!({ "zone_id": "none" }))]);
    scene.model.push_steps([missing, look(2, 1), says("done")]);
    scene.turn("look").await;
    scene.model.push_steps((10..16).map(|number| look(number, 1)));
    scene.model.push_steps([says("I turn in circles.")]);
    scene.turn("look again").await;
    let (store, log) = (scene.life.services.store.clone(), scene.life.services.log.clone());
    let metrics = MeasureSession::new(store, log).run(&scene.life.workspace, &scene.chat).await.unwrap();
    let expected = SessionMetrics {
        rounds: 10,
        relaunches: 7,
        early_stops: 1,
        circuit_breaks: 1,
        calls: 8,
        succeeded: 7,
        failed: 1,
        timed: 3,
        ..SessionMetrics::default()
    };
    assert_eq!(
        SessionMetrics { took: expected.took, longest: expected.longest, ..metrics.clone() },
        expected
    );
    assert_eq!((metrics.calls_per_hundred_rounds(), metrics.success_percent()), (Some(80), Some(87)));
}

#[tokio::test(start_paused = true)]
async fn no_progress_stops() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        scene.model.push_steps((0..6).map(|number| look(number, 1)));
        scene.model.push_steps([says("I turn in circles.")]);
        scene.turn("look").await;
        assert_eq!(scene.outside.recorded_effects().len(), 1, "{api:?}: the rest is known already");
        assert_eq!(scene.bodies().len(), 7, "{api:?}: one with news, five without, the closing call");
        assert_eq!(closing_calls(&scene), 1, "{api:?}");
        let told = format!("{:?}", scene.model.requests().last().unwrap().0.turns.last());
        assert!(told.contains("limits.without_progress = 5"), "{told}");
    }
}
