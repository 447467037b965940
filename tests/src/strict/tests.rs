//! Each rule has a body that breaks it, and no rule before it, by one change to an accepted body.

use serde_json::{Value, json};

use super::{StrictApi, StrictApiPeer, StrictApiRule, StrictReplyPart};

/// A conversation of two calls and their results, in the format of this API.
fn good(api: StrictApi) -> Value {
    let mut peer = StrictApiPeer::new(api);
    let first = first(api);
    peer.accept_body(1, first.to_string().as_bytes()).unwrap();
    let said = [
        StrictReplyPart::Thinks("hm".into()),
        StrictReplyPart::Says("I look.".into()),
        call("call_1", "look"),
        call("call_2", "look"),
    ];
    let answer: Value = serde_json::from_slice(&peer.answer(&said)).unwrap();
    let mut body = first;
    match api {
        StrictApi::Messages => {
            let messages = body["messages"].as_array_mut().unwrap();
            messages.push(json!({"role": "assistant", "content": answer["content"]}));
            messages.push(json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "5 km"},
                {"type": "tool_result", "tool_use_id": "call_2", "is_error": true},
                {"type": "text", "text": "and now?", "cache_control": {"type": "ephemeral"}},
            ]}));
        }
        StrictApi::Responses => {
            let input = body["input"].as_array_mut().unwrap();
            input.extend(answer["output"].as_array().unwrap().clone());
            input.push(json!({"type": "function_call_output", "call_id": "call_1", "output": "5 km"}));
            input.push(json!({"type": "function_call_output", "call_id": "call_2", "output": "Error: no"}));
            input.push(json!({"role": "user", "content": [{"type": "input_text", "text": "and now?"}]}));
        }
        StrictApi::Chat => {
            let messages = body["messages"].as_array_mut().unwrap();
            messages.push(answer["choices"][0]["message"].clone());
            messages.push(json!({"role": "tool", "tool_call_id": "call_1", "content": "5 km"}));
            messages.push(json!({"role": "tool", "tool_call_id": "call_2", "content": "Error: no"}));
            messages.push(json!({"role": "user", "content": "and now?"}));
        }
    }
    body
}

fn first(api: StrictApi) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    match api {
        StrictApi::Messages => json!({
            "model": "claude-opus-5-5", "max_tokens": 9, "stream": true,
            "system": [{"type": "text", "text": "You keep notes.", "cache_control": {"type": "ephemeral"}}],
            "tools": [{"name": "look", "input_schema": schema}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "one"}]}],
        }),
        StrictApi::Responses => json!({
            "model": "gpt-6-sol", "store": false, "instructions": "You keep notes.",
            "tools": [{"type": "function", "name": "look", "parameters": schema, "strict": false}],
            "input": [{"role": "user", "content": [{"type": "input_text", "text": "one"}]}],
        }),
        StrictApi::Chat => json!({
            "model": "qwen3:8b",
            "tools": [{"type": "function", "function": {"name": "look", "parameters": schema}}],
            "messages": [
                {"role": "system", "content": "You keep notes."},
                {"role": "user", "content": "one"},
            ],
        }),
    }
}

fn call(id: &str, name: &str) -> StrictReplyPart {
    StrictReplyPart::Calls { id: id.into(), name: name.into(), arguments: "{}".into() }
}

/// A change that makes the good body invalid.
type BodyMutation = fn(&mut Value);

fn drop_at(list: &mut Value, at: usize) {
    list.as_array_mut().unwrap().remove(at);
}

fn copy_at(list: &mut Value, at: usize) {
    let list = list.as_array_mut().unwrap();
    list.insert(at, list[at].clone());
}

fn swap(list: &mut Value, one: usize, other: usize) {
    list.as_array_mut().unwrap().swap(one, other);
}

fn without(value: &mut Value, field: &str) {
    value.as_object_mut().unwrap().remove(field);
}

