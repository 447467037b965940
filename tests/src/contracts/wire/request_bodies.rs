//! Contract of sent requests.

use std::sync::Arc;

use entracte_application::ports::{
    AssistantTurn, ModelRequest, OutputShape, PromptTurn, ToolDeclaration, UserTurnPart,
};
use entracte_application::system::sha256;
use entracte_domain::message::ProviderTurn;
use entracte_domain::value::JsonValue;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::requests::{answered, calls, plain_request, tools, user_turn, with_tools};
use super::{KEY, WireConnectionFixture, WireFixture, WireReplySpec};

/// The server receives the target, headers and body of [`Provider::wire`](entracte_application::ports::Provider::wire),
/// and the hash in the reply is of that body.
pub async fn what_is_sent_is_the_wire(wire: Arc<dyn WireFixture>) {
    let line =
        WireConnectionFixture::with_repeated_reply(wire, &WireReplySpec::words(&["At nine."]), 1).await;
    let request = with_tools("When do you open?");
    let expected = line.provider.wire(&request).unwrap_or_else(|failure| panic!("it is written: {failure}"));
    assert_eq!(line.provider.body(&request).ok().as_ref(), Some(&expected.body));
    let reply = line.answer(&request).await;
    let received = line.server.received().pop().expect("a request came");
    assert_eq!((received.method.as_str(), &received.target), ("POST", &expected.target));
    assert_eq!(String::from_utf8_lossy(&received.body), String::from_utf8_lossy(&expected.body));
    for header in &expected.headers {
        assert!(received.headers.contains(header), "{header:?} was not sent: {:?}", received.headers);
    }
    if let Some(digest) = reply.body_digest {
        assert_eq!(digest, sha256(&expected.body).as_str());
    }
}

/// Different requests have different wires, whichever part differs. The model may be in the address.
pub async fn every_part_of_a_request_is_in_its_wire(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let first = with_tools("When do you open?");
    let bytes = |request: &ModelRequest| line.provider.wire(request).expect("it is written");
    let other_tool = ToolDeclaration { description: "Something else.".into(), ..tools()[0].clone() };
    let others = [
        ("model", ModelRequest { model: "another-model".into(), ..first.clone() }),
        ("system", ModelRequest { system: vec!["Be brief.".into()], ..first.clone() }),
        ("turns", ModelRequest { turns: vec![user_turn("When do you close?")], ..first.clone() }),
        ("tools", ModelRequest { tools: Arc::new([other_tool]), ..first.clone() }),
        ("no tools", ModelRequest { tools: Arc::new([]), ..first.clone() }),
    ];
    let turns = |results: &[&str]| answered(asked(None), results);
    for (what, other) in others {
        assert_ne!(bytes(&other), bytes(&first), "two requests with other {what} are one to the server");
    }
    let result = |content: &str| ModelRequest { turns: turns(&[content, "at six"]), ..first.clone() };
    assert_ne!(bytes(&result("5 m")), bytes(&result("6 m")));
}

/// The key is sent, because the server accepted it, but displayed and compared requests do not contain it.
pub async fn the_key_goes_to_the_server_alone(wire: Arc<dyn WireFixture>) {
    let line =
        WireConnectionFixture::with_repeated_reply(wire, &WireReplySpec::words(&["At nine."]), 1).await;
    let request = plain_request("When do you open?");
    let shown = format!("{:?} {}", line.provider.wire(&request), line.provider.encoding());
    assert!(!shown.contains(KEY) && !line.body(&request).contains(KEY), "the key is in what is shown");
    line.answer(&request).await;
    let received = line.server.received().pop().expect("a request came");
    let is_sent =
        received.target.contains(KEY) || received.headers.iter().any(|(_, value)| value.contains(KEY));
    assert!(is_sent, "the server did not get the key");
    assert!(!String::from_utf8_lossy(&received.body).contains(KEY), "the key is in a body");
}

/// Each name, description and schema in one part of the body; no declaration without tools.
pub async fn tools_are_declared(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let body = parsed(&line.body(&with_tools("How deep is it?")));
    for tool in tools().iter() {
        let argument =
            tool.schema.pointer("/required/0").and_then(JsonValue::as_text).expect("it has an argument");
        let place = smallest(&body, &[&tool.name, &tool.description, argument]);
        let place = place.unwrap_or_else(|| panic!("{} is not declared in {body}", tool.name));
        let others = tools().iter().filter(|other| other.name != tool.name).cloned().collect::<Vec<_>>();
        assert!(
            !others.iter().any(|other| holds(place, &other.name)),
            "{} has no place of its own",
            tool.name
        );
    }
    let without = parsed(&line.body(&plain_request("How deep is it?")));
    assert!(!holds(&without, &tools()[0].name));
}

/// Each result carries the id or the name of its own call, and of no other.
pub async fn results_stand_by_their_calls(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let turns = answered(asked(None), &["it is 5 m deep", "it turns at six"]);
    let body = parsed(&line.body(&ModelRequest { turns, ..with_tools("") }));
    for (call, content, other) in
        [(0, "it is 5 m deep", "it turns at six"), (1, "it turns at six", "it is 5 m deep")]
    {
        let call = &calls()[call];
        let by_id = smallest(&body, &[&call.provider_call_id, content]);
        let by_name = smallest(&body, &[&call.name, content]);
        let is_apart = |place: Option<&Value>| place.is_some_and(|place| !says(place, other));
        assert!(is_apart(by_id) || is_apart(by_name), "“{content}” is not by its call in {body}");
    }
}

