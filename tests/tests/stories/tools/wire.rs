//! Responses in the servers' formats, in one piece and as streams: some text, and some calls.

use entracte_tests::strict::StrictApi;
use serde_json::{Value, json};

/// A call: id, name, and arguments as text.
pub(crate) type WireCallArgs<'a> = (&'a str, &'a str, &'a str);

/// A response in one piece.
pub(crate) fn whole(api: StrictApi, text: &str, calls: &[WireCallArgs<'_>]) -> Value {
    match api {
        StrictApi::Messages => {
            let mut content = vec![json!({"type": "text", "text": text})];
            content.extend(calls.iter().map(|(id, name, arguments)| {
                let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }));
            json!({"type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "tool_use"})
        }
        StrictApi::Responses => json!({"status": "completed", "output": items(text, calls)}),
        StrictApi::Chat => {
            let calls: Vec<Value> = calls.iter().map(|call| chat_call(*call)).collect();
            let message = json!({"role": "assistant", "content": text, "tool_calls": calls});
            json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
        }
    }
}

/// The same as a stream, each text and each argument in two pieces.
pub(crate) fn stream(api: StrictApi, text: &str, calls: &[WireCallArgs<'_>]) -> String {
    let event = |data: Value| {
        let kind = data["type"].as_str().map(|kind| format!("event: {kind}\n")).unwrap_or_default();
        format!("{kind}data: {data}\n\n")
    };
    let mut events: Vec<Value> = Vec::new();
    match api {
        StrictApi::Messages => {
            events.push(json!({"type": "message_start", "message": {"model": "m", "content": []}}));
            let mut block = |start: Value, deltas: Vec<Value>| {
                let index = events.iter().filter(|event| event["type"] == "content_block_stop").count();
                events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
                for delta in deltas {
                    events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
                }
                events.push(json!({"type": "content_block_stop", "index": index}));
            };
            let pieces = halves(text).map(|text| json!({"type": "text_delta", "text": text}));
            block(json!({"type": "text", "text": ""}), pieces.into());
            for (id, name, arguments) in calls {
                let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
                let pieces =
                    halves(arguments).map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
                block(start, pieces.into());
            }
            events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
            events.push(json!({"type": "message_stop"}));
        }
        StrictApi::Responses => {
            events.push(json!({"type": "response.created"}));
            for piece in halves(text) {
                events.push(json!({"type": "response.output_text.delta", "delta": piece}));
            }
            for (index, item) in items(text, calls).into_iter().enumerate() {
                events
                    .push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
            }
            events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
        }
        StrictApi::Chat => {
            let chunk = |delta: Value| json!({"choices": [{"delta": delta}]});
            events.extend(halves(text).map(|piece| chunk(json!({"content": piece}))));
            for (at, (id, name, arguments)) in calls.iter().enumerate() {
                let [first, second] = halves(arguments);
                let mut start = chat_call((id, name, first));
                start["index"] = at.into();
                events.push(chunk(json!({"tool_calls": [start]})));
                let rest = json!({"index": at, "function": {"arguments": second}});
                events.push(chunk(json!({"tool_calls": [rest]})));
            }
            let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
            events.push(json!({"choices": [{"delta": {}, "finish_reason": reason}]}));
            let events: String = events.into_iter().map(event).collect();
            return format!("{events}data: [DONE]\n\n");
        }
    }
    events.into_iter().map(event).collect()
}

fn items(text: &str, calls: &[WireCallArgs<'_>]) -> Vec<Value> {
    let said =
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
    let calls = calls.iter().map(|(id, name, arguments)| {
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
    });
    std::iter::once(said).chain(calls).collect()
}

fn chat_call((id, name, arguments): WireCallArgs<'_>) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn halves(text: &str) -> [&str; 2] {
    let middle = (text.len() / 2..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let (first, second) = text.split_at(middle);
    [first, second]
}
