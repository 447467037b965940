//! Contract of the parts that a wire may not leave out or weaken: of a request, of the arguments of calls, and of an
//! error in the middle of a reply.

use std::sync::Arc;

use entracte_application::ports::{
    AssistantTurn, CommandRequestPolicy, ModelRequest, NativeCall, PromptTurn, ToolDeclaration, UserTurnPart,
    WireRequest,
};
use serde_json::{Value, json};

use super::super::time_limit::unblocked;
use super::request_bodies::{asked, parsed, says};
use super::requests::{answered, plain_request, with_tools};
use super::server::{ScriptedBodyEnd, ScriptedResponse, ScriptedWireServer};
use super::{
    AwaitableReplySink, KEY, WireConnectionFixture, WireFixture, WireReplyBytes, WireReplySpec,
    encode_required_reply,
};

/// What a conversation says after its results, in its order.
const LATER: [&str; 4] = ["Deep enough.", "And tomorrow?", "It is Monday.", "Or on Sunday?"];

/// Blocks of the prefix, texts of a person and of Entracte, replies and results all reach the server, each once and in
/// the order of their turns.
pub async fn no_part_of_a_conversation_is_left_out(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let [reply, first, note, second] = LATER.map(str::to_owned);
    let mut turns = answered(asked(None), &["it is 5 m deep", "it turns at six"]);
    turns.push(Arc::new(PromptTurn::Assistant(AssistantTurn { text: reply, calls: Vec::new(), raw: None })));
    turns.push(Arc::new(PromptTurn::User(vec![
        UserTurnPart::Text(first),
        UserTurnPart::System(note),
        UserTurnPart::Text(second),
    ])));
    let prefix = ["You answer in one sentence.", "The harbour is closed at night.", "Two pilots work there."];
    let system: Vec<Arc<str>> = prefix.into_iter().map(Arc::from).collect();
    let body = line.body(&ModelRequest { system, turns, ..with_tools("") });
    for words in prefix {
        assert!(says(&parsed(&body), words), "“{words}” is not in {body}");
    }
    let said = ["How deep is it, and when?", "I look.", "it is 5 m deep", "it turns at six"];
    let places = said.into_iter().chain(LATER).map(|words| {
        assert_eq!(body.matches(words).count(), 1, "“{words}” stands once in {body}");
        body.find(words)
    });
    assert!(places.collect::<Vec<_>>().is_sorted(), "another order than that of the turns: {body}");
}

/// The largest answer that is wanted, and whether commands may be called, reach the server.
pub async fn every_limit_of_a_request_is_in_its_wire(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let first = with_tools("When do you open?");
    let sent =
        |request: &ModelRequest| -> WireRequest { line.provider.wire(request).expect("it is written") };
    let short = ModelRequest { output_tokens: Some(50), ..first.clone() };
    assert_ne!(sent(&short), sent(&first), "the limit of an answer is not in what is sent");
    assert_ne!(sent(&short), sent(&ModelRequest { output_tokens: Some(51), ..first.clone() }));
    if line.wire.declares_call_policy() {
        let closing = ModelRequest { commands: CommandRequestPolicy::None, ..first.clone() };
        assert_ne!(sent(&closing), sent(&first), "that no call is allowed is not in what is sent");
    }
}

/// The model learns that a call failed, and why.
pub async fn a_failed_result_is_told_apart(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let body = |failed: bool| {
        let mut turns = answered(asked(None), &["the gauge is out of order", "it turns at six"]);
        if let Some(PromptTurn::User(parts)) = turns.last_mut().map(Arc::make_mut)
            && let Some(UserTurnPart::Result { is_error, .. }) = parts.first_mut()
        {
            *is_error = failed;
        }
        line.body(&ModelRequest { turns, ..with_tools("") })
    };
    assert_ne!(body(true), body(false), "a failed call looks like one that succeeded");
    assert!(says(&parsed(&body(true)), "the gauge is out of order"), "{}", body(true));
}

/// The values that an argument may have, its description, and that it is required.
pub async fn tools_keep_what_they_allow(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let tool = ToolDeclaration {
        name: "tide_times".to_owned(),
        description: "Says when a tide is highest.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "tide_kind": {
                    "type": "string", "enum": ["spring_tide", "neap_tide"], "description": "Which of the two.",
                },
            },
            "required": ["tide_kind"],
            "additionalProperties": false,
        })
        .into(),
    };
    let body = parsed(&line.body(&ModelRequest { tools: Arc::new([tool]), ..with_tools("When is it?") }));
    for words in ["spring_tide", "neap_tide", "Which of the two."] {
        assert!(says(&body, words), "“{words}” is not in {body}");
    }
    assert!(lists(&body, "tide_kind"), "that an argument is required is not in {body}");
}

