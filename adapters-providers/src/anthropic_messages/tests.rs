use entracte_application::ports::{
    CommandRequestPolicy, ModelRequest, OutputShape, PromptTurn, ReplyEnd, UserTurnPart,
};
use entracte_domain::file::{ModelForm, PixelDimensions};
use entracte_domain::id::Digest;
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage;
use serde_json::{Value, json};
use std::sync::Arc;

use super::AnthropicMessages;
use crate::dialect::WireDialect;
use crate::testing::{
    body, body_text, check_cuts_and_chunks, check_damage, class, open_shape, reading, request,
    request_with_files, stream, strict_shape,
};

const ENTRY: &str = "kind = \"claude\"\nmodel = \"m\"";
const SSE: &str = include_str!("../../tests/fixtures/claude.sse");

fn breakpoints(body: &Value) -> usize {
    body.to_string().matches("cache_control").count()
}

fn whole(answer: &Value) -> Result<entracte_application::ports::ModelReply, crate::failure::WireFailure> {
    AnthropicMessages.decode_whole(answer.to_string().as_bytes(), &reading(ENTRY))
}

#[test]
fn body_has_results_first_and_cache_breakpoints() {
    let body = body(&AnthropicMessages, &request(None), ENTRY);
    let mark = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "model-1",
        "max_tokens": 32000,
        "stream": true,
        "system": [
            {"type": "text", "text": "Level 1", "cache_control": mark},
            {"type": "text", "text": "Level 2", "cache_control": mark},
            {"type": "text", "text": "Level 3", "cache_control": mark},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "I weigh 71 kg"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I write it down."},
                {"type": "tool_use", "id": "call_01", "name": "tool_data_create", "input": {"value": 71.0}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_01",
                    "content": "no such tool\n\n<system>limits</system>", "is_error": true},
                {"type": "text", "text": "Go on", "cache_control": mark},
            ]},
        ],
        "tools": [{
            "name": "tool_data_create",
            "description": "Creates an entry.",
            "input_schema": {"type": "object", "properties": {"value": {"type": "number"}}},
        }],
    });
    assert_eq!(body, expected);
}

/// A prefix without instructions has at most two blocks, so both tails keep their breakpoints, as before instructions
/// existed.
#[test]
fn two_levels_leave_two_tail_breakpoints() {
    let mut plain = request(None);
    plain.system.truncate(2);
    let body = body(&AnthropicMessages, &plain, ENTRY);
    assert_eq!((breakpoints(&body["system"]), breakpoints(&body["messages"])), (2, 2));
    let mark = json!({"type": "ephemeral"});
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], mark);
    assert_eq!(body["messages"][2]["content"][1]["cache_control"], mark);
}

#[test]
fn raw_blocks_go_back_byte_for_byte() {
    let bytes = r#"[{"type":"thinking","thinking":"","signature":"a+/="}, {"z":1.0,"type":"tool_use","id":"call_01","name":"n","input":{"b":1,  "a":2}}]"#;
    let turn = |dialect: &str| Some(ProviderTurn { dialect: dialect.to_owned(), bytes: bytes.to_owned() });
    let sent = body_text(&AnthropicMessages, &request(turn("anthropic_messages/2026-10-21")), ENTRY);
    for block in [r#"{"type":"thinking","thinking":"","signature":"a+/="}"#, r#"{"b":1,  "a":2}}"#] {
        assert!(sent.contains(block), "{sent}");
    }
    let foreign = body_text(&AnthropicMessages, &request(turn("responses/1")), ENTRY);
    assert_eq!(foreign, body_text(&AnthropicMessages, &request(None), ENTRY));
}

