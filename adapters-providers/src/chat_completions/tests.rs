use entracte_application::ports::{CommandRequestPolicy, ModelReply, ModelRequest, PromptTurn, ReplyEnd};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage;
use serde_json::{Value, json};
use std::sync::Arc;

use super::ChatCompletions;
use crate::dialect::WireDialect;
use crate::failure::WireFailure;
use crate::testing::{
    body, body_text, check_cuts_and_chunks, check_damage, class, open_shape, reading, request,
    request_with_files, stream, strict_shape, thoughts,
};

const GROQ: &str = "kind = \"groq\"\nmodel = \"m\"";
const LOCAL: &str = "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://localhost:11434/v1\"";
const SSE: &str = include_str!("../../tests/fixtures/chat.sse");

fn whole(answer: &Value) -> Result<ModelReply, WireFailure> {
    ChatCompletions.decode_whole(answer.to_string().as_bytes(), &reading(LOCAL))
}

#[test]
fn body_has_one_system_message_and_adjacent_results() {
    let body = body(&ChatCompletions, &request(None), GROQ);
    let expected = json!({
        "model": "model-1",
        "messages": [
            {"role": "system", "content": "Level 1\n\nLevel 2\n\nLevel 3"},
            {"role": "user", "content": "I weigh 71 kg"},
            {"role": "assistant", "content": "I write it down.", "tool_calls": [{
                "id": "call_01",
                "type": "function",
                "function": {"name": "tool_data_create", "arguments": "{\"value\": 71.0}"},
            }]},
            {"role": "tool", "tool_call_id": "call_01",
                "content": "Error: no such tool\n\n<system>limits</system>"},
            {"role": "user", "content": "Go on"},
        ],
        "tools": [{"type": "function", "function": {
            "name": "tool_data_create",
            "description": "Creates an entry.",
            "parameters": {"type": "object", "properties": {"value": {"type": "number"}}},
        }}],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(body, expected);
}

#[test]
fn streamed_message_is_sent_back_unchanged() {
    let raw = stream(&ChatCompletions, GROQ, [SSE.as_bytes()]).0.unwrap().raw.unwrap();
    assert_eq!(raw.dialect, "chat_completions/groq");
    let expected = [
        r#"[{"role":"assistant","content":"I write it down — été 🎉.","reasoning":"They weigh 71 kg","#,
        r#""tool_calls":[{"id":"call_01","type":"function","#,
        r#""function":{"name":"tool_data_create","arguments":"{\"value\":71.0}"},"#,
        r#""extra_content":{"google":{"thought_signature":"c2ln"}}},"#,
        r#"{"id":"call_02","type":"function","function":{"name":"zones_list","arguments":"{}"}}]}]"#,
    ];
    assert_eq!(raw.bytes, expected.concat());
    let sent = body_text(&ChatCompletions, &request(Some(raw.clone())), GROQ);
    let message = raw.bytes.strip_prefix('[').unwrap().strip_suffix(']').unwrap();
    assert!(sent.contains(&format!(",{message},{{\"role\":\"tool\"")), "{sent}");
    let elsewhere = body_text(&ChatCompletions, &request(Some(raw)), LOCAL);
    assert_eq!(elsewhere, body_text(&ChatCompletions, &request(None), LOCAL));
}

#[test]
fn parallel_calls_are_set_only_with_tools() {
    let with = |said: bool| format!("{GROQ}\nparallel_tool_calls = {said}");
    for said in [false, true] {
        assert_eq!(body(&ChatCompletions, &request(None), &with(said))["parallel_tool_calls"], said);
        let bare = ModelRequest { tools: Arc::new([]), ..request(None) };
        assert!(
            body(&ChatCompletions, &bare, &with(said)).get("parallel_tool_calls").is_none(),
            "servers refuse it"
        );
    }
    assert!(
        body(&ChatCompletions, &request(None), GROQ).get("parallel_tool_calls").is_none(),
        "as the server does"
    );
}

#[test]
fn settings_use_field_names_of_profile() {
    let mut shaped = request(None);
    shaped.output = strict_shape();
    shaped.commands = CommandRequestPolicy::None;
    let more = "\neffort = \"low\"\nmax_output_tokens = 9\ntemperature = 0.5\ntop_p = 0.9\nstream = false";
    let groq = body(&ChatCompletions, &shaped, &format!("{GROQ}{more}"));
    assert_eq!((&groq["tool_choice"], &groq["max_completion_tokens"]), (&json!("none"), &json!(9)));
    assert_eq!((&groq["reasoning_effort"], &groq["temperature"]), (&json!("low"), &json!(0.5)));
    assert!(groq.get("stream_options").is_none() && groq.get("prompt_cache_key").is_none());
    assert!(groq.get("response_format").is_none(), "Groq refuses JSON mode beside tools");
    let local = body(&ChatCompletions, &shaped, &format!("{LOCAL}{more}"));
    assert_eq!((local.get("max_completion_tokens"), &local["max_tokens"]), (None, &json!(9)));
    shaped.tools = Arc::new([]);
    assert_eq!(body(&ChatCompletions, &shaped, GROQ)["response_format"], json!({"type": "json_object"}));
    assert!(body(&ChatCompletions, &shaped, LOCAL).get("response_format").is_none());
    let schema = format!("{LOCAL}\nstructured_output = \"schema\"");
    let strict = |request: &ModelRequest| {
        body(&ChatCompletions, request, &schema)["response_format"]["json_schema"]["strict"] == true
    };
    assert!(strict(&shaped));
    shaped.output = open_shape();
    assert!(!strict(&shaped));
}

#[test]
fn reasoning_is_shown_separately() {
    for field in ["reasoning", "reasoning_content"] {
        let chunk = |piece: Value| format!("data: {}\n\n", json!({"choices": [{"delta": piece}]}));
        let sse = [
            chunk(json!({field: "Let me "})),
            chunk(json!({field: "see."})),
            chunk(json!({"content": "71 kg"})),
        ];
        assert_eq!(thoughts(&ChatCompletions, GROQ, &sse.concat()), "Let me see.", "{field}");
    }
}

#[test]
fn a_stream_gives_text_calls_and_usage() {
    let (reply, shown) = stream(&ChatCompletions, GROQ, [SSE.as_bytes()]);
    let reply = reply.unwrap();
    assert_eq!(
        (shown.as_str(), reply.text.as_str()),
        ("I write it down — été 🎉.", "I write it down — été 🎉.")
    );
    assert_eq!((reply.end, reply.request_id.as_deref()), (ReplyEnd::Done, Some("req_01")));
    let tokens = Usage { input: 312, cache_read: 4000, output: 89, ..Usage::default() };
    let usage = tokens.with_cost("0.0004002".parse().unwrap());
    assert_eq!(reply.usage, Some(usage));
    let calls: Vec<_> = reply.calls.iter().map(|call| (&*call.provider_call_id, &*call.arguments)).collect();
    assert_eq!(calls, [("call_01", r#"{"value":71.0}"#), ("call_02", "{}")]);
}

#[test]
fn a_stream_may_be_cut_and_split_anywhere() {
    check_cuts_and_chunks(&ChatCompletions, GROQ, SSE, r#"finish_reason":""#);
    check_damage(&ChatCompletions, GROQ, SSE);
}

#[test]
fn calls_without_useful_index_stay_separate() {
    let sse = |calls: [Value; 2]| {
        let chunk =
            |call: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}));
        format!(
            "{}{}data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"tool_calls\"}}]}}\n\ndata: [DONE]\n\n",
            chunk(&calls[0]),
            chunk(&calls[1])
        )
    };
    let cases = [
        [
            json!({"id": "a", "function": {"name": "one", "arguments": "{}"}}),
            json!({"id": "b", "function": {"name": "two", "arguments": "{}"}}),
        ],
        [
            json!({"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}),
            json!({"index": 0, "id": "b", "function": {"name": "two", "arguments": {}}}),
        ],
        [
            json!({"function": {"name": "one", "arguments": "{}"}}),
            json!({"function": {"name": "two", "arguments": "{}"}}),
        ],
    ];
    for case in cases {
        let reply = stream(&ChatCompletions, LOCAL, [sse(case.clone()).as_bytes()]).0.unwrap();
        let names: Vec<_> = reply.calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
        assert_eq!(names, [("one", "{}"), ("two", "{}")], "{case:?}");
        assert_ne!(reply.calls[0].provider_call_id, reply.calls[1].provider_call_id, "{case:?}");
    }
}

#[test]
fn a_whole_answer_may_lack_almost_everything() {
    let reply = whole(&json!({"choices": [{"message": {"content": "a"}}]})).unwrap();
    assert_eq!((reply.text.as_str(), reply.end, reply.usage), ("a", ReplyEnd::Done, None));
    let call = json!({"function": {"name": "n", "arguments": {"k": 1}}});
    let reply = whole(
        &json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "stop"}]}),
    );
    let reply = reply.unwrap();
    assert_eq!(
        (reply.calls[0].provider_call_id.as_str(), reply.calls[0].arguments.as_str()),
        ("call_0", r#"{"k":1}"#)
    );
}

#[test]
fn finish_reason_decides_reply_end() {
    let answer =
        |reason: &str, message: Value| json!({"choices": [{"message": message, "finish_reason": reason}]});
    let cut = whole(&answer("length", json!({"content": "a"}))).unwrap();
    assert_eq!((cut.end, cut.raw), (ReplyEnd::OutputLimit { limit: None }, None));
    for answer in
        [answer("content_filter", json!({"content": "a"})), answer("stop", json!({"refusal": "no"}))]
    {
        assert_eq!(whole(&answer).unwrap_err().class, FailureClass::Refused, "{answer}");
    }
    assert_eq!(whole(&json!({"choices": []})).unwrap_err().class, FailureClass::Misconfigured);
}

#[test]
fn errors_inside_an_answer_are_classified() {
    let error = |code: Value| json!({"error": {"code": code, "message": "m"}});
    for (error, expected) in [
        (error(json!(429)), FailureClass::Throttled),
        (error(json!(503)), FailureClass::Overloaded),
        (error(json!("tool_use_failed")), FailureClass::Repairable),
        (error(Value::Null), FailureClass::Overloaded),
        (json!({"x_groq": {"error": "over capacity"}}), FailureClass::Overloaded),
    ] {
        let sse = format!("data: {error}\n\n");
        assert_eq!(
            stream(&ChatCompletions, GROQ, [sse.as_bytes()]).0.unwrap_err().class,
            expected,
            "{error}"
        );
    }
}

/// Input: errors whose text is beside their mark, in a stream and in place of an answer; expected: the class of their
/// code.
#[test]
fn unmarked_error_is_classified() {
    let flat = r#"{"object":"error","message":"too many","type":"RateLimit","code":429}"#;
    let plain = r#"{"message":"too many","code":429}"#;
    for sse in [format!("data: {flat}\n\n"), format!("event: error\ndata: {plain}\n\n")] {
        let trouble = stream(&ChatCompletions, GROQ, [sse.as_bytes()]).0.unwrap_err();
        assert_eq!((trouble.class, trouble.words.as_str()), (FailureClass::Throttled, "too many"), "{sse}");
    }
    let answer: Value = serde_json::from_str(flat).unwrap();
    assert_eq!(whole(&answer).unwrap_err().class, FailureClass::Throttled);
}

/// Input: empty finish reasons, and ones that report a server fault; expected: a lost answer if no reason came, and a
/// retryable failure if the server broke off.
#[test]
fn finish_reason_may_be_empty_or_server_fault() {
    let chunk = |reason: &str| {
        let choice = json!({"delta": {"content": "a"}, "finish_reason": reason});
        format!("data:\n\ndata: {}\n\n", json!({"choices": [choice]}))
    };
    let ends = |sse: String| stream(&ChatCompletions, LOCAL, [sse.as_bytes()]).0;
    assert_eq!(ends(chunk("") + &chunk("stop")).unwrap().text, "aa");
    assert_eq!(ends(chunk("")).unwrap_err().class, FailureClass::Lost);
    for reason in ["error", "insufficient_system_resource"] {
        let trouble = ends(chunk(reason)).unwrap_err();
        assert_eq!(trouble.class, FailureClass::Overloaded, "{reason}");
        assert!(trouble.words.contains(reason), "{}", trouble.words);
    }
    let answer = json!({"choices": [{"message": {"content": "a"}, "finish_reason": ""}]});
    assert_eq!(whole(&answer).unwrap().end, ReplyEnd::Done);
}

#[test]
fn errors_are_classified() {
    let error = |code: &str, message: &str| {
        json!({"error": {"message": message, "type": "t", "code": code}}).to_string()
    };
    let cases = [
        (400, error("tool_use_failed", "Failed to call a function."), FailureClass::Repairable),
        (400, error("json_validate_failed", "m"), FailureClass::Repairable),
        (400, error("context_length_exceeded", "m"), FailureClass::ContextTooLong),
        (400, error("", "This model's maximum context length is 8192 tokens."), FailureClass::ContextTooLong),
        (
            400,
            error("", "request (9000 tokens) exceeds the available context size (4096 tokens)"),
            FailureClass::ContextTooLong,
        ),
        (
            400,
            error("", "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
            FailureClass::ContextTooLong,
        ),
        (400, error("", "property 'x' is unsupported"), FailureClass::Misconfigured),
        (401, error("invalid_api_key", "m"), FailureClass::Misconfigured),
        (402, error("", "Insufficient Balance"), FailureClass::Exhausted),
        (404, r#"{"error":"model 'x' not found"}"#.to_owned(), FailureClass::Misconfigured),
        (413, error("rate_limit_exceeded", "Request too large"), FailureClass::ContextTooLong),
        (422, error("", "m"), FailureClass::Misconfigured),
        (429, error("rate_limit_exceeded", "m"), FailureClass::Throttled),
        (429, error("insufficient_quota", "m"), FailureClass::Exhausted),
        (498, error("capacity_exceeded", "m"), FailureClass::Overloaded),
        (499, String::new(), FailureClass::Overloaded),
        (503, r#"{"error":{"code":503,"message":"Loading model"}}"#.to_owned(), FailureClass::Overloaded),
    ];
    for (status, body, expected) in cases {
        assert_eq!(class(status, &body), expected, "{status} {body}");
    }
}

#[test]
fn rejected_raw_messages_are_rebuilt() {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let raw = |calls: &[Value]| {
        let message = json!({"role": "assistant", "content": "I look", "tool_calls": calls});
        let answer = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
        let reply = ChatCompletions.decode_whole(answer.to_string().as_bytes(), &reading(GROQ)).unwrap();
        assert_eq!(reply.calls.len(), calls.len());
        reply.raw
    };
    let good = call("a", "look", "{}");
    assert!(raw(&[good.clone(), call("b", "look", "{\"of\":1}")]).is_some());
    for bad in [call("b", "functions.look", "{}"), call("b", "look", "{\"of\":"), call("a", "look", "{}")] {
        assert_eq!(raw(&[good.clone(), bad.clone()]), None, "{bad}");
    }
    let mut written = request(None);
    if let PromptTurn::Assistant(said) = Arc::make_mut(&mut written.turns[1]) {
        said.calls[0].arguments = "{\"of\":".to_owned();
    }
    let body = body(&ChatCompletions, &written, GROQ);
    assert_eq!(body["messages"][2]["tool_calls"][0]["function"]["arguments"], "{}");
}

const MISTRAL: &str = "kind = \"mistral\"\nmodel = \"m\"";

#[test]
fn mistral_gets_user_text_in_last_result() {
    let sent = body(&ChatCompletions, &request(None), MISTRAL);
    let last = sent["messages"].as_array().unwrap().last().unwrap();
    let expected = json!({"role": "tool", "tool_call_id": "e00001000", "content":
        "Error: no such tool\n\n<system>limits</system>\n\n<entracte type=\"USER_MESSAGE\">\nGo on\n</entracte>"});
    assert_eq!(*last, expected);
    assert_eq!(sent["messages"][2]["tool_calls"][0]["id"], "e00001000");
    assert_eq!(sent.get("stream_options"), None);
    let asked = format!("{MISTRAL}\nstream_options = true\nprompt_cache_key = true");
    let sent = body(&ChatCompletions, &request(None), &asked);
    assert_eq!(sent["stream_options"], json!({"include_usage": true}));
    assert_eq!(sent["prompt_cache_key"], "ses_1");
}

#[test]
fn an_entry_adds_fields_to_the_body() {
    let entry = "kind = \"ollama\"\nmodel = \"m\"\nextra_body = { options = { num_ctx = 8192 }, keep_alive = \"1h\" }";
    let sent = body(&ChatCompletions, &request(None), entry);
    assert_eq!((&sent["options"]["num_ctx"], &sent["keep_alive"]), (&json!(8192), &json!("1h")));
}

#[test]
fn unreported_tokens_are_unknown() {
    let answer = |usage: Value| json!({"choices": [{"message": {"content": "a"}}], "usage": usage});
    for usage in [json!({}), json!({"prompt_tokens": 5}), json!({"completion_tokens": 5}), Value::Null] {
        assert_eq!(whole(&answer(usage.clone())).unwrap().usage, None, "{usage}");
    }
    let told = json!({"prompt_tokens": 5, "completion_tokens": 2, "prompt_cache_hit_tokens": 4});
    let usage = Usage { input: 1, cache_read: 4, output: 2, ..Usage::default() };
    assert_eq!(whole(&answer(told)).unwrap().usage, Some(usage));
}

/// Input: prompt, completion, total, reasoning and cached tokens as servers report them; expected: the billed output.
#[test]
fn reasoning_beside_the_output_is_billed() {
    let cases = [
        // xAI: reasoning is counted beside the output (public reports sub2api#5771, inspect_ai#5528).
        (
            json!({"prompt_tokens": 10_120, "completion_tokens": 1_499, "total_tokens": 14_428,
            "prompt_tokens_details": {"cached_tokens": 128},
            "completion_tokens_details": {"reasoning_tokens": 2_809}}),
            4_308,
        ),
        // A gateway in front of Gemini that reports no details (any-llm#1290).
        (json!({"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}), 603),
        // OpenAI: reasoning is included in the output.
        (
            json!({"prompt_tokens": 1_000, "completion_tokens": 500, "total_tokens": 1_500,
            "completion_tokens_details": {"reasoning_tokens": 200}}),
            500,
        ),
        (json!({"prompt_tokens": 1_000, "completion_tokens": 500, "total_tokens": null}), 500),
        // The surplus is the cached part of the prompt.
        (
            json!({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 11,
            "prompt_tokens_details": {"cached_tokens": 4}}),
            2,
        ),
        // A total that is too small subtracts nothing.
        (json!({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 0}), 2),
    ];
    for (usage, output) in cases {
        let answer = json!({"choices": [{"message": {"content": "a"}}], "usage": usage});
        assert_eq!(whole(&answer).unwrap().usage.unwrap().output, output, "{answer}");
    }
}

/// Input: an image and a PDF in a result and in a message; expected: images as URLs in the user message behind all results,
/// the image of the result behind the line that names it; and texts alone for a model that reads none, and where no
/// message may follow results.
#[test]
fn images_follow_all_results() {
    let reads = format!("{LOCAL}\nmodels = {{ model-1 = {{ images = true, pdf = true }} }}");
    let sent = body(&ChatCompletions, &request_with_files(), &reads);
    let messages = sent["messages"].as_array().unwrap();
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}});
    let [.., tool, user] = messages.as_slice() else { panic!("{sent}") };
    assert_eq!((&tool["role"], &tool["content"]), (&json!("tool"), &json!("shot taken")));
    let line = "[chart.png: image/png, 3 bytes, chart.png]";
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(user["content"], json!([text(line), image, text("Look."), image]));

    for entry in [LOCAL, GROQ] {
        let sent = body(&ChatCompletions, &request_with_files(), entry);
        let last = sent["messages"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last, json!({"role": "user", "content": "Look."}));
    }
    let mistral = "kind = \"mistral\"\nmodel = \"m\"\nmodels = { model-1 = { images = true } }";
    let sent = body_text(&ChatCompletions, &request_with_files(), mistral);
    assert!(!sent.contains("image_url"), "{sent}");
}
