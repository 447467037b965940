use entracte_application::ports::{CommandRequestPolicy, ModelReply, ModelRequest, PromptTurn, ReplyEnd};
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage;
use serde_json::{Value, json};
use std::sync::Arc;

use super::OpenaiResponses;
use crate::dialect::WireDialect;
use crate::encoder_settings::EncoderSettings;
use crate::encoder_version::EncoderVersion;
use crate::failure::WireFailure;
use crate::request_body::encode_body;
use crate::testing::{
    body, body_text, check_cuts_and_chunks, check_damage, class, open_shape, reading, request,
    request_with_files, settings, stream, strict_shape,
};

const ENTRY: &str = "kind = \"openai\"\nmodel = \"m\"";
const SSE: &str = include_str!("../../tests/fixtures/responses.sse");

fn whole(answer: &Value) -> Result<ModelReply, WireFailure> {
    OpenaiResponses.decode_whole(answer.to_string().as_bytes(), &reading(ENTRY))
}

#[test]
fn body_disables_storage_and_requests_encrypted_reasoning() {
    let body = body(&OpenaiResponses, &request(None), ENTRY);
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let expected = json!({
        "model": "model-1",
        "instructions": "Level 1\n\nLevel 2\n\nLevel 3",
        "input": [
            {"role": "user", "content": [text("I weigh 71 kg")]},
            {"type": "message", "role": "assistant", "content": "I write it down."},
            {"type": "function_call", "call_id": "call_01", "name": "tool_data_create",
                "arguments": "{\"value\": 71.0}"},
            {"type": "function_call_output", "call_id": "call_01", "output": "Error: no such tool"},
            {"role": "user", "content": [text("<system>limits</system>"), text("Go on")]},
        ],
        "tools": [{
            "type": "function",
            "name": "tool_data_create",
            "description": "Creates an entry.",
            "parameters": {"type": "object", "properties": {"value": {"type": "number"}}},
            "strict": false,
        }],
        "prompt_cache_key": "ses_1",
        "include": ["reasoning.encrypted_content"],
        "store": false,
        "stream": true,
    });
    assert_eq!(body, expected);
}

/// Input: a call whose arguments are not JSON, re-encoded; expected: arguments that every server parses, because the
/// result reports the error.
#[test]
fn non_object_arguments_become_empty_object() {
    for arguments in ["{\"of\":", "", "[1]", "look"] {
        let mut written = request(None);
        if let PromptTurn::Assistant(said) = Arc::make_mut(&mut written.turns[1]) {
            said.calls[0].arguments = arguments.to_owned();
        }
        assert_eq!(body(&OpenaiResponses, &written, ENTRY)["input"][2]["arguments"], "{}", "{arguments}");
    }
}

/// Input: a turn of the model whose own items are not available; expected: a message that names its type, because
/// llama.cpp refuses one that does not, and the same bytes as before in earlier generations.
#[test]
fn rebuilt_message_names_its_type() {
    let sent = |writing| {
        let settings = EncoderSettings { writing, ..settings(ENTRY) };
        let body = encode_body(settings.dialect(), &request(None), &settings).unwrap().bytes;
        serde_json::from_slice::<Value>(&body).unwrap()["input"][1].clone()
    };
    let message = json!({"role": "assistant", "content": "I write it down."});
    assert_eq!(sent(EncoderVersion::V3), message);
    let typed = json!({"type": "message", "role": "assistant", "content": "I write it down."});
    assert_eq!(sent(EncoderVersion::V4), typed);
}

#[test]
fn raw_items_go_back_byte_for_byte() {
    let raw = stream(&OpenaiResponses, ENTRY, [SSE.as_bytes()]).0.unwrap().raw.unwrap();
    assert_eq!(raw.dialect, "responses/1");
    let sent = body_text(&OpenaiResponses, &request(Some(raw.clone())), ENTRY);
    let items = raw.bytes.strip_prefix('[').unwrap().strip_suffix(']').unwrap();
    assert!(sent.contains(&format!("]}},{items},{{\"type\":\"function_call_output\"")), "{sent}");
    let other = ProviderTurn { dialect: "anthropic_messages/2026-10-21".to_owned(), ..raw };
    assert_eq!(
        body_text(&OpenaiResponses, &request(Some(other)), ENTRY),
        body_text(&OpenaiResponses, &request(None), ENTRY)
    );
}

