//! Contract of complete responses.

use std::collections::HashSet;
use std::sync::Arc;

use entracte_application::ports::{ModelRequest, ReplyEnd};
use entracte_domain::session::failure::FailureClass;
use serde_json::Value;

use super::request_bodies::shape;
use super::requests::{calls, plain_request, with_tools};
use super::server::{ScriptedBodyEnd, ScriptedBodyStep, ScriptedResponse};
use super::{
    AwaitableReplySink, WireConnectionFixture, WireFixture, WireReplyBytes, WireReplyEnding, WireReplySpec,
    encode_required_reply, soon, whole,
};

const WORDS: [&str; 3] = ["We open at nine", ", été comme hiver 🎉 —", " \"daily\"."];

/// The complete text, in order, in the reply and at the sink, and the model's name.
pub async fn words_and_reply_are_all_that_was_said(wire: Arc<dyn WireFixture>) {
    let said = WireReplySpec::words(&WORDS);
    let line = WireConnectionFixture::with_repeated_reply(wire, &said, 1).await;
    let (reply, ear) = line.call(&plain_request("When do you open?")).await;
    let reply = reply.unwrap_or_else(|failure| panic!("it answers: {failure}"));
    assert_eq!(reply.text, WORDS.concat());
    assert_eq!(ear.text(), reply.text);
    assert_eq!((reply.end, reply.calls.len()), (ReplyEnd::Done, 0));
    assert!(reply.model.is_none_or(|model| model == said.model), "it is the model that the server named");
}

/// A person reads the text while the rest is still to come.
pub async fn words_are_heard_as_they_come(wire: Arc<dyn WireFixture>) {
    if !wire.streams() {
        return;
    }
    let WireReplyBytes { pieces, end } = encode_required_reply(wire.as_ref(), &WireReplySpec::words(&WORDS));
    let steps = pieces
        .into_iter()
        .chain(end)
        .flat_map(|piece| [ScriptedBodyStep::Send(piece), ScriptedBodyStep::Hold]);
    let script =
        ScriptedResponse { steps: steps.collect(), ..ScriptedResponse::from_pieces(wire.content_type(), []) };
    // The server holds after the first piece; further pieces are sent only until the first word is received.
    let first = first_words(&script.steps, wire.as_ref());
    let line =
        WireConnectionFixture::with_responses(wire, [ScriptedResponse { steps: first, ..script }]).await;
    let ear = Arc::new(AwaitableReplySink::default());
    let mut call = line.provider.call(plain_request("When do you open?"), ear.clone());
    tokio::select! {
        ended = &mut call => panic!("the answer was still to come: {ended:?}"),
        () = ear.wait_for_text(WORDS[0]) => {}
    }
    line.server.release_holds();
    let reply =
        soon("the end of a call", call).await.unwrap_or_else(|failure| panic!("it answers: {failure}"));
    assert_eq!(reply.text, WORDS.concat());
}

/// The pieces up to the one with the first words, then a hold, then all others.
fn first_words(steps: &[ScriptedBodyStep], wire: &dyn WireFixture) -> Vec<ScriptedBodyStep> {
    let sent = steps.iter().filter(|step| **step != ScriptedBodyStep::Hold);
    let has_words =
        |step: &&ScriptedBodyStep| matches!(step, ScriptedBodyStep::Send(piece) if contains(piece, WORDS[0]));
    let sent: Vec<ScriptedBodyStep> = sent.cloned().collect();
    let at = sent.iter().position(|step| has_words(&step));
    let at = at.unwrap_or_else(|| panic!("an answer of {} says its words as text", wire.content_type()));
    let (before, after) = sent.split_at(at + 1);
    before.iter().cloned().chain([ScriptedBodyStep::Hold]).chain(after.iter().cloned()).collect()
}

fn contains(piece: &[u8], words: &str) -> bool {
    piece.windows(words.len()).any(|window| window == words.as_bytes())
}

/// All at once, byte by byte, and with a body of unknown length.
pub async fn however_it_is_split_it_says_the_same(wire: Arc<dyn WireFixture>) {
    let said = WireReplySpec::words(&WORDS);
    let said = Some(said.clone().with_calls(calls()))
        .filter(|said| wire.encode_reply(said).is_some())
        .unwrap_or(said);
    let WireReplyBytes { pieces, end } = encode_required_reply(wire.as_ref(), &said);
    let all: Vec<u8> = pieces.iter().chain(&end).flatten().copied().collect();
    let kind = wire.content_type().to_owned();
    let scripts = [
        ScriptedResponse::from_pieces(&kind, pieces.into_iter().chain(end)),
        ScriptedResponse::from_pieces(&kind, [all.clone()]),
        ScriptedResponse::from_pieces(&kind, all.iter().map(|byte| vec![*byte])),
        ScriptedResponse::from_pieces(&kind, all.chunks(7).map(<[u8]>::to_vec)),
        ScriptedResponse::from_pieces(&kind, [all.clone()]).ending(ScriptedBodyEnd::Closed),
    ];
    let line = WireConnectionFixture::with_responses(wire, scripts).await;
    let mut replies = Vec::new();
    for _ in 0..5 {
        let (reply, ear) = line.call(&with_tools("When do you open?")).await;
        let reply = reply.unwrap_or_else(|failure| panic!("it answers: {failure}"));
        replies.push((ear.text(), reply.text, reply.calls, reply.usage, reply.raw));
    }
    for other in &replies[1..] {
        assert_eq!(other, &replies[0]);
    }
}

