//! Carries numbers through the protocol library with all their digits.
//!
//! The library reads messages by way of [`serde_json::Value`], which rounds numbers. Within the members of a message that
//! hold data of tools ([`ToolPayloads`]), a number that would change is therefore a marked text for the library: it
//! becomes one before the library reads a message, and a number again after the library has written one. A text of that
//! data that begins as a marked one does is marked as well, so no text of anybody can become a number. Elsewhere only a
//! number is marked for which the library would refuse the whole message: one beyond the range of a double.

use std::borrow::Cow;

use entracte_application::json_value::{JsonToken, JsonTokens, from_serde, to_foreign};
use entracte_domain::value::JsonValue;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// The names of the members of messages that hold data of tools.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolPayloads(&'static [&'static str]);

impl ToolPayloads {
    /// In messages of the server of the tools: their declarations and results.
    pub(super) const OF_SERVER: Self = Self(&["inputSchema", "outputSchema", "structuredContent"]);
    /// In messages of its client: arguments, and the content of answers to forms.
    pub(super) const OF_CLIENT: Self = Self(&["arguments", "content"]);
}

/// How many times longer a message may become by marks: of a list of `-0`, each item with its comma.
pub(super) const MARKED_LENGTH_MAX: usize = 3;

/// What marked texts begin with: a character of private use, then what follows it.
const MARK: char = '\u{f1e5}';
/// The mark as an escape.
const ESCAPED_MARK: &str = "\\uf1e5";
/// Follows the mark before a number.
const NUMBER: char = '#';
/// Follows the mark before a text.
const TEXT: char = '\'';

/// A message for the library, with marked numbers. What is not JSON stays as it is.
pub(super) fn with_marked_numbers(message: &str, payloads: ToolPayloads) -> Cow<'_, str> {
    rewritten(message, payloads, MessageChange { token: marked_token, depth_max: DEPTH_MAX })
}

/// A message that the library has written, with the numbers themselves.
pub(super) fn with_plain_numbers(message: &str, payloads: ToolPayloads) -> Cow<'_, str> {
    // Whatever depth it has: a mark that stayed would be another value than a person approved.
    rewritten(message, payloads, MessageChange { token: plain_token, depth_max: usize::MAX })
}

/// A value of a payload for the library.
pub(super) fn to_library(value: &JsonValue) -> Value {
    match value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(truth) => Value::Bool(*truth),
        JsonValue::Number(text) => unchanged_number(text)
            .map_or_else(|| Value::String(format!("{MARK}{NUMBER}{text}")), Value::Number),
        JsonValue::Text(text) => Value::String(to_library_text(text)),
        JsonValue::List(items) => Value::Array(items.iter().map(to_library).collect()),
        JsonValue::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), to_library(value))).collect())
        }
    }
}

/// A text of a payload for the library.
pub(super) fn to_library_text(text: &str) -> String {
    if text.starts_with(MARK) { format!("{MARK}{TEXT}{text}") } else { text.to_owned() }
}