#[test]
fn parallel_calls_are_set_only_with_tools() {
    let with = |said: bool| format!("{ENTRY}\nparallel_tool_calls = {said}");
    for said in [false, true] {
        assert_eq!(body(&OpenaiResponses, &request(None), &with(said))["parallel_tool_calls"], said);
        let bare = ModelRequest { tools: Arc::new([]), ..request(None) };
        assert!(
            body(&OpenaiResponses, &bare, &with(said)).get("parallel_tool_calls").is_none(),
            "servers refuse it"
        );
    }
    assert!(
        body(&OpenaiResponses, &request(None), ENTRY).get("parallel_tool_calls").is_none(),
        "as the server does"
    );
}

#[test]
fn settings_and_shapes_reach_the_body() {
    let mut shaped = request(None);
    shaped.output = strict_shape();
    shaped.commands = CommandRequestPolicy::None;
    let entry =
        format!("{ENTRY}\neffort = \"low\"\nmax_output_tokens = 9\nservice_tier = \"flex\"\nstream = false");
    let sent = body(&OpenaiResponses, &shaped, &entry);
    assert_eq!((&sent["tool_choice"], &sent["stream"]), (&json!("none"), &json!(false)));
    assert_eq!((&sent["max_output_tokens"], &sent["service_tier"]), (&json!(9), &json!("flex")));
    assert_eq!(sent["reasoning"], json!({"effort": "low"}));
    assert_eq!(sent["text"]["format"]["strict"], true);
    shaped.output = open_shape();
    assert_eq!(body(&OpenaiResponses, &shaped, ENTRY)["text"]["format"], json!({"type": "json_object"}));
    let none = format!("{ENTRY}\nstructured_output = \"none\"");
    assert!(body(&OpenaiResponses, &shaped, &none).get("text").is_none());
}

#[test]
fn reasoning_summaries_are_shown_separately() {
    let event = |kind: &str, delta: &str| format!("data: {}\n\n", json!({"type": kind, "delta": delta}));
    let sse = [
        event("response.reasoning_summary_text.delta", "I look "),
        event("response.reasoning_summary_text.delta", "it up."),
        event("response.output_text.delta", "71 kg"),
    ];
    assert_eq!(crate::testing::thoughts(&OpenaiResponses, ENTRY, &sse.concat()), "I look it up.");
}