/// Whether a list in a value contains this text.
fn lists(value: &Value, text: &str) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| item == text || lists(item, text)),
        Value::Object(members) => members.values().any(|member| lists(member, text)),
        // Some servers take a schema as text.
        Value::String(inner) => {
            inner.starts_with('{')
                && serde_json::from_str(inner).is_ok_and(|inner: Value| lists(&inner, text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Numbers that a floating-point number cannot hold.
const DIGITS: [&str; 2] = ["9007199254740993", "0.1234567890123456789"];

/// The numbers in the arguments of a call are those that the model wrote, in the reply and when it is sent back.
pub async fn numbers_of_calls_keep_their_digits(wire: Arc<dyn WireFixture>) {
    let [count, share] = DIGITS;
    let call = NativeCall {
        provider_call_id: "call_of_a".to_owned(),
        name: "harbour_depth".to_owned(),
        arguments: format!(r#"{{"harbour_name": "Quay", "count": {count}, "share": {share}}}"#),
    };
    let said = WireReplySpec::words(&["I look."]).with_calls(vec![call.clone()]);
    if wire.encode_reply(&said).is_none() {
        return;
    }
    let line = WireConnectionFixture::with_repeated_reply(wire, &said, 1).await;
    let reply = line.answer(&with_tools("How deep is it?")).await;
    let arguments = reply.calls.first().map(|call| call.arguments.clone()).unwrap_or_default();
    let turn = AssistantTurn { text: "I look.".to_owned(), calls: vec![call], raw: None };
    let body = line.body(&ModelRequest { turns: answered(turn, &["5 m"]), ..with_tools("") });
    for digits in DIGITS {
        assert!(arguments.contains(digits), "{digits} came back as {arguments}");
        assert!(body.contains(digits), "{digits} is not in {body}");
    }
}

const WORDS: [&str; 2] = ["We open ", "at nine."];

/// A server that fails after some words has not answered, whatever it sends to end the connection.
pub async fn an_error_after_words_is_a_failure(wire: Arc<dyn WireFixture>) {
    let Some(error) = wire.mid_reply_error() else { return };
    let WireReplyBytes { mut pieces, end } =
        encode_required_reply(wire.as_ref(), &WireReplySpec::words(&WORDS));
    // The last piece says how the model ended.
    pieces.pop();
    let kind = wire.content_type().to_owned();
    let failed = || pieces.iter().chain([&error]).cloned();
    let scripts = [
        ScriptedResponse::from_pieces(&kind, failed()),
        ScriptedResponse::from_pieces(&kind, failed()).ending(ScriptedBodyEnd::Closed),
        ScriptedResponse::from_pieces(&kind, failed().chain(end.clone())),
    ];
    let times = scripts.len();
    let line = WireConnectionFixture::with_responses(wire, scripts).await;
    for time in 0..times {
        let (reply, ear) = line.call(&plain_request("When do you open?")).await;
        assert!(reply.is_err(), "answer {time} failed after “{}”, and counts as whole", ear.text());
        assert!(WORDS.concat().starts_with(&ear.text()), "answer {time}: “{}”", ear.text());
    }
}

/// A call waits without keeping the thread of the runtime, on which everything else of the process runs.
pub async fn calls_of_a_wire_block_no_other_task(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_repeated_reply(wire, &WireReplySpec::words(&WORDS), 1).await;
    let call =
        line.provider.call(plain_request("When do you open?"), Arc::new(AwaitableReplySink::default()));
    let reply = unblocked("a call", call).await;
    assert_eq!(reply.map(|reply| reply.text), Ok(WORDS.concat()));
}

/// Names, limits and windows are known without a request.
pub async fn what_is_known_of_a_model_needs_no_request(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_repeated_reply(wire, &WireReplySpec::words(&WORDS), 1).await;
    let provider = &line.provider;
    let known = || {
        let (info, window) = (provider.info(), provider.window(""));
        format!("{info:?} {window:?} {:?} {:?}", provider.limits(""), provider.most_tools())
    };
    assert_eq!(known(), known());
    // Connections are accepted in their order, so one before this call would count.
    line.answer(&plain_request("When do you open?")).await;
    assert_eq!(line.server.counts().connections, 1, "a connection is that of the call");
}

/// A refused check, list or count names the provider and not the key.
pub async fn a_failed_check_names_the_provider_alone(wire: Arc<dyn WireFixture>) {
    let echo = format!("{{\"error\":{{\"type\":\"auth\",\"message\":\"the key {KEY} is wrong\"}}}}");
    let refused = ScriptedResponse::from_pieces("application/json", [echo.into_bytes()]).status(401);
    let server = ScriptedWireServer::answering(move |_| Some(refused.clone())).await;
    let provider = wire.provider(server.address(), KEY);
    let info = provider.info();
    let failures = [
        provider.check().await.err(),
        provider.models(9).await.err(),
        provider.count(plain_request("When do you open?")).await.err(),
    ];
    assert!(failures[0].is_some(), "a check with a key that is refused fails");
    for failure in failures.into_iter().flatten() {
        assert!(!format!("{failure} {failure:?}").contains(KEY), "it shows the key: {failure}");
        let names_it = failure.message.contains(&info.name) || failure.message.contains(&info.display_name);
        assert!(names_it, "“{failure}” does not name {}", info.name);
    }
}
