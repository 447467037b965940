//! Constant and added parts of prompts: the tools in front, guidance at the end.

use entracte_application::ports::{CommandRequestPolicy, ModelRequest, PromptTurn, UserTurnPart};
use entracte_application::prompt::{PromptLayer, RoundSituation};
use entracte_application::settings::Language;
use entracte_domain::session::{Dialect, RoundReason, SessionKind};
use entracte_tests::fakes::strict_model::{calls, says};
use entracte_tests::strict::StrictApi;
use serde_json::json;

use super::fixture::NativeToolFixture;

#[tokio::test(start_paused = true)]
async fn tools_stay_in_the_prefix() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        let look = |number: usize| calls(&[(&format!("c{number}"), "outside_look", json!({ "at": number }))]);
        scene.model.push_steps((0..11).map(look));
        scene.model.push_steps([says("That is as far as I came.")]);
        scene.turn("look everywhere").await;
        let bodies = scene.bodies();
        let choices: Vec<_> = bodies.iter().filter_map(|body| body.get("tool_choice")).collect();
        let none = match api {
            StrictApi::Messages => json!({ "type": "none" }),
            StrictApi::Responses | StrictApi::Chat => json!("none"),
        };
        assert_eq!(choices, [&none], "{api:?}: the closing call alone forbids commands");
        assert!(bodies[0]["tools"].as_array().unwrap().len() > 10, "{api:?}");
        for body in &bodies {
            assert_eq!(body["tools"], bodies[0]["tools"], "{api:?}");
        }
        assert_eq!(scene.model.requests().last().unwrap().0.commands, CommandRequestPolicy::None);
    }
}

/// The guidance of Entracte, turn by turn.
fn guides(request: &ModelRequest) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (place, turn) in request.turns.iter().enumerate() {
        let PromptTurn::User(parts) = turn.as_ref() else { continue };
        let said = parts.iter().filter_map(|part| match part {
            UserTurnPart::System(text) if text.contains("type=\"GUIDE\"") => Some((place, text.clone())),
            UserTurnPart::System(_)
            | UserTurnPart::Text(_)
            | UserTurnPart::Result { .. }
            | UserTurnPart::File(_) => None,
        });
        found.extend(said);
    }
    found
}

fn names(guides: &[(usize, String)], language: Language) -> Vec<(usize, &'static str)> {
    let situation = RoundSituation {
        kind: SessionKind::Chat,
        dialect: Dialect::Tools,
        reason: RoundReason::DataResponse,
        has_errors: false,
        user_messages: 2,
    };
    let name = |text: &str| {
        let layer =
            PromptLayer::ALL.into_iter().find(|layer| text.contains(&layer.text(language, &situation)));
        layer.map_or("another language", PromptLayer::word)
    };
    guides.iter().map(|(place, text)| (*place, name(text))).collect()
}

#[tokio::test(start_paused = true)]
async fn layers_are_appended() {
    for (language, word) in [(Language::En, "en"), (Language::Fr, "fr")] {
        let scene = NativeToolFixture::new(StrictApi::Messages).await;
        scene.set(&[("language", word)]).await;
        scene.model.push_steps([calls(&[("c1", "outside_look", json!({ "at": 1 }))]), says("one")]);
        scene.turn("first").await;
        let failing = calls(&[("c2", "zones_get", json!({ "zone_id": "none" }))]);
        scene.model.push_steps([failing, calls(&[("c3", "outside_look", json!({ "at": 2 }))]), says("two")]);
        scene.turn("second").await;
        let requests: Vec<ModelRequest> =
            scene.model.requests().into_iter().map(|(request, _)| request).collect();
        let told: Vec<_> = requests.iter().map(|request| names(&guides(request), language)).collect();
        // Only after results; after errors it asks for a correction first and for the report later; nothing twice.
        assert_eq!(told[0], []);
        assert_eq!(told[1], [(2, "preserve"), (2, "restitution")]);
        assert_eq!(told[2], told[1]);
        let second = [told[2].clone(), vec![(6, "focus"), (6, "preserve"), (6, "correction")]].concat();
        assert_eq!(told[3], second, "{word}");
        assert_eq!(told[4], [second, vec![(8, "restitution")]].concat(), "{word}");
        for pair in requests.windows(2) {
            assert_eq!(pair[0].turns[..], pair[1].turns[..pair[0].turns.len()], "never moved");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn layers_below_configured_importance_are_omitted() {
    let scene = NativeToolFixture::new(StrictApi::Messages).await;
    scene.set(&[("prompt_importance", "needed")]).await;
    scene.model.push_steps([calls(&[("c1", "outside_look", json!({ "at": 1 }))]), says("one")]);
    scene.turn("first").await;
    let (request, _) = scene.model.requests().pop().unwrap();
    assert_eq!(names(&guides(&request), Language::En), [(2, "preserve")], "restitution is only helpful");
}