#[test]
fn streamed_blocks_are_sent_back_unchanged() {
    let raw = stream(&AnthropicMessages, ENTRY, [SSE.as_bytes()]).0.unwrap().raw.unwrap();
    let sent = body_text(&AnthropicMessages, &request(Some(raw.clone())), ENTRY);
    assert!(sent.contains(&format!(r#""role":"assistant","content":{}"#, raw.bytes)), "{sent}");
}

#[test]
fn blank_text_is_never_sent() {
    let mut blank = request(None);
    blank.system = vec![" ".into()];
    blank.turns = vec![
        Arc::new(PromptTurn::User(vec![UserTurnPart::Text("a".to_owned())])),
        Arc::new(PromptTurn::Assistant(entracte_application::ports::AssistantTurn {
            text: "\n".to_owned(),
            calls: Vec::new(),
            raw: None,
        })),
        Arc::new(PromptTurn::User(vec![
            UserTurnPart::Text(String::new()),
            UserTurnPart::Text("b".to_owned()),
        ])),
    ];
    let body = body(&AnthropicMessages, &blank, ENTRY);
    assert!(body.get("system").is_none());
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": [
            {"type": "text", "text": "a"},
            {"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}},
        ]}])
    );
}

#[test]
fn breakpoints_are_four_at_most() {
    let mut long = request(None);
    long.turns = (0..9).flat_map(|_| request(None).turns).collect();
    assert_eq!(breakpoints(&body(&AnthropicMessages, &long, ENTRY)), 4);
    long.system.insert(1, "Instructions".into());
    let told = body(&AnthropicMessages, &long, ENTRY);
    assert_eq!(breakpoints(&told), 4, "one after each part of the prefix, and the end");
    assert_eq!(breakpoints(&told["system"]), 3);
    long.system.truncate(1);
    assert_eq!(breakpoints(&body(&AnthropicMessages, &long, ENTRY)), 3);
}

#[test]
fn settings_and_shapes_reach_the_body() {
    let mut shaped = request(None);
    shaped.output = strict_shape();
    shaped.commands = CommandRequestPolicy::None;
    let entry =
        format!("{ENTRY}\neffort = \"high\"\nmax_output_tokens = 9\nservice_tier = \"auto\"\nstream = false");
    let sent = body(&AnthropicMessages, &shaped, &entry);
    assert_eq!(sent["tool_choice"], json!({"type": "none"}));
    assert_eq!((&sent["max_tokens"], &sent["stream"]), (&json!(9), &json!(false)));
    assert_eq!(sent["service_tier"], "auto");
    assert_eq!(sent["output_config"]["effort"], "high");
    assert_eq!(sent["output_config"]["format"]["type"], "json_schema");
    assert!(sent["output_config"]["format"]["schema"].get("$schema").is_none());
    shaped.output = open_shape();
    assert!(body(&AnthropicMessages, &shaped, ENTRY).get("output_config").is_none());
    shaped.output = OutputShape::Text;
    shaped.tools = Arc::new([]);
    let bare = body(&AnthropicMessages, &shaped, ENTRY);
    assert!(bare.get("tool_choice").is_none() && bare.get("tools").is_none());
}

#[test]
fn parallel_calls_are_disabled_only_with_tools() {
    let off = format!("{ENTRY}\nparallel_tool_calls = false");
    let sent = body(&AnthropicMessages, &request(None), &off);
    assert_eq!(sent["tool_choice"], json!({"type": "auto", "disable_parallel_tool_use": true}));
    for entry in [ENTRY.to_owned(), format!("{ENTRY}\nparallel_tool_calls = true")] {
        assert!(body(&AnthropicMessages, &request(None), &entry).get("tool_choice").is_none(), "as it is");
    }
    let closing = ModelRequest { commands: CommandRequestPolicy::None, ..request(None) };
    assert_eq!(body(&AnthropicMessages, &closing, &off)["tool_choice"], json!({"type": "none"}));
    let bare = ModelRequest { tools: Arc::new([]), ..request(None) };
    assert!(body(&AnthropicMessages, &bare, &off).get("tool_choice").is_none());
}