const MESSAGES: [(StrictApiRule, BodyMutation); 28] = [
    (StrictApiRule::OutputSchema, |body| {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": {"type": "object"}}});
    }),
    (StrictApiRule::OutputSchema, |body| {
        let many: Value = (0..25).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
        let schema = json!({"type": "object", "additionalProperties": false, "properties": many});
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }),
    (StrictApiRule::OwnTextAfterResult, |body| {
        body["messages"][2]["content"][2]["text"] = json!("<entracte type=\"GUIDE\">be brief</entracte>");
    }),
    (StrictApiRule::Shape, |body| without(body, "max_tokens")),
    (StrictApiRule::Shape, |body| body["messages"] = json!([])),
    (StrictApiRule::UnknownField, |body| body["temperature"] = json!(1.0)),
    (StrictApiRule::EmptyText, |body| body["messages"][2]["content"][2]["text"] = json!(" ")),
    (StrictApiRule::Role, |body| body["messages"][0]["role"] = json!("tool")),
    (StrictApiRule::Beginning, |body| drop_at(&mut body["messages"], 0)),
    (StrictApiRule::Prefill, |body| drop_at(&mut body["messages"], 2)),
    (StrictApiRule::CallWithoutResult, |body| drop_at(&mut body["messages"][2]["content"], 1)),
    (StrictApiRule::ResultWithoutCall, |body| {
        body["messages"][2]["content"][1]["tool_use_id"] = json!("call_9")
    }),
    (StrictApiRule::ResultsNotFirst, |body| swap(&mut body["messages"][2]["content"], 1, 2)),
    (StrictApiRule::ResultTwice, |body| copy_at(&mut body["messages"][2]["content"], 1)),
    (StrictApiRule::IdTwice, |body| body["messages"][1]["content"][3]["id"] = json!("call_1")),
    (StrictApiRule::IdShape, |body| body["messages"][1]["content"][3]["id"] = json!("call:2")),
    (StrictApiRule::NameShape, |body| body["messages"][1]["content"][3]["name"] = json!("outside.look")),
    (StrictApiRule::NameShape, |body| body["tools"][0]["name"] = json!("outside.look")),
    (StrictApiRule::NameTwice, |body| copy_at(&mut body["tools"], 0)),
    (StrictApiRule::Arguments, |body| body["messages"][1]["content"][3]["input"] = json!("{}")),
    (StrictApiRule::Schema, |body| body["tools"][0]["input_schema"] = json!({})),
    (StrictApiRule::ToolsMissing, |body| {
        without(body, "tools");
        without(&mut body["messages"][1]["content"][0], "signature");
        drop_at(&mut body["messages"][1]["content"], 0);
    }),
    (StrictApiRule::ForcedChoice, |body| body["tool_choice"] = json!({"type": "any"})),
    (StrictApiRule::Breakpoints, |body| {
        for at in 0..2 {
            body["messages"][2]["content"][at]["cache_control"] = json!({"type": "ephemeral"});
        }
        body["tools"][0]["cache_control"] = json!({"type": "ephemeral"});
    }),
    (StrictApiRule::BreakpointPlace, |body| {
        body["messages"][1]["content"][0]["cache_control"] = json!({"type": "ephemeral"});
    }),
    (StrictApiRule::SealMissing, |body| without(&mut body["messages"][1]["content"][0], "signature")),
    (StrictApiRule::SealBroken, |body| body["messages"][1]["content"][0]["thinking"] = json!("oh")),
    (StrictApiRule::SealBroken, |body| body["messages"][0]["content"][0]["text"] = json!("two")),
];

const RESPONSES: [(StrictApiRule, BodyMutation); 20] = [
    (StrictApiRule::JsonWord, |body| body["text"] = json!({"format": {"type": "json_object"}})),
    (StrictApiRule::OutputSchema, |body| {
        let schema = json!({"type": "object", "additionalProperties": false,
            "properties": {"may": {"type": "string"}}});
        body["text"] = json!({"format": {"type": "json_schema", "strict": true, "schema": schema}});
    }),
    (StrictApiRule::Shape, |body| body["input"] = json!([])),
    (StrictApiRule::UnknownField, |body| body["stop"] = json!("x")),
    (StrictApiRule::Role, |body| body["input"][0]["role"] = json!("tool")),
    (StrictApiRule::CallWithoutResult, |body| drop_at(&mut body["input"], 6)),
    (StrictApiRule::CallWithoutResult, |body| {
        let more = json!({"type": "message", "role": "assistant", "content": "so"});
        body["input"].as_array_mut().unwrap().insert(6, more);
    }),
    (StrictApiRule::ResultWithoutCall, |body| body["input"][6]["call_id"] = json!("call_9")),
    (StrictApiRule::ResultTwice, |body| copy_at(&mut body["input"], 6)),
    (StrictApiRule::IdTwice, |body| body["input"][4]["call_id"] = json!("call_1")),
    (StrictApiRule::IdShape, |body| body["input"][4]["call_id"] = json!("")),
    (StrictApiRule::NameShape, |body| body["input"][4]["name"] = json!("outside.look")),
    (StrictApiRule::NameTwice, |body| copy_at(&mut body["tools"], 0)),
    (StrictApiRule::Schema, |body| body["tools"][0]["strict"] = json!(true)),
    (StrictApiRule::ToolsMissing, |body| {
        without(body, "tools");
        body["tool_choice"] = json!("none");
    }),
    (StrictApiRule::SealMissing, |body| without(&mut body["input"][1], "encrypted_content")),
    (StrictApiRule::SealBroken, |body| body["input"][0]["content"][0]["text"] = json!("two")),
    (StrictApiRule::SealBroken, |body| body["model"] = json!("gpt-6-luna")),
    (StrictApiRule::ReasoningAlone, |body| {
        *body = json!({
            "model": body["model"], "store": false, "instructions": body["instructions"],
            "tools": body["tools"], "input": [body["input"][0], body["input"][1], body["input"][0]],
        });
    }),
    (StrictApiRule::ReasoningAlone, |body| {
        let input = body["input"].as_array_mut().unwrap();
        input.truncate(2);
    }),
];