/// Results follow the order of their calls, and precede the next user text.
pub async fn results_keep_their_order(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let mut turns = answered(asked(None), &["it is 5 m deep", "it turns at six"]);
    if let Some(PromptTurn::User(parts)) = turns.last_mut().map(Arc::make_mut) {
        parts.push(UserTurnPart::Text("And tomorrow?".to_owned()));
    }
    let body = line.body(&ModelRequest { turns, ..with_tools("") });
    let places = ["it is 5 m deep", "it turns at six", "And tomorrow?"].map(|words| {
        assert_eq!(body.matches(words).count(), 1, "“{words}” stands once in {body}");
        body.find(words)
    });
    assert!(places.is_sorted(), "{body}");
}

/// Values that the server wants back are sent byte for byte, together with the content it signed.
pub async fn a_turn_goes_back_as_it_came(wire: Arc<dyn WireFixture>) {
    let words = WireReplySpec::words(&["I look."]);
    let asking = words.clone().with_calls(calls());
    let plain = if wire.encode_reply(&asking).is_some() { asking } else { words };
    let opaque = "c2lnbmVkOm9mLXRoZS1raXQ=";
    let said = WireReplySpec { opaque: Some(opaque.to_owned()), ..plain.clone() };
    let is_signed =
        wire.encode_reply(&said).is_some() && wire.encode_reply(&said) != wire.encode_reply(&plain);
    let line =
        WireConnectionFixture::with_repeated_reply(wire, if is_signed { &said } else { &plain }, 1).await;
    let reply = line.answer(&with_tools("How deep is it?")).await;
    let raw = reply.raw.clone();
    let turn = AssistantTurn { text: reply.text, calls: reply.calls, raw: reply.raw };
    let body = line.body(&ModelRequest { turns: answered(turn, &["5 m", "at six"]), ..with_tools("") });
    assert!(!is_signed || body.contains(opaque), "what the server wants back is not in {body}");
    let Some(raw) = raw else { return };
    // A list in the response is spread over the list of the request.
    let elements = serde_json::from_str::<Vec<&RawValue>>(&raw.bytes);
    let elements =
        elements.map_or(vec![raw.bytes.as_str()], |all| all.into_iter().map(RawValue::get).collect());
    for element in elements {
        assert!(body.contains(element), "{element}\nis not in\n{body}");
    }
}

/// Raw turns belong to one server; another server receives text and calls.
pub async fn a_turn_of_another_dialect_is_written_anew(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let foreign = ProviderTurn {
        dialect: "of-nobody/1".to_owned(),
        bytes: r#"[{"of":"a server that nobody knows"}]"#.to_owned(),
    };
    let request = |raw: Option<ProviderTurn>| ModelRequest {
        turns: answered(asked(raw), &["5 m", "at six"]),
        ..with_tools("")
    };
    let (body, expected) = (line.body(&request(Some(foreign))), line.body(&request(None)));
    assert_eq!(body, expected);
    let body = parsed(&body);
    for words in ["I look.", "Quay", "Côte d’Émeraude"] {
        assert!(says(&body, words), "“{words}” is not in {body}");
    }
}

/// The schema reaches the server, if the protocol declares one.
pub async fn a_shape_is_asked_for(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let text = plain_request("Say it in JSON.");
    let shaped = ModelRequest { output: shape(), ..text.clone() };
    let body = parsed(&line.body(&shaped));
    if line.wire.declares_reply_schema() {
        assert!(holds(&body, "of_the_shape"), "the schema is not in {body}");
    }
    assert!(!holds(&parsed(&line.body(&text)), "of_the_shape"), "nothing is kept of another request");
}

/// A reply schema that every server can enforce.
pub(super) fn shape() -> OutputShape {
    let schema = json!({
        "type": "object",
        "properties": { "of_the_shape": { "type": "string" } },
        "required": ["of_the_shape"],
        "additionalProperties": false,
    });
    OutputShape::Json { name: "answer".to_owned(), schema: Arc::new(schema.into()) }
}

pub(super) fn asked(raw: Option<ProviderTurn>) -> AssistantTurn {
    AssistantTurn { text: "I look.".to_owned(), calls: calls(), raw }
}

pub(super) fn parsed(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|error| panic!("the body is not valid JSON ({error}): {body}"))
}

/// Whether a value contains this text as a whole string or as a field name.
fn holds(value: &Value, text: &str) -> bool {
    any(value, &|found| found == text)
}

/// Whether a string in a value contains these words among others.
pub(super) fn says(value: &Value, words: &str) -> bool {
    any(value, &|found| found.contains(words))
}

fn any(value: &Value, is: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is(text),
        Value::Array(all) => all.iter().any(|one| any(one, is)),
        Value::Object(fields) => fields.iter().any(|(name, one)| is(name) || any(one, is)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The smallest part of a value that contains all of these.
fn smallest<'a>(value: &'a Value, words: &[&str]) -> Option<&'a Value> {
    if !words.iter().all(|words| says(value, words)) {
        return None;
    }
    let within = match value {
        Value::Array(all) => all.iter().find_map(|one| smallest(one, words)),
        Value::Object(fields) => fields.values().find_map(|one| smallest(one, words)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
    };
    within.or(Some(value))
}