#[test]
fn cache_ttl_may_be_one_hour() {
    let sent = body_text(&AnthropicMessages, &request(None), &format!("{ENTRY}\ncache_ttl = \"1h\""));
    let marks = sent.matches(r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#).count();
    assert_eq!((marks, sent.matches("cache_control").count()), (4, 4), "{sent}");
}

#[test]
fn system_notes_never_follow_results() {
    let result = UserTurnPart::Result {
        provider_call_id: "call_01".to_owned(),
        name: "tool_data_create".to_owned(),
        content: String::new(),
        is_error: false,
        files: Vec::new(),
    };
    let said = |parts: Vec<UserTurnPart>| {
        let mut asked = request(None);
        asked.turns[2] = Arc::new(PromptTurn::User(parts));
        body(&AnthropicMessages, &asked, ENTRY)["messages"][2]["content"].clone()
    };
    let note = || UserTurnPart::System("<entracte>limits</entracte>".to_owned());
    let blocks = said(vec![result.clone(), note(), note()]);
    assert_eq!(blocks.as_array().unwrap().len(), 1);
    assert_eq!(blocks[0]["content"], "<entracte>limits</entracte>\n\n<entracte>limits</entracte>");
    let blocks = said(vec![result, UserTurnPart::Text("And now?".to_owned()), note()]);
    let texts = [&blocks[1]["text"], &blocks[2]["text"]];
    assert_eq!(texts, ["And now?", "<entracte>limits</entracte>"], "a turn only grows at its end");
}

#[test]
fn unreported_tokens_are_unknown() {
    for usage in [json!({}), json!({"input_tokens": 3}), json!({"output_tokens": 3})] {
        let answer = json!({"model": "m", "content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn",
            "usage": usage});
        assert_eq!(whole(&answer).unwrap().usage, None, "{answer}");
    }
}

#[test]
fn stream_yields_text_calls_usage_and_blocks() {
    assert_eq!(crate::testing::thoughts(&AnthropicMessages, ENTRY, SSE), "They weigh \"71\" kg");
    let (reply, shown) = stream(&AnthropicMessages, ENTRY, [SSE.as_bytes()]);
    let reply = reply.unwrap();
    assert_eq!(shown, "I write it down — été 🎉.");
    assert_eq!(reply.text, shown);
    assert_eq!(reply.end, ReplyEnd::Done);
    assert_eq!(reply.model.as_deref(), Some("claude-opus-5-5"));
    let tokens = Usage { input: 12, cache_read: 4000, cache_write: 300, output: 89, ..Usage::default() };
    let usage = tokens.with_cost("0.004128".parse().unwrap());
    assert_eq!(reply.usage, Some(usage));
    let calls: Vec<_> = reply.calls.iter().map(|call| (&*call.provider_call_id, &*call.arguments)).collect();
    assert_eq!(calls, [("toolu_01", r#"{"value": 71.0, "unit": "kg"}"#), ("toolu_02", "{}")]);
    let raw = reply.raw.unwrap();
    assert_eq!(raw.dialect, "anthropic_messages/2026-10-21");
    let expected = [
        r#"[{"type":"thinking","thinking":"They weigh \"71\" kg","signature":"RXJy+/==","later":{"kept": [1, 2]}}"#,
        r#"{"type":"redacted_thinking","data":"b3BhcXVl"}"#,
        r#"{"type":"text","text":"I write it down — été 🎉."}"#,
        r#"{"type":"tool_use","id":"toolu_01","name":"tool_data_create","input":{"value": 71.0, "unit": "kg"}}"#,
        r#"{"type":"tool_use","id":"toolu_02","name":"zones_list","input":{}}]"#,
    ];
    assert_eq!(raw.bytes, expected.join(","));
}

#[test]
fn a_stream_may_be_cut_and_split_anywhere() {
    check_cuts_and_chunks(&AnthropicMessages, ENTRY, SSE, r#"{"type":"message_stop""#);
    check_damage(&AnthropicMessages, ENTRY, SSE);
}

#[test]
fn whole_answer_equals_stream() {
    let answer = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [
        {"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": ""},
        {"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "n", "input": {"k": 1}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4}});
    let reply = whole(&answer).unwrap();
    assert_eq!((reply.text.as_str(), reply.calls[0].arguments.as_str()), ("a", r#"{"k":1}"#));
    assert_eq!(reply.usage, Some(Usage { input: 3, output: 4, ..Usage::default() }));
    assert!(!reply.raw.unwrap().bytes.contains(r#""text":"""#));
}

#[test]
fn stop_reason_decides_reply_end() {
    let answer = |reason: &str| json!({"model": "m", "content": [{"type": "text", "text": "a"}], "stop_reason": reason});
    for reason in ["end_turn", "stop_sequence", "tool_use"] {
        assert_eq!(whole(&answer(reason)).unwrap().end, ReplyEnd::Done, "{reason}");
    }
    for (reason, end) in [
        ("max_tokens", ReplyEnd::OutputLimit { limit: Some(32_000) }),
        ("something_new", ReplyEnd::Unknown("something_new".into())),
    ] {
        let reply = whole(&answer(reason)).unwrap();
        assert_eq!((reply.end, reply.raw), (end, None), "{reason}");
    }
    let refused = json!({"model": "m", "content": [], "stop_reason": "refusal", "usage": {"input_tokens": 1, "output_tokens": 2},
        "stop_details": {"type": "refusal", "category": "cyber", "explanation": null}});
    let trouble = whole(&refused).unwrap_err();
    assert_eq!(trouble.class, FailureClass::Refused);
    assert_eq!(trouble.usage.map(|usage| usage.output), Some(2));
    assert!(trouble.words.contains("cyber"));
}

#[test]
fn foreign_answer_differs_from_cut_answer() {
    let read =
        |body: &str| AnthropicMessages.decode_whole(body.as_bytes(), &reading(ENTRY)).unwrap_err().class;
    assert_eq!(read(r#"{"model":"m","content":[{"type":"te"#), FailureClass::Lost);
    assert_eq!(read(""), FailureClass::Lost);
    assert_eq!(read("<html>"), FailureClass::Misconfigured);
    assert_eq!(read(r#"{"ok":true}"#), FailureClass::Misconfigured);
}

#[test]
fn an_error_in_the_stream_is_classified() {
    let start = SSE.split("event: ping").next().unwrap();
    for (kind, expected) in [
        ("overloaded_error", FailureClass::Overloaded),
        ("api_error", FailureClass::Overloaded),
        ("rate_limit_error", FailureClass::Throttled),
        ("authentication_error", FailureClass::Misconfigured),
    ] {
        let sse = format!(
            "{start}event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"{kind}\",\"message\":\"m\"}}}}\n\n"
        );
        let trouble = stream(&AnthropicMessages, ENTRY, [sse.as_bytes()]).0.unwrap_err();
        assert_eq!((trouble.class, trouble.words.as_str()), (expected, "m"), "{kind}");
        assert_eq!(trouble.usage.map(|usage| usage.cache_read), Some(4000));
    }
}

/// Events between the known ones of a stream, all of types that this version does not know.
const NEWS: [&str; 7] = [
    "data:\n\n",
    "event: keep-alive\ndata: still there\n\n",
    "data: {\"type\":\"news\",\"index\":\"a\",\"delta\":7,\"message\":[],\"usage\":\"none\"}\n\n",
    "event: news\ndata: {\"delta\":\"a\"}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"news_delta\",\"text\":{\"a\":1}}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":null}}\n\n",
    "data: {\"type\":\"ping\",\"index\":null}\n\n",
];

/// Input: a stream with all of these between its events; expected: the reply without them. A block of an unknown kind
/// is stored, whatever its fields are.
#[test]
fn unknown_events_are_ignored() {
    let (whole, _) = stream(&AnthropicMessages, ENTRY, [SSE.as_bytes()]);
    for news in NEWS {
        let sse = SSE.replace("\n\n", &format!("\n\n{news}"));
        let (reply, _) = stream(&AnthropicMessages, ENTRY, [sse.as_bytes()]);
        assert_eq!(reply.unwrap().raw, whole.clone().unwrap().raw, "{news}");
    }
    let block = r#"{"type":"news","text":{"a":1},"id":7,"name":null}"#;
    let redacted = r#"{"type":"redacted_thinking","data":"b3BhcXVl"}"#;
    let reply = stream(&AnthropicMessages, ENTRY, [SSE.replace(redacted, block).as_bytes()]).0.unwrap();
    assert!(reply.raw.unwrap().bytes.contains(block));
}

/// Input: a gateway that gives one index to all blocks, and one that begins a block twice; expected: each block once.
#[test]
fn blocks_with_one_index_stay_separate() {
    let event = |data: Value| format!("data: {data}\n\n");
    let start =
        |block: Value| event(json!({"type": "content_block_start", "index": 0, "content_block": block}));
    let call = |id: &str| start(json!({"type": "tool_use", "id": id, "name": "look", "input": {}}));
    let input = event(json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": "{\"at\":1}"}}));
    let stop = event(json!({"type": "content_block_stop", "index": 0}));
    let begin = event(json!({"type": "message_start", "message": {"model": "m", "content": []}}));
    let end = [
        event(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})),
        event(json!({"type": "message_stop"})),
    ];
    let said = start(json!({"type": "text", "text": "I look."}));
    let parts = [&begin, &said, &stop, &call("a"), &input, &stop, &call("b"), &call("b"), &input, &stop];
    let sse: String = parts.into_iter().chain(&end).map(String::as_str).collect();
    let reply = stream(&AnthropicMessages, ENTRY, [sse.as_bytes()]).0.unwrap();
    assert_eq!(reply.text, "I look.");
    let calls: Vec<_> = reply.calls.iter().map(|call| (&*call.provider_call_id, &*call.arguments)).collect();
    assert_eq!(calls, [("a", "{\"at\":1}"), ("b", "{\"at\":1}")]);
}

/// Input: an error without the usual error mark, and one in place of an answer; expected: the class its status would
/// give.
#[test]
fn unmarked_error_is_classified() {
    let error = r#"{"error":{"type":"overloaded_error","message":"m"}}"#;
    for sse in [format!("event: error\ndata: {error}\n\n"), format!("data: {error}\n\n")] {
        let trouble = stream(&AnthropicMessages, ENTRY, [sse.as_bytes()]).0.unwrap_err();
        assert_eq!((trouble.class, trouble.words.as_str()), (FailureClass::Overloaded, "m"), "{sse}");
    }
    let answer = json!({"type": "error", "error": {"type": "rate_limit_error", "message": "m"}});
    assert_eq!(whole(&answer).unwrap_err().class, FailureClass::Throttled);
}

#[test]
fn cut_arguments_are_stored_but_not_resent() {
    let sse = SSE.replace(r#""partial_json":"\"unit\": \"kg\"}""#, r#""partial_json":"\"un""#);
    let sse = sse.replace(r#""stop_reason":"tool_use""#, r#""stop_reason":"max_tokens""#);
    let reply = stream(&AnthropicMessages, ENTRY, [sse.as_bytes()]).0.unwrap();
    assert_eq!((reply.end, &reply.raw), (ReplyEnd::OutputLimit { limit: Some(32_000) }, &None));
    assert_eq!(reply.calls.last().unwrap().arguments, r#"{"value": 71.0, "un"#);
}

#[test]
fn errors_are_classified() {
    let error = |kind: &str, message: &str| {
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
            .to_string()
    };
    let signature = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a \
                     different conversation.";
    let modified = "messages.3: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot \
                    be modified";
    let limit = r#"{"error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
    let cases = [
        (
            400,
            error("invalid_request_error", "temperature: Extra inputs are not permitted"),
            FailureClass::Misconfigured,
        ),
        (
            400,
            error("invalid_request_error", "prompt is too long: 1000001 tokens > 1000000 maximum"),
            FailureClass::ContextTooLong,
        ),
        (
            400,
            error("invalid_request_error", "You have reached your specified API usage limits."),
            FailureClass::Exhausted,
        ),
        (400, error("invalid_request_error", signature), FailureClass::Repairable),
        (400, error("invalid_request_error", modified), FailureClass::Repairable),
        (401, error("authentication_error", "invalid x-api-key"), FailureClass::Misconfigured),
        (402, error("billing_error", "m"), FailureClass::Exhausted),
        (403, error("permission_error", "m"), FailureClass::Misconfigured),
        (404, error("not_found_error", "model: claude-x"), FailureClass::Misconfigured),
        (408, String::new(), FailureClass::Overloaded),
        (413, "<html>too large</html>".to_owned(), FailureClass::ContextTooLong),
        (429, error("rate_limit_error", "m"), FailureClass::Throttled),
        (429, limit.to_owned(), FailureClass::Exhausted),
        (500, error("api_error", "m"), FailureClass::Overloaded),
        (502, "<html>".to_owned(), FailureClass::Overloaded),
        (504, error("timeout_error", "m"), FailureClass::Overloaded),
        (529, error("overloaded_error", "m"), FailureClass::Overloaded),
        (301, String::new(), FailureClass::Misconfigured),
    ];
    for (status, body, expected) in cases {
        assert_eq!(class(status, &body), expected, "{status} {body}");
    }
}

/// Input: an image and a PDF in a result and in a message; expected: blocks of their kinds behind the texts that name them,
/// and none for a model that the entry says reads no PDF, or whose bytes are missing.
#[test]
fn files_are_image_and_document_blocks() {
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}});
    let document = |mark: bool| {
        let mut block = json!({
            "type": "document", "title": "report.pdf",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "cGRm"},
        });
        if mark {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
        block
    };
    let sent = body(&AnthropicMessages, &request_with_files(), ENTRY);
    let content = &sent["messages"][2]["content"];
    assert_eq!(
        content[0]["content"],
        json!([{"type": "text", "text": "shot taken"}, image, document(false)])
    );
    assert_eq!(content[1], json!({"type": "text", "text": "Look."}));
    assert_eq!((&content[2], &content[3]), (&image, &document(true)));

    let images_only = format!("{ENTRY}\nmodels = {{ model-1 = {{ pdf = false }} }}");
    let sent = body_text(&AnthropicMessages, &request_with_files(), &images_only);
    assert_eq!((sent.matches("\"image\"").count(), sent.matches("\"document\"").count()), (2, 0), "{sent}");
    let mut failed = request_with_files();
    if let PromptTurn::User(parts) = Arc::make_mut(&mut failed.turns[2])
        && let UserTurnPart::Result { is_error, .. } = &mut parts[0]
    {
        *is_error = true;
    }
    let sent = body(&AnthropicMessages, &failed, ENTRY);
    assert_eq!(sent["messages"][2]["content"][0]["content"], "shot taken", "text alone where a call failed");
    let missing = ModelRequest { files: Default::default(), ..request_with_files() };
    let sent = body(&AnthropicMessages, &missing, ENTRY);
    assert_eq!(sent["messages"][2]["content"][0]["content"], "shot taken");
    assert_eq!(sent["messages"][2]["content"].as_array().unwrap().len(), 2);
}

/// Input: an image that is too large and has a form for models; expected: the form is sent, under its own type.
#[test]
fn form_of_image_is_sent_in_its_place() {
    let mut asked = request_with_files();
    if let PromptTurn::User(parts) = Arc::make_mut(&mut asked.turns[2]) {
        for part in parts {
            if let UserTurnPart::File(file) = part
                && file.name == "chart.png"
            {
                file.bytes = 9_000_000;
                file.model_form = Some(ModelForm {
                    digest: Digest::new("form"),
                    media_type: "image/jpeg".into(),
                    bytes: 4,
                    dimensions: PixelDimensions { width: 2_000, height: 1_000 },
                    is_first_frame: false,
                });
            }
        }
    }
    asked.files.insert(Digest::new("form"), b"jpeg".to_vec());
    let sent = body(&AnthropicMessages, &asked, ENTRY);
    let source = &sent["messages"][2]["content"][2]["source"];
    assert_eq!(*source, json!({"type": "base64", "media_type": "image/jpeg", "data": "anBlZw=="}));
}

/// Input: images of just the largest size and side that the server takes, and larger ones; expected: the former are sent, and
/// the text that names the others is all.
#[test]
fn image_that_server_refuses_is_not_sent() {
    let sizes = [(3_932_160, 8_000, true), (3_932_161, 100, false), (100, 8_001, false)];
    for (bytes, height, is_sent) in sizes {
        let mut asked = request_with_files();
        if let PromptTurn::User(parts) = Arc::make_mut(&mut asked.turns[2]) {
            for part in parts {
                if let UserTurnPart::File(file) = part {
                    (file.bytes, file.dimensions) = (bytes, Some(PixelDimensions { width: 9, height }));
                }
            }
        }
        let sent = body(&AnthropicMessages, &asked, ENTRY);
        let blocks = sent["messages"][2]["content"].as_array().unwrap();
        assert_eq!(blocks.iter().any(|block| block["type"] == "image"), is_sent, "{bytes}, {height}");
    }
}