const CHAT: [(StrictApiRule, BodyMutation); 21] = [
    (StrictApiRule::Shape, |body| body["messages"] = json!([])),
    (StrictApiRule::UnknownField, |body| body["messages"][1]["name"] = json!("ana")),
    (StrictApiRule::EmptyText, |body| body["messages"][1]["content"] = json!("")),
    (StrictApiRule::Role, |body| body["messages"][5]["role"] = json!("system")),
    (StrictApiRule::Beginning, |body| drop_at(&mut body["messages"], 1)),
    (StrictApiRule::Prefill, |body| {
        let messages = body["messages"].as_array_mut().unwrap();
        messages.truncate(3);
    }),
    (StrictApiRule::Alternation, |body| copy_at(&mut body["messages"], 5)),
    (StrictApiRule::CallWithoutResult, |body| drop_at(&mut body["messages"], 4)),
    (StrictApiRule::CallWithoutResult, |body| swap(&mut body["messages"], 4, 5)),
    (StrictApiRule::ResultWithoutCall, |body| body["messages"][4]["tool_call_id"] = json!("call_9")),
    (StrictApiRule::ResultTwice, |body| copy_at(&mut body["messages"], 4)),
    (StrictApiRule::IdTwice, |body| body["messages"][2]["tool_calls"][1]["id"] = json!("call_1")),
    (StrictApiRule::IdShape, |body| body["messages"][2]["tool_calls"][1]["id"] = json!("")),
    (StrictApiRule::NameShape, |body| {
        body["messages"][2]["tool_calls"][1]["function"]["name"] = json!("a.b")
    }),
    (StrictApiRule::NameTwice, |body| copy_at(&mut body["tools"], 0)),
    (StrictApiRule::TooManyTools, |body| (0..128).for_each(|_| copy_at(&mut body["tools"], 0))),
    (StrictApiRule::Arguments, |body| {
        body["messages"][2]["tool_calls"][1]["function"]["arguments"] = json!("{")
    }),
    (StrictApiRule::Schema, |body| body["tools"][0]["function"]["parameters"] = json!({})),
    (StrictApiRule::ToolsMissing, |body| {
        without(body, "tools");
        body["tool_choice"] = json!("none");
    }),
    (StrictApiRule::Shape, |body| body["messages"][2]["tool_calls"] = json!([])),
    (StrictApiRule::Shape, |body| body["messages"][4]["content"] = Value::Null),
];

fn examples(api: StrictApi) -> &'static [(StrictApiRule, BodyMutation)] {
    match api {
        StrictApi::Messages => &MESSAGES,
        StrictApi::Responses => &RESPONSES,
        StrictApi::Chat => &CHAT,
    }
}

#[test]
fn each_rule_refuses_its_bad_example() {
    for api in StrictApi::ALL {
        let body = good(api);
        assert_eq!(api.check(body.to_string().as_bytes()), Ok(()), "{api:?}");
        for (at, (rule, change)) in examples(api).iter().enumerate() {
            let mut bad = body.clone();
            change(&mut bad);
            let refusal = api.check(bad.to_string().as_bytes()).err();
            assert_eq!(
                refusal.as_ref().map(|refusal| refusal.rule),
                Some(*rule),
                "{api:?} {at}: {refusal:?}"
            );
        }
        for rule in api.rules() {
            assert!(examples(api).iter().any(|(shown, _)| shown == rule), "{api:?} {rule:?} has no example");
        }
        assert_eq!(api.check(b"{").err().map(|refusal| refusal.rule), Some(StrictApiRule::Shape));
    }
}

#[test]
fn sent_turns_are_frozen_within_generation() {
    for api in StrictApi::ALL {
        let (first, later) = (first(api), good(api));
        let mut peer = StrictApiPeer::new(api);
        peer.accept_body(1, first.to_string().as_bytes()).unwrap();
        let other = first.to_string().replace("one", "two");
        let changed = peer.clone().accept_body(1, other.as_bytes()).unwrap_err();
        assert_eq!(changed.rule, StrictApiRule::Changed, "{api:?}");
        let elsewhere = first.to_string().replace("You keep notes.", "You do not.");
        assert_eq!(
            peer.clone().accept_body(1, elsewhere.as_bytes()).unwrap_err().rule,
            StrictApiRule::Changed,
            "{api:?}"
        );
        assert_eq!(
            peer.clone().accept_body(2, elsewhere.as_bytes()),
            Ok(()),
            "{api:?}: a new generation is free"
        );
        assert_eq!(peer.accept_body(1, later.to_string().as_bytes()), Ok(()), "{api:?}");
        let shorter = peer.accept_body(1, first.to_string().as_bytes()).unwrap_err();
        assert_eq!(shorter.rule, StrictApiRule::Changed, "{api:?}");
    }
}

#[test]
fn the_last_user_message_may_grow() {
    let mut peer = StrictApiPeer::new(StrictApi::Chat);
    peer.accept_body(1, first(StrictApi::Chat).to_string().as_bytes()).unwrap();
    let mut grown = first(StrictApi::Chat);
    grown["messages"][1]["content"] = json!("one\n\ntwo");
    assert_eq!(peer.accept_body(1, grown.to_string().as_bytes()), Ok(()));
}