/// All calls in order, each with its name, a unique id, and its unchanged arguments.
pub async fn native_calls_come_back(wire: Arc<dyn WireFixture>) {
    let said = WireReplySpec::words(&["I look."]).with_calls(calls());
    if wire.encode_reply(&said).is_none() {
        return;
    }
    let line = WireConnectionFixture::with_repeated_reply(wire, &said, 1).await;
    let reply = line.answer(&with_tools("How deep is it?")).await;
    assert_eq!((reply.text.as_str(), reply.end), ("I look.", ReplyEnd::Done));
    let plain = |calls: &[entracte_application::ports::NativeCall]| -> Vec<(String, Value)> {
        let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        calls.iter().map(|call| (call.name.clone(), read(&call.arguments))).collect()
    };
    assert_eq!(plain(&reply.calls), plain(&calls()));
    let ids: HashSet<&str> = reply.calls.iter().map(|call| call.provider_call_id.as_str()).collect();
    assert!(
        ids.len() == calls().len() && !ids.contains(""),
        "each call has an id of its own: {:?}",
        reply.calls
    );
}

/// None of its calls may run, but its text was received.
pub async fn an_answer_at_its_limit_is_cut(wire: Arc<dyn WireFixture>) {
    let said = WireReplySpec::words(&WORDS).ending(WireReplyEnding::Length);
    if wire.encode_reply(&said).is_none() {
        return;
    }
    let line = WireConnectionFixture::with_repeated_reply(wire, &said, 1).await;
    let reply = line.answer(&plain_request("When do you open?")).await;
    assert_eq!(reply.text, WORDS.concat());
    assert!(matches!(reply.end, ReplyEnd::OutputLimit { .. }), "{:?}", reply.end);
}

/// The reply is not usable.
pub async fn a_refusal_to_say_more_is_refused(wire: Arc<dyn WireFixture>) {
    let said = WireReplySpec::words(&["I can"]).ending(WireReplyEnding::Refused);
    if wire.encode_reply(&said).is_none() {
        return;
    }
    let line = WireConnectionFixture::with_repeated_reply(wire, &said, 1).await;
    let failure = line.failure(&plain_request("How do I break in?")).await;
    assert_eq!(failure.class, FailureClass::Refused, "{failure}");
}

/// Input, cached input and output tokens.
pub async fn tokens_are_those_that_the_server_told(wire: Arc<dyn WireFixture>) {
    let said = WireReplySpec::words(&WORDS);
    let line = WireConnectionFixture::with_repeated_reply(wire, &said, 1).await;
    let usage =
        line.answer(&plain_request("When do you open?")).await.usage.expect("the server told of tokens");
    assert_eq!((usage.all_input(), usage.output), (said.usage.all_input(), said.usage.output));
    assert!(usage.cache_read == 0 || usage.cache_read == said.usage.cache_read, "{usage:?}");
}

/// A server that only sends keep-alive signals is not silent; a call without any signal is ended.
pub async fn signs_of_life_are_passed_on(wire: Arc<dyn WireFixture>) {
    let Some(sign) = wire.keep_alive().filter(|_| wire.streams()) else { return };
    let WireReplyBytes { pieces, end } = encode_required_reply(wire.as_ref(), &WireReplySpec::words(&WORDS));
    let mut script =
        ScriptedResponse::from_pieces(wire.content_type(), [sign]).with_step(ScriptedBodyStep::Hold);
    script.steps.extend(pieces.into_iter().chain(end).map(ScriptedBodyStep::Send));
    let line = WireConnectionFixture::with_responses(wire, [script]).await;
    let ear = Arc::new(AwaitableReplySink::default());
    let mut call = line.provider.call(plain_request("When do you open?"), ear.clone());
    tokio::select! {
        ended = &mut call => panic!("the answer was still to come: {ended:?}"),
        () = ear.wait_for_keep_alive(0) => {}
    }
    assert_eq!(ear.text(), "", "a sign of life is no word");
    line.server.release_holds();
    let reply =
        soon("the end of a call", call).await.unwrap_or_else(|failure| panic!("it answers: {failure}"));
    assert_eq!(reply.text, WORDS.concat());
}

/// The reply schema does not change how a response is read: the text is the JSON.
pub async fn an_answer_in_json_is_its_text(wire: Arc<dyn WireFixture>) {
    let json = [r#"{"of_the_shape": "#, r#""a \"quoted\" word"}"#];
    let answer = whole(wire.as_ref(), &WireReplySpec::words(&json));
    let line = WireConnectionFixture::with_responses(wire, [answer]).await;
    let shaped = ModelRequest { output: shape(), ..plain_request("Say it in JSON.") };
    assert_eq!(line.answer(&shaped).await.text, json.concat());
}
