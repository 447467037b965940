//! Content that this version does not know, on every wire: it goes back whole or not at all.

use entracte_application::ports::ReplyEnd;
use serde_json::{Value, json};

use crate::anthropic_messages::AnthropicMessages;
use crate::dialect::WireDialect;
use crate::responses::OpenaiResponses;
use crate::testing::{reading, stream};

const CLAUDE: &str = "kind = \"claude\"\nmodel = \"m\"";
const OPENAI: &str = "kind = \"openai\"\nmodel = \"m\"";

fn sse(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// A stream of Claude's with these blocks, each with its deltas.
fn claude(blocks: &[(Value, Vec<Value>)], stop_reason: &str) -> String {
    let mut events = vec![json!({"type": "message_start", "message": {"model": "m", "content": []}})];
    for (index, (start, deltas)) in blocks.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        let delta = |delta: &Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}}));
    events.push(json!({"type": "message_stop"}));
    sse(&events)
}

fn text(words: &str) -> (Value, Vec<Value>) {
    (json!({"type": "text", "text": ""}), vec![json!({"type": "text_delta", "text": words})])
}

/// The blocks that a stream of Claude's sends back.
fn sent_back(blocks: &[(Value, Vec<Value>)], stop_reason: &str) -> Vec<Value> {
    let reply = stream(&AnthropicMessages, CLAUDE, [claude(blocks, stop_reason).as_bytes()]).0.unwrap();
    serde_json::from_str(&reply.raw.unwrap().bytes).unwrap()
}

#[test]
fn unknown_blocks_are_whole_or_dropped() {
    // Known deltas: the block is whole, with the summary that the server needs back.
    let compaction = (
        json!({"type": "compaction", "content": null, "signature": "s"}),
        vec![json!({"type": "compaction_delta", "content": "They met.", "encrypted_content": "e"})],
    );
    let back = sent_back(&[compaction, text("hi")], "end_turn");
    let whole =
        json!({"type": "compaction", "content": "They met.", "signature": "s", "encrypted_content": "e"});
    assert_eq!(back, [whole.clone(), json!({"type": "text", "text": "hi"})]);
    // A compaction that failed has no summary, and goes back as it is.
    let failed = (
        json!({"type": "compaction", "content": null}),
        vec![json!({"type": "compaction_delta", "content": null})],
    );
    assert_eq!(
        sent_back(&[failed, text("hi")], "end_turn")[0],
        json!({"type": "compaction", "content": null})
    );
    // A pause after it sends nothing but the block.
    let paused = [(whole.clone(), Vec::new())];
    assert_eq!(sent_back(&paused, "compaction"), [whole]);
    // No delta: the block came as a whole, and keeps every field.
    let result = json!({"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"later": 1}]});
    assert_eq!(sent_back(&[(result.clone(), Vec::new()), text("hi")], "end_turn")[0], result);
    // Deltas of the future, readable or not: the block is dropped, with its result; the rest stays.
    for delta in [json!({"type": "dream_delta", "dream": "x"}), json!({"type": "dream_delta", "text": [1]})] {
        let use_ = json!({"type": "dream_use", "id": "srv_1"});
        let noted = (json!({"type": "text", "text": ""}), [text("first").1, vec![delta.clone()]].concat());
        let blocks = [noted, (use_, vec![delta]), (result.clone(), Vec::new()), text("then")];
        let expected = [json!({"type": "text", "text": "first"}), json!({"type": "text", "text": "then"})];
        assert_eq!(sent_back(&blocks, "end_turn"), expected);
    }
    // In one piece, everything is whole.
    let dream = json!({"type": "dream", "dream": {"b": 1, "a": [2]}});
    let answer =
        json!({"model": "m", "stop_reason": "end_turn", "content": [dream, {"type": "text", "text": "hi"}]});
    let reply = AnthropicMessages.decode_whole(answer.to_string().as_bytes(), &reading(CLAUDE)).unwrap();
    assert!(reply.raw.unwrap().bytes.contains(&dream.to_string()));
    // Items of the Responses API come whole, with phases and whatever else they have.
    let items = [
        json!({"type": "message", "id": "m1", "phase": "commentary", "content": [{"type": "output_text", "text": "first."}]}),
        json!({"type": "dream_call", "id": "d1", "dream": {"b": 1}}),
        json!({"type": "message", "id": "m2", "phase": "final_answer", "content": [{"type": "output_text", "text": "There"}]}),
    ];
    for reply in responses(&items) {
        let back: Vec<Value> = serde_json::from_str(&reply.raw.unwrap().bytes).unwrap();
        assert_eq!((back.as_slice(), reply.end), (&items[..], ReplyEnd::Done));
    }
}

/// The answer of the Responses API with these items, in one piece and as a stream.
fn responses(items: &[Value]) -> [entracte_application::ports::ModelReply; 2] {
    let whole = json!({"status": "completed", "output": items});
    let whole = OpenaiResponses.decode_whole(whole.to_string().as_bytes(), &reading(OPENAI)).unwrap();
    let mut events = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(text) = item["content"][0]["text"].as_str() {
            let delta = json!({"type": "response.output_text.delta", "output_index": index, "delta": text});
            events.push(delta);
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
    let (streamed, shown) = stream(&OpenaiResponses, OPENAI, [sse(&events).as_bytes()]);
    let streamed = streamed.unwrap();
    assert_eq!(shown, streamed.text, "people see the same while it arrives");
    [whole, streamed]
}

#[test]
fn several_texts_keep_a_break() {
    let message = |id: &str, text: &str| json!({"type": "message", "id": id, "content": [{"type": "output_text", "text": text}]});
    for reply in responses(&[message("m1", "first."), message("m2", "There")]) {
        assert_eq!(reply.text, "first.\n\nThere");
    }
    let parts = json!({"type": "message", "content":
        [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]});
    let whole = json!({"status": "completed", "output": [parts]});
    let reply = OpenaiResponses.decode_whole(whole.to_string().as_bytes(), &reading(OPENAI)).unwrap();
    assert_eq!(reply.text, "ab", "the parts of one item are one text");
    let work = || (json!({"type": "server_tool_use", "id": "s", "name": "n", "input": {}}), Vec::new());
    for (blocks, expected) in [
        (vec![text("first."), work(), text("There")], "first.\n\nThere"),
        (vec![text("It rains"), text(", they say."), work(), text("\nSo")], "It rains, they say.\nSo"),
    ] {
        let streamed = claude(&blocks, "end_turn");
        let (reply, shown) = stream(&AnthropicMessages, CLAUDE, [streamed.as_bytes()]);
        assert_eq!((reply.unwrap().text.as_str(), shown.as_str()), (expected, expected));
    }
}