#[test]
fn stored_conversation_is_the_request_id() {
    let handle = |more: Value| {
        let mut answer = json!({"id": "resp_1", "status": "completed", "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "a"}]}]});
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reading = crate::testing::reading(ENTRY);
        OpenaiResponses.decode_whole(answer.to_string().as_bytes(), &reading).unwrap().request_id
    };
    assert_eq!(handle(json!({})).as_deref(), Some("resp_1"));
    assert_eq!(handle(json!({"conversation": null})).as_deref(), Some("resp_1"));
    assert_eq!(handle(json!({"conversation": {"id": "conv_1"}})).as_deref(), Some("conv_1"));
    assert_eq!(handle(json!({"conversation": "conv_2"})).as_deref(), Some("conv_2"));
}

#[test]
fn stream_yields_text_calls_usage_and_items() {
    let (reply, shown) = stream(&OpenaiResponses, ENTRY, [SSE.as_bytes()]);
    let reply = reply.unwrap();
    assert_eq!(
        (shown.as_str(), reply.text.as_str()),
        ("I write it down — été 🎉.", "I write it down — été 🎉.")
    );
    assert_eq!(reply.end, ReplyEnd::Done);
    assert_eq!(reply.model.as_deref(), Some("gpt-6-sol-2026-09-01"));
    let usage = Usage { input: 12, cache_read: 4000, cache_write: 300, output: 89, ..Usage::default() };
    assert_eq!(reply.usage, Some(usage));
    assert_eq!(reply.calls[0].provider_call_id, "call_01");
    assert_eq!(reply.calls[0].arguments, r#"{"value":71.0}"#);
    let raw = reply.raw.unwrap().bytes;
    for kept in [
        r#""summary":[], "content":null,"encrypted_content":"gAAA+/==""#,
        r#""phase":"commentary""#,
        r#""caller":"model""#,
    ] {
        assert!(raw.contains(kept), "{raw}");
    }
}

#[test]
fn a_stream_may_be_cut_and_split_anywhere() {
    check_cuts_and_chunks(&OpenaiResponses, ENTRY, SSE, r#""type":"response.completed""#);
    check_damage(&OpenaiResponses, ENTRY, SSE);
}

#[test]
fn closing_event_items_are_used_as_fallback() {
    let sse = r#"data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}}

data: [DONE]

"#;
    let reply = stream(&OpenaiResponses, ENTRY, [sse.as_bytes()]).0.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage), ("a", None));
}

/// Input: a stream with events of unknown types between its own; expected: the reply without them.
#[test]
fn unknown_events_are_ignored() {
    let (whole, _) = stream(&OpenaiResponses, ENTRY, [SSE.as_bytes()]);
    for news in [
        "data:\n\n",
        "event: keep-alive\ndata: still there\n\n",
        "data: {\"type\":\"response.news\",\"response\":\"resp_1\",\"output_index\":-1,\"item\":7}\n\n",
        "event: response.news\ndata: {\"response\":7}\n\n",
    ] {
        let sse = SSE.replace("\n\n", &format!("\n\n{news}"));
        let (reply, _) = stream(&OpenaiResponses, ENTRY, [sse.as_bytes()]);
        assert_eq!(reply.unwrap(), whole.clone().unwrap(), "{news}");
    }
}

/// Input: servers that give no index, one index to all, an item twice, or the last item only in the closing event;
/// expected: each item once.
#[test]
fn items_without_useful_index_stay_separate() {
    let item = |number: u32| {
        json!({"type": "function_call", "id": format!("fc_{number}"),
        "call_id": format!("call_{number}"), "name": "look", "arguments": "{}"})
    };
    let done = |more: Value, number: u32| {
        let mut event = json!({"type": "response.output_item.done", "item": item(number)});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("data: {event}\n\n")
    };
    let closing = |output: Value| {
        let response = json!({"status": "completed", "output": output});
        format!("data: {}\n\n", json!({"type": "response.completed", "response": response}))
    };
    let at = |index: u32| json!({"output_index": index});
    for sse in [
        [done(json!({}), 1), done(json!({}), 2), closing(json!([]))],
        [done(json!({"output_index": null}), 1), done(json!({}), 2), closing(json!([item(1), item(2)]))],
        [done(at(0), 1), done(at(0), 2), closing(json!([]))],
        [done(at(1), 2), done(at(0), 1), closing(json!([]))],
        [done(at(0), 1) + &done(at(0), 1), done(at(1), 2), closing(json!([]))],
        [done(at(0), 1), String::new(), closing(json!([item(1), item(2)]))],
    ] {
        let sse = sse.concat();
        let reply = stream(&OpenaiResponses, ENTRY, [sse.as_bytes()]).0.unwrap();
        let ids: Vec<&str> = reply.calls.iter().map(|call| &*call.provider_call_id).collect();
        assert_eq!(ids, ["call_1", "call_2"], "{sse}");
    }
}

/// Input: an error without the usual error mark, and one in place of an answer; expected: the class its status would
/// give.
#[test]
fn unmarked_error_is_classified() {
    let error = r#"{"error":{"code":"rate_limit_exceeded","message":"m"}}"#;
    for sse in [format!("event: error\ndata: {error}\n\n"), format!("data: {error}\n\n")] {
        let trouble = stream(&OpenaiResponses, ENTRY, [sse.as_bytes()]).0.unwrap_err();
        assert_eq!((trouble.class, trouble.words.as_str()), (FailureClass::Throttled, "m"), "{sse}");
    }
    let answer: Value = serde_json::from_str(error).unwrap();
    assert_eq!(whole(&answer).unwrap_err().class, FailureClass::Throttled);
}

#[test]
fn reasoning_beside_the_output_is_billed() {
    for (total, output) in [(json!(1_900), 1_400), (json!(1_000), 500), (Value::Null, 500)] {
        let usage = json!({"input_tokens": 500, "output_tokens": 500, "total_tokens": total,
            "output_tokens_details": {"reasoning_tokens": 900}});
        let part = json!({"type": "output_text", "text": "a"});
        let answer = json!({"status": "completed", "output": [{"type": "message", "content": [part]}], "usage": usage});
        assert_eq!(whole(&answer).unwrap().usage.unwrap().output, output, "{answer}");
    }
}

#[test]
fn unreported_tokens_are_unknown() {
    let answer = |usage: Value| {
        let part = json!({"type": "output_text", "text": "a"});
        json!({"status": "completed", "output": [{"type": "message", "content": [part]}], "usage": usage})
    };
    for usage in [json!({}), json!({"input_tokens": 5}), json!({"input_tokens": null, "output_tokens": null})]
    {
        assert_eq!(whole(&answer(usage.clone())).unwrap().usage, None, "{usage}");
    }
    let told = whole(&answer(json!({"input_tokens": 0, "output_tokens": 0}))).unwrap();
    assert_eq!(told.usage, Some(Usage::default()));
}

#[test]
fn unenforceable_shape_is_requested_in_input() {
    let mut shaped = request(None);
    shaped.output = open_shape();
    let sent = body(&OpenaiResponses, &shaped, ENTRY);
    assert_eq!(sent["text"]["format"], json!({"type": "json_object"}));
    let told = json!({"role": "developer", "content": [
        {"type": "input_text", "text": "Answer with one JSON object."}]});
    assert_eq!(sent["input"][0], told);
    shaped.output = strict_shape();
    let strict = body(&OpenaiResponses, &shaped, ENTRY);
    assert_eq!(
        (&strict["input"][0]["role"], &strict["text"]["format"]["strict"]),
        (&json!("user"), &json!(true))
    );
}

#[test]
fn reasoning_models_get_summary_request() {
    let of = |model: &str, more: &str| {
        let asked = ModelRequest { model: model.to_owned(), ..request(None) };
        body(&OpenaiResponses, &asked, &format!("{ENTRY}{more}"))["reasoning"].clone()
    };
    assert_eq!(of("gpt-6-sol", ""), json!({"summary": "auto"}));
    assert_eq!(of("gpt-6-sol", "\neffort = \"low\""), json!({"effort": "low", "summary": "auto"}));
    assert_eq!(of("gpt-6-sol", "\nreasoning_summary = false"), Value::Null);
    assert_eq!(of("gpt-6-sol", "\nbase_url = \"http://localhost:4000/v1\""), Value::Null);
    assert_eq!(of("gpt-4.1", ""), Value::Null, "it does not reason");
    assert_eq!(of("my-model", ""), Value::Null, "nobody knows whether it does");
}

#[test]
fn status_decides_reply_end() {
    let item = json!({"type": "function_call", "call_id": "c", "name": "n", "arguments": "{\"a"});
    let cut = json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [item]});
    let reply = whole(&cut).unwrap();
    assert_eq!((reply.end, reply.raw), (ReplyEnd::OutputLimit { limit: None }, None));
    let part = json!({"type": "refusal", "refusal": "I will not."});
    let refusals = [
        json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}),
        json!({"status": "completed", "output": [{"type": "message", "content": [part]}]}),
    ];
    for answer in refusals {
        assert_eq!(whole(&answer).unwrap_err().class, FailureClass::Refused, "{answer}");
    }
    for (code, expected) in [
        ("server_error", FailureClass::Overloaded),
        ("rate_limit_exceeded", FailureClass::Throttled),
        ("invalid_prompt", FailureClass::Refused),
        ("context_length_exceeded", FailureClass::ContextTooLong),
    ] {
        let failed = json!({"status": "failed", "error": {"code": code, "message": "m"}, "output": [],
            "usage": {"input_tokens": 5, "output_tokens": 0}});
        let trouble = whole(&failed).unwrap_err();
        assert_eq!((trouble.class, trouble.words.as_str()), (expected, "m"), "{code}");
        assert_eq!(trouble.usage.map(|usage| usage.input), Some(5));
        let event = format!("data: {{\"type\":\"response.failed\",\"response\":{failed}}}\n\n");
        assert_eq!(
            stream(&OpenaiResponses, ENTRY, [event.as_bytes()]).0.unwrap_err().class,
            expected,
            "{code}"
        );
        let event = format!("data: {{\"type\":\"error\",\"code\":\"{code}\",\"message\":\"m\"}}\n\n");
        assert_eq!(
            stream(&OpenaiResponses, ENTRY, [event.as_bytes()]).0.unwrap_err().class,
            expected,
            "{code}"
        );
    }
}