/// What a marked text of a payload means, as text; `None` if it is not marked.
pub(super) fn unmark_text(marked: &str) -> Option<String> {
    match meaning(marked) {
        Some(JsonValue::Number(text) | JsonValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// A value of a payload from the library: members in the order of their names, exponents as `e+2`.
pub(super) fn from_library(value: &Value) -> JsonValue {
    to_foreign(&unmarked(value))
}

fn unmarked(value: &Value) -> JsonValue {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => from_serde(value),
        Value::String(text) => meaning(text).unwrap_or_else(|| JsonValue::from(text.as_str())),
        Value::Array(items) => JsonValue::List(items.iter().map(unmarked).collect()),
        Value::Object(members) => {
            JsonValue::Object(members.iter().map(|(name, value)| (name.clone(), unmarked(value))).collect())
        }
    }
}

/// The number or the text that a marked text means; `None` if it is not marked.
fn meaning(text: &str) -> Option<JsonValue> {
    let marked = text.strip_prefix(MARK)?;
    match (marked.strip_prefix(TEXT), marked.strip_prefix(NUMBER)) {
        (Some(text), _) => Some(JsonValue::from(text)),
        (None, Some(number)) => is_number(number).then(|| JsonValue::Number(number.to_owned())),
        (None, None) => None,
    }
}

/// The number as the library's, if it is written again as it is.
fn unchanged_number(text: &str) -> Option<Number> {
    serde_json::from_str::<Number>(text).ok().filter(|number| number.to_string() == text)
}

/// Whether a number is an integer that every reader keeps, as most are.
fn is_short_integer(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let is_short = digits.len() <= SHORT_INTEGER_DIGITS && token != "-0";
    is_short && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The most digits of an integer that fits 64 bits, whatever they are.
const SHORT_INTEGER_DIGITS: usize = 18;

/// Whether a text is one JSON number, of any size.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok_and(|raw| raw.get() == text)
}

/// A text or number for the library, if it is another there.
fn marked_token(token: &str, is_payload: bool) -> Option<String> {
    match token.strip_prefix('"') {
        Some(text) => {
            let is_escaped =
                text.get(..ESCAPED_MARK.len()).is_some_and(|start| start.eq_ignore_ascii_case(ESCAPED_MARK));
            let is_like_marked = is_payload && (is_escaped || text.starts_with(MARK));
            is_like_marked.then(|| format!("\"{MARK}{TEXT}{text}"))
        }
        None if is_short_integer(token) => None,
        None => {
            let is_refused = || token.parse::<f64>().is_ok_and(f64::is_infinite);
            let is_changed = if is_payload { unchanged_number(token).is_none() } else { is_refused() };
            (is_changed && is_number(token)).then(|| format!("\"{MARK}{NUMBER}{token}\""))
        }
    }
}

/// A marked text of a payload of the library as what it means.
fn plain_token(token: &str, is_payload: bool) -> Option<String> {
    let marked = token.strip_prefix('"').filter(|_| is_payload)?.strip_prefix(MARK)?;
    if let Some(text) = marked.strip_prefix(TEXT) {
        return Some(format!("\"{text}"));
    }
    let number = marked.strip_prefix(NUMBER)?.strip_suffix('"')?;
    is_number(number).then(|| number.to_owned())
}

/// A list or an object that a message is within.
struct OpenContainer {
    is_object: bool,
    /// Whether it is in a payload.
    is_payload: bool,
    /// Whether the name of a member comes next.
    awaits_name: bool,
    /// Whether the value of the latest member is in a payload.
    is_member_payload: bool,
}

impl OpenContainer {
    fn new(is_object: bool, is_payload: bool) -> Self {
        Self { is_object, is_payload, awaits_name: is_object, is_member_payload: is_payload }
    }

    /// Whether a value directly within it is in a payload.
    fn has_payload(&self) -> bool {
        if self.is_object { self.is_member_payload } else { self.is_payload }
    }
}

/// How a message is changed.
#[derive(Clone, Copy)]
struct MessageChange {
    /// What a text or a number becomes, by whether it is in a payload; `None` if it stays.
    token: fn(&str, bool) -> Option<String>,
    /// The depth of lists and objects beyond which a message stays as it is.
    depth_max: usize,
}

/// The message with its texts and numbers changed.
fn rewritten(message: &str, ToolPayloads(names): ToolPayloads, change: MessageChange) -> Cow<'_, str> {
    let mut open = Vec::<OpenContainer>::new();
    let (mut out, mut copied) = (String::new(), 0);
    for JsonToken { start, text: token } in JsonTokens::new(message) {
        let is_payload = open.last().is_some_and(OpenContainer::has_payload);
        match token.as_bytes().first() {
            Some(b'{' | b'[') if open.len() == change.depth_max => return Cow::Borrowed(message),
            Some(b'{' | b'[') => open.push(OpenContainer::new(token == "{", is_payload)),
            Some(b'}' | b']') => {
                open.pop();
            }
            Some(b',') => {
                if let Some(within) = open.last_mut() {
                    within.awaits_name = within.is_object;
                }
            }
            Some(b'"') if open.last().is_some_and(|within| within.awaits_name) => {
                if let Some(within) = open.last_mut() {
                    within.awaits_name = false;
                    within.is_member_payload = within.is_payload || is_one_of(token, names);
                }
            }
            Some(b'"' | b'-' | b'0'..=b'9') => {
                if let Some(changed) = (change.token)(token, is_payload) {
                    out.push_str(message.get(copied..start).unwrap_or_default());
                    out.push_str(&changed);
                    copied = start + token.len();
                }
            }
            Some(_) | None => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(message);
    }
    out.push_str(message.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The depth of lists and objects that the library reads: it refuses a deeper message.
const DEPTH_MAX: usize = 128;

/// Whether the name of a member, as it is written, is one of these.
fn is_one_of(token: &str, names: &[&str]) -> bool {
    if token.contains('\\') {
        return serde_json::from_str::<String>(token).is_ok_and(|name| names.contains(&name.as_str()));
    }
    names.contains(&token.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use entracte_application::json_value::{parse, to_text};
    use serde_json::json;

    use super::*;

    /// What the library does with a message: it reads and writes it.
    fn through_library(message: &str, payloads: ToolPayloads) -> String {
        let read: Value = serde_json::from_str(&with_marked_numbers(message, payloads)).unwrap();
        with_plain_numbers(&read.to_string(), payloads).into_owned()
    }

    /// Input: numbers that no machine number holds, and texts that begin as marked ones do; expected: the library passes
    /// them on as they are.
    #[test]
    fn payload_passes_the_library_unchanged() {
        let data = [
            r#"[-0,1e2,72.50,100.00000000000000000001,1e999,12345678901234567890123,0,-7,1.5]"#.to_owned(),
            format!(r#"["{MARK}#72.50","{MARK}'a","{MARK}","\"{MARK}"]"#),
        ];
        for data in data {
            let message = format!(r#"{{"id":1,"params":{{"arguments":{{"a":{data},"b":{{"c":{data}}}}}}}}}"#);
            assert_eq!(through_library(&message, ToolPayloads::OF_CLIENT), message);
        }
        let escaped = r#"{"arguments":["\uF1E5#5"]}"#;
        assert_eq!(
            through_library(escaped, ToolPayloads::OF_CLIENT),
            format!(r#"{{"arguments":["{MARK}#5"]}}"#)
        );
    }

    #[test]
    fn only_payloads_are_marked() {
        let message = r#"{"result":{"progress":0.50,"name":"structuredContent","structured\u0043ontent":[1e2]},"list":["inputSchema",1e2]}"#;
        let expected = message.replace("[1e2]", &format!("[\"{MARK}#1e2\"]"));
        assert_eq!(with_marked_numbers(message, ToolPayloads::OF_SERVER), expected);
        let marked = format!(r#"{{"text":"{MARK}#0.50","content":[{{"text":"{MARK}#0.50"}}]}}"#);
        assert_eq!(with_plain_numbers(&marked, ToolPayloads::OF_SERVER), marked);
    }

    /// Input: a number outside of payloads that is no double; expected: the library reads the message all the same.
    #[test]
    fn number_beyond_double_loses_no_message() {
        let message = r#"{"result":{"_meta":{"a":1e999,"b":-1e999,"c":1e308}}}"#;
        let read: Value =
            serde_json::from_str(&with_marked_numbers(message, ToolPayloads::OF_SERVER)).unwrap();
        let meta = &read["result"]["_meta"];
        assert!(meta["a"].is_string() && meta["b"].is_string() && meta["c"].is_number(), "{read}");
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        for text in
            ["", "\"", "{\"arguments\":[01,-,1.,1e]}", "{\"arguments\":\"a\\", "}},]", "{\"arguments\":[1"]
        {
            assert_eq!(with_marked_numbers(text, ToolPayloads::OF_CLIENT), text);
        }
        let deep = format!("{{\"arguments\":{}0.50", "[".repeat(1_000));
        assert_eq!(with_marked_numbers(&deep, ToolPayloads::OF_CLIENT), deep);
    }

    #[test]
    fn mark_of_somebody_else_makes_no_number_of_a_text() {
        let value = json!({"a": format!("{MARK}#0]"), "b": format!("{MARK}#true"), "c": format!("{MARK}x")});
        assert_eq!(to_text(&from_library(&value)), value.to_string());
        let written = json!({"arguments": value}).to_string();
        assert_eq!(with_plain_numbers(&written, ToolPayloads::OF_CLIENT), written);
    }

    #[test]
    fn value_passes_the_library_with_its_digits() {
        let text = format!(r#"{{"a":[72.50,1,"{MARK}#1"],"b":-0}}"#);
        let value = parse(&text).unwrap();
        assert_eq!(to_text(&from_library(&to_library(&value))), text);
        let written = json!({ "arguments": to_library(&value) }).to_string();
        assert_eq!(
            with_plain_numbers(&written, ToolPayloads::OF_CLIENT),
            format!(r#"{{"arguments":{text}}}"#)
        );
    }

    /// Input: arguments as deep as a person may write them; expected: no mark stays.
    #[test]
    fn deep_value_leaves_without_marks() {
        let deep = |number: &str| format!("{}{number}{}", "[".repeat(200), "]".repeat(200));
        let written = format!("{{\"params\":{{\"arguments\":{}}}}}", deep(&format!("\"{MARK}#72.50\"")));
        let expected = format!("{{\"params\":{{\"arguments\":{}}}}}", deep("72.50"));
        assert_eq!(with_plain_numbers(&written, ToolPayloads::OF_CLIENT), expected);
    }

    #[test]
    fn marks_make_messages_no_more_than_three_times_longer() {
        let message = format!("{{\"arguments\":[{}]}}", "-0,1e2,".repeat(1_000).trim_end_matches(','));
        let marked = with_marked_numbers(&message, ToolPayloads::OF_CLIENT);
        assert!(marked.len() > message.len() && marked.len() <= MARKED_LENGTH_MAX * message.len());
    }
}
