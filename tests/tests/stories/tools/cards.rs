//! A withdrawn approval, end to end with native tools: the transcript stays legal on every wire.

use entracte_application::use_cases::{ApprovalChoice, UseCaseError};
use entracte_tests::fakes::recording_executor::ActionConfigVersion;
use entracte_tests::fakes::strict_model::{calls, says};
use entracte_tests::strict::StrictApi;
use serde_json::json;

use super::fixture::NativeToolFixture;

/// The address or the schema of the command changes between the card and the decision.
const CHANGES: [ActionConfigVersion; 3] = [
    ActionConfigVersion { address: 1, program: 0, schema: 0 },
    ActionConfigVersion { address: 0, program: 1, schema: 0 },
    ActionConfigVersion { address: 0, program: 0, schema: 1 },
];

#[tokio::test(start_paused = true)]
async fn a_changed_command_is_asked_about_again_and_the_transcript_stays_legal() {
    for (api, change) in StrictApi::ALL.into_iter().flat_map(|api| CHANGES.map(|change| (api, change))) {
        for (choice, result, effects) in
            [(ApprovalChoice::Approve, "done", 1), (ApprovalChoice::Reject(None), "REJECTED", 0)]
        {
            let at = format!("{api:?}, {change:?}, {choice:?}");
            let scene = NativeToolFixture::new(api).await;
            scene.set(&[("require_validation", "true")]).await;
            let send = [("c1", "outside_send", json!({ "to": "bob" }))];
            scene.model.push_steps([calls(&send), says("So it is."), says("You are welcome.")]);
            scene.turn("write to bob").await;
            let old = scene.cards().await.remove(0);

            let scene = scene.configured(change).await;
            let late = scene.decides(&old, &choice).await;
            assert!(matches!(late, Err(UseCaseError::Conflict(_))), "{at}: {late:?}");
            assert_eq!(scene.outside.recorded_effects(), [], "{at}");
            let new = scene.cards().await.remove(0);
            assert_eq!(new.call.id, old.call.id, "{at}: the model asked once");
            assert!(new.id != old.id && new.digest != old.digest && !new.is_changed, "{at}");

            scene.decides(&new, &choice).await.unwrap();
            let done = scene.outside.recorded_effects();
            assert_eq!(done.len(), effects, "{at}");
            assert!(done.iter().all(|effect| effect.configured == change), "{at}");
            if matches!(choice, ApprovalChoice::Reject(_)) {
                // A chat whose action is rejected rests; the model reads the rejection with the next message.
                scene.turn("leave it").await;
            }
            // One call, one result, whatever happened to its approval in between.
            let results = scene.last_results();
            assert_eq!(results.len(), 1, "{at}: {results:?}");
            assert!(results[0].0 == "c1" && results[0].1.starts_with(result), "{at}: {results:?}");
            scene.turn("thank you").await;
        }
    }
}