#[test]
fn errors_are_classified() {
    let error = |kind: &str, code: &str, message: &str| {
        json!({"error": {"message": message, "type": kind, "param": null, "code": code}}).to_string()
    };
    let cases = [
        (400, error("invalid_request_error", "context_length_exceeded", "m"), FailureClass::ContextTooLong),
        (400, error("BadRequestError", "400", "prompt is too long: 9 > 8"), FailureClass::ContextTooLong),
        (400, error("", "", "This model's maximum context length is 8 tokens"), FailureClass::ContextTooLong),
        (400, error("invalid_request_error", "unsupported_parameter", "m"), FailureClass::Misconfigured),
        (400, error("invalid_request_error", "invalid_encrypted_content", "m"), FailureClass::Repairable),
        (
            400,
            error(
                "invalid_request_error",
                "",
                "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
            ),
            FailureClass::Repairable,
        ),
        (
            404,
            error(
                "invalid_request_error",
                "",
                "Item with id 'rs_1' not found. Items are not persisted when `store` is false.",
            ),
            FailureClass::Repairable,
        ),
        (
            400,
            error("", "", "the model is loaded with a context length of only 4096 tokens"),
            FailureClass::ContextTooLong,
        ),
        (400, error("invalid_request_error", "invalid_prompt", "m"), FailureClass::Refused),
        (401, error("invalid_request_error", "invalid_api_key", "m"), FailureClass::Misconfigured),
        (404, error("invalid_request_error", "model_not_found", "m"), FailureClass::Misconfigured),
        (413, String::new(), FailureClass::ContextTooLong),
        (429, error("requests", "rate_limit_exceeded", "m"), FailureClass::Throttled),
        (429, error("tokens", "slow_down", "m"), FailureClass::Throttled),
        (429, error("insufficient_quota", "credit_balance_exhausted", "m"), FailureClass::Exhausted),
        (429, error("insufficient_quota", "insufficient_quota", "m"), FailureClass::Exhausted),
        (500, error("server_error", "", "m"), FailureClass::Overloaded),
        (503, error("server_error", "", "m"), FailureClass::Overloaded),
    ];
    for (status, body, expected) in cases {
        assert_eq!(class(status, &body), expected, "{status} {body}");
    }
}

/// Input: an image and a PDF in a result and in a message; expected: parts of their kinds in the output of the call and in
/// the message, and texts alone for a model that reads neither.
#[test]
fn files_are_input_images_and_files() {
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let image = json!({"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,cG5n"});
    let file = json!({
        "type": "input_file", "filename": "report.pdf", "file_data": "data:application/pdf;base64,cGRm",
    });
    let sent = body(&OpenaiResponses, &request_with_files(), ENTRY);
    let items = sent["input"].as_array().unwrap();
    let output = items.iter().find(|item| item["type"] == "function_call_output").unwrap();
    assert_eq!(output["output"], json!([text("shot taken"), image, file]));
    assert_eq!(items.last().unwrap()["content"], json!([text("Look."), image, file]));

    let neither = format!("{ENTRY}\nmodels = {{ model-1 = {{ images = false, pdf = false }} }}");
    let sent = body(&OpenaiResponses, &request_with_files(), &neither);
    let items = sent["input"].as_array().unwrap();
    let output = items.iter().find(|item| item["type"] == "function_call_output").unwrap();
    assert_eq!(output["output"], "shot taken");
    assert_eq!(items.last().unwrap()["content"], json!([text("Look.")]));
}
