//! Calls and their results.

use std::sync::atomic::Ordering;

use entracte_application::ports::PromptTurn as Said;
use entracte_domain::time::Millis;
use entracte_tests::fakes::strict_model::{StrictModelStep, calls, says};
use entracte_tests::strict::StrictApi;
use serde_json::{Value, json};

use super::fixture::NativeToolFixture;

#[tokio::test(start_paused = true)]
async fn every_call_gets_one_result() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        let asked = [
            ("c1", "outside_look", json!({ "at": 1 })),
            ("c2", "outside_look", json!({ "at": 1 })),
            ("c3", "zones_create", json!({ "nam": "Health" })),
            ("c4", "nowhere", json!({})),
            ("c5", "plan", json!({ "steps": ["read"] })),
            ("c6", "zones_create", json!({ "name": "Health" })),
            ("c7", "zones_create", json!({ "name": "Health", "icon": "x" })),
            ("c8", "outside_send", json!({ "to": "bob" })),
            ("c9", "outside_look", json!({ "at": 2 })),
            ("c10", "outside_look", json!({ "at": 3 })),
            ("c11", "outside_look", json!({ "at": 4 })),
            ("c12", "outside_look", json!({ "at": 5 })),
        ];
        scene.model.push_steps([calls(&asked), says("so")]);
        scene.turn("everything at once").await;
        let mut answered: Vec<(String, String)> = Vec::new();
        for (id, content, is_error) in scene.last_results() {
            let code = content.split(':').next().unwrap_or_default().to_owned();
            answered.push((id, if is_error || code == "DUPLICATE" { code } else { "good".to_owned() }));
        }
        // A refused action cancels the actions after it. Entracte's own tools come after the commands.
        let expected = [
            ("c1", "good"),
            ("c2", "DUPLICATE"),
            ("c3", "INVALID_ARGUMENTS"),
            ("c4", "UNKNOWN_COMMAND"),
            ("c6", "CANCELLED"),
            ("c7", "INVALID_ARGUMENTS"),
            ("c8", "CANCELLED"),
            ("c9", "good"),
            ("c10", "good"),
            ("c11", "good"),
            ("c12", "OVER_LIMIT"),
            ("c5", "good"),
        ];
        let expected = expected.map(|(id, code)| (id.to_owned(), code.to_owned()));
        assert_eq!(answered, expected, "{api:?}");
        assert_eq!(scene.states().await.len(), 11, "{api:?}: each command has its row");
    }
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_share_one_message() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        let two = [("c1", "outside_look", json!({ "at": 1 })), ("c2", "outside_look", json!({ "at": 2 }))];
        scene.model.push_steps([calls(&two), says("so")]);
        scene.turn("look twice").await;
        let (request, body) = scene.model.requests().pop().unwrap();
        let calls: Vec<usize> = request
            .turns
            .iter()
            .filter_map(|turn| match turn.as_ref() {
                Said::Assistant(said) => Some(said.calls.len()),
                Said::User(_) => None,
            })
            .collect();
        assert_eq!(calls, [2], "{api:?}: one message, two calls");
        assert_eq!(scene.last_results().len(), 2, "{api:?}");
        let kinds: Vec<Value> = match api {
            StrictApi::Messages => {
                let blocks = |at: usize| body["messages"][at]["content"].as_array().unwrap().clone();
                assert_eq!(body["messages"].as_array().unwrap().len(), 3);
                [blocks(1), blocks(2)].concat().iter().map(|block| block["type"].clone()).collect()
            }
            StrictApi::Responses => {
                body["input"].as_array().unwrap().iter().map(|item| item["type"].clone()).collect()
            }
            StrictApi::Chat => {
                assert_eq!(body["messages"][2]["tool_calls"].as_array().unwrap().len(), 2);
                body["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect()
            }
        };
        let expected = match api {
            // Entracte's text beside results is in the last result.
            StrictApi::Messages => json!(["thinking", "tool_use", "tool_use", "tool_result", "tool_result"]),
            StrictApi::Responses => json!([
                null,
                "reasoning",
                "function_call",
                "function_call",
                "function_call_output",
                "function_call_output",
                null,
            ]),
            StrictApi::Chat => json!(["system", "user", "assistant", "tool", "tool"]),
        };
        assert_eq!(Value::from(kinds), expected, "{api:?}");
    }
}

fn send(id: &str, to: &str) -> StrictModelStep {
    calls(&[(id, "outside_send", json!({ "to": to }))])
}

fn look(id: &str) -> StrictModelStep {
    calls(&[(id, "outside_look", json!({ "at": "weight" }))])
}

