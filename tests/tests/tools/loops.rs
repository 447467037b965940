//! Relaunches and their ends.

use entracte_application::ports::CommandUse;
use entracte_domain::session::failure::FailureClass;
use entracte_tests::fakes::strict_model::{Turn, calls, says};
use entracte_tests::strict::Api;
use serde_json::json;

use super::scene::Scene;

fn look(number: usize, at: usize) -> Turn {
    calls(&[(&format!("c{number}"), "outside_look", json!({ "at": at }))])
}

/// How many requests of all allowed no commands.
fn closing_calls(scene: &Scene) -> usize {
    let requests = scene.model.requests();
    requests.iter().filter(|(request, _)| request.commands == CommandUse::None).count()
}

#[tokio::test(start_paused = true)]
async fn circuit_breaker_answers_once() {
    for api in Api::ALL {
        let scene = Scene::new(api).await;
        scene.model.will((0..11).map(|number| look(number, number)));
        scene.model.will([says("That is as far as I came.")]);
        scene.turn("look everywhere").await;
        assert_eq!(scene.bodies().len(), 12, "{api:?}: the first, ten relaunches, the closing call");
        assert_eq!(closing_calls(&scene), 1, "{api:?}");
        assert_eq!(scene.life.phase(&scene.chat).await, "IDLE");

        scene.model.will((20..31).map(|number| look(number, number)));
        scene.model.will([Turn::Fails(FailureClass::Refused)]);
        scene.turn("and on").await;
        assert_eq!(closing_calls(&scene), 2, "{api:?}: it is not asked again");
        assert_eq!(
            scene.life.phase(&scene.chat).await,
            "IDLE",
            "{api:?}: a fixed text stands for the answer"
        );
        let last = format!("{:?}", scene.life.entries(&scene.chat).await.last());
        assert_eq!(last.matches("body: Text(").count(), 1, "{last}");

        scene.model.will([look(40, 40), says("here")]);
        scene.turn("one more").await;
        assert_eq!(closing_calls(&scene), 2, "{api:?}: a person begins anew");
    }
}

#[tokio::test(start_paused = true)]
async fn no_progress_stops() {
    for api in Api::ALL {
        let scene = Scene::new(api).await;
        scene.model.will((0..6).map(|number| look(number, 1)));
        scene.model.will([says("I turn in circles.")]);
        scene.turn("look").await;
        assert_eq!(scene.outside.seen().len(), 1, "{api:?}: the rest is known already");
        assert_eq!(scene.bodies().len(), 7, "{api:?}: one with news, five without, the closing call");
        assert_eq!(closing_calls(&scene), 1, "{api:?}");
        let told = format!("{:?}", scene.model.requests().last().unwrap().0.turns.last());
        assert!(told.contains("limits.without_progress = 5"), "{told}");
    }
}