#[tokio::test(start_paused = true)]
async fn identical_call_is_allowed_when_new() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        scene.model.push_steps([send("c1", "bob"), send("c2", "bob"), says("sent")]);
        scene.turn("write to bob").await;
        assert_eq!(
            scene.states().await,
            ["succeeded", "repeated"],
            "{api:?}: a moment ago, in this exchange"
        );
        let (_, told, is_error) = scene.last_results().remove(0);
        assert!(is_error && told.starts_with("ANTI_LOOP_SIGNATURE: "), "{told}");
        scene.model.push_steps([send("c3", "bob"), says("sent again")]);
        scene.turn("write to bob once more").await;
        assert_eq!(scene.states().await[2], "succeeded", "{api:?}: a person asked anew");
        assert_eq!(scene.outside.recorded_effects().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn identical_query_is_cached() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        scene.model.push_steps([look("c1"), look("c2"), send("c3", "bob"), look("c4"), says("so")]);
        scene.turn("look").await;
        let states = scene.states().await;
        assert_eq!(
            states,
            ["succeeded", "cached", "succeeded", "succeeded"],
            "{api:?}: an action is between"
        );
        let contents: Vec<String> = scene
            .model
            .requests()
            .iter()
            .filter_map(|(request, _)| match request.turns.last()?.as_ref() {
                Said::User(parts) => Some(format!("{:?}", parts.first()?)),
                Said::Assistant(_) => None,
            })
            .collect();
        assert!(
            contents[2].contains("CACHED: done") && contents[2].contains("is_error: false"),
            "{contents:?}"
        );
        scene.model.push_steps([look("c5"), says("so")]);
        scene.turn("look again").await;
        assert_eq!(scene.states().await[4], "succeeded", "{api:?}: a person asked anew");
        let looks =
            scene.outside.recorded_effects().iter().filter(|seen| seen.command == "outside.look").count();
        assert_eq!(looks, 3, "{api:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn timeout_is_unknown_not_retry() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        scene.outside.hangs.store(true, Ordering::SeqCst);
        scene.model.push_steps([send("c1", "bob"), says("nobody knows")]);
        let began = scene.life.services.clock.now();
        scene.turn("write to bob").await;
        assert_eq!(scene.states().await, ["unknown"], "{api:?}");
        assert_eq!(
            scene.outside.recorded_effects().len(),
            1,
            "{api:?}: it may have happened, so it is not done again"
        );
        let (_, told, is_error) = scene.last_results().remove(0);
        assert!(is_error && told.starts_with("OUTCOME_UNKNOWN: "), "{told}");
        let took = scene.life.services.clock.now().since(began);
        assert!(took >= Millis::seconds(15) && took < Millis::seconds(20), "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn duplicate_in_batch_gets_first_result() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::new(api).await;
        let bob = json!({ "to": "bob" });
        let twice = [("c1", "outside_send", bob.clone()), ("c2", "outside_send", bob)];
        scene.model.push_steps([calls(&twice), says("sent")]);
        scene.turn("write to bob").await;
        let expected = [("c1", "done"), ("c2", "DUPLICATE: done")];
        let expected = expected.map(|(id, content)| (id.to_owned(), content.to_owned(), false));
        assert_eq!(scene.last_results(), expected, "{api:?}");
        assert_eq!(scene.outside.recorded_effects().len(), 1, "{api:?}");
    }
}

/// A call to send in a response that the output limit cut.
fn cut(api: StrictApi, arguments: &str) -> Vec<u8> {
    let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
    let answer = match api {
        StrictApi::Messages => json!({
            "model": "fake-1", "stop_reason": "max_tokens",
            "content": [{"type": "tool_use", "id": "c1", "name": "outside_send", "input": input}],
        }),
        StrictApi::Responses => json!({
            "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
            "output": [{"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "outside_send",
                        "arguments": arguments}],
        }),
        StrictApi::Chat => {
            json!({"choices": [{"finish_reason": "length", "message": {"content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "outside_send", "arguments": arguments}},
            ]}}]})
        }
    };
    answer.to_string().into_bytes()
}

#[tokio::test(start_paused = true)]
async fn cut_arguments_never_run() {
    for api in StrictApi::ALL {
        for arguments in [r#"{"to":"bob"}"#, r#"{"to":"bo"#, ""] {
            let scene = NativeToolFixture::new(api).await;
            scene.model.push_steps([StrictModelStep::Answers(cut(api, arguments)), says("shorter")]);
            scene.turn("write to bob").await;
            assert_eq!(scene.outside.recorded_effects(), [], "{api:?} {arguments}");
            assert_eq!(scene.states().await, [] as [&str; 0], "{api:?} {arguments}");
            assert_eq!(scene.life.phase(&scene.chat).await, "IDLE");
            assert_eq!(scene.bodies().len(), 2, "the model is told and may answer more briefly");
        }
    }
    // Not cut, but no JSON either: a result names the fault.
    let scene = NativeToolFixture::new(StrictApi::Chat).await;
    let broken = cut(StrictApi::Chat, r#"{"to":"bo"#);
    let broken = String::from_utf8(broken).unwrap().replace("\"length\"", "\"tool_calls\"");
    scene.model.push_steps([StrictModelStep::Answers(broken.into_bytes()), says("so")]);
    scene.turn("write to bob").await;
    assert_eq!(scene.outside.recorded_effects(), []);
    assert_eq!(scene.states().await, ["invalid_arguments"]);
}
