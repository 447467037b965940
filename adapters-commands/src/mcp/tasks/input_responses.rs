//! Converts a person's answer into the responses that a task waits for.

use entracte_application::json_value::parse_foreign;
use entracte_domain::value::JsonValue;
use rmcp::model::{InputRequest, InputRequests, InputResponses};
use serde_json::{Map, Value, json};

use crate::mcp::exact_numbers::to_library;
use crate::mcp::input_request::is_address;

/// The response to each request; `None` if the answer does not say which field gets which value.
///
/// A person may write the fields as a JSON object; for several requests, an object of such objects by request key;
/// plain text for a single form with a single field; `null` to decline; and `{"_action": "cancel"}` to leave all
/// undecided. Of an address, `done` says that the person has been there, and `no` that nobody goes there.
pub(super) fn responses(requests: &InputRequests, answer: &str) -> Option<InputResponses> {
    let plain = || JsonValue::from(answer);
    let given = parse_foreign(answer).unwrap_or_else(|_| plain());
    if given == JsonValue::from([("_action", JsonValue::from("cancel"))])
        && !requests.values().any(|one| names(one).any(|name| name == "_action"))
    {
        return Some(requests.keys().map(|key| (key.clone(), json!({ "action": "cancel" }))).collect());
    }
    let mut requests = requests.iter();
    match (requests.next(), requests.next()) {
        (Some((key, request)), None) => {
            let given = match given {
                // A single request may be named by its key all the same.
                JsonValue::Object(mut fields)
                    if fields.len() == 1 && names(request).all(|name| name != *key) =>
                {
                    match fields.pop() {
                        Some((name, value)) if name == *key => value,
                        other => JsonValue::Object(other.into_iter().collect()),
                    }
                }
                // A text field takes a number as it was written.
                JsonValue::Number(_) | JsonValue::Bool(_) if wants_text(request) => plain(),
                other => other,
            };
            Some([(key.clone(), response(request, given)?)].into())
        }
        (Some(first), Some(second)) if given == JsonValue::Null => {
            let all = [first, second].into_iter().chain(requests);
            all.map(|(key, request)| Some((key.clone(), response(request, JsonValue::Null)?))).collect()
        }
        (Some(first), Some(second)) => {
            given.as_object()?;
            let all = [first, second].into_iter().chain(requests);
            all.map(|(key, request)| Some((key.clone(), response(request, given.get(key)?.clone())?)))
                .collect()
        }
        (None, _) => None,
    }
}

/// Whether a person accepted every request.
pub(super) fn are_accepted(responses: &InputResponses) -> bool {
    responses.values().all(|response| response.get("action").is_some_and(|action| action == "accept"))
}

fn response(request: &InputRequest, given: JsonValue) -> Option<Value> {
    if is_address(request) {
        return Some(json!({ "action": visit(&given)? }));
    }
    let content = match given {
        JsonValue::Null => return Some(json!({ "action": "decline" })),
        JsonValue::Object(fields) => fields,
        value => one_field(request, value)?,
    };
    let fields = fields(request);
    let is_known = content.iter().all(|(name, value)| fields.get(name).is_some_and(|kind| fits(kind, value)));
    let is_whole = required(request).iter().all(|name| content.iter().any(|(given, _)| given == name));
    let content = to_library(&JsonValue::Object(content));
    (is_known && is_whole).then(|| json!({ "action": "accept", "content": content }))
}

/// What an answer says of an address: the person has been there, or does not go; `None` if it says neither.
fn visit(given: &JsonValue) -> Option<&'static str> {
    let word = match given {
        JsonValue::Null => return Some("decline"),
        JsonValue::Bool(is_there) => is_there.to_string(),
        JsonValue::Text(word) => word.trim().to_lowercase(),
        JsonValue::Number(_) | JsonValue::List(_) | JsonValue::Object(_) => return None,
    };
    match word.as_str() {
        "done" | "yes" | "fait" | "oui" | "true" => Some("accept"),
        "no" | "decline" | "non" | "refuser" | "false" => Some("decline"),
        _ => None,
    }
}

/// The fields of a form with one field, whose value is the plain answer.
fn one_field(request: &InputRequest, value: JsonValue) -> Option<Vec<(String, JsonValue)>> {
    let mut names = names(request);
    let (name, none) = (names.next()?, names.next());
    none.is_none().then(|| vec![(name, value)])
}

fn names(request: &InputRequest) -> impl Iterator<Item = String> {
    fields(request).into_iter().map(|(name, _)| name)
}

/// The fields of a form, each with its schema.
fn fields(request: &InputRequest) -> Map<String, Value> {
    match schema(request).get_mut("properties").map(Value::take) {
        Some(Value::Object(fields)) => fields,
        Some(_) | None => Map::new(),
    }
}

/// The fields that a form cannot do without.
fn required(request: &InputRequest) -> Vec<String> {
    let required = schema(request).get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    required.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn schema(request: &InputRequest) -> Value {
    let mut json = serde_json::to_value(request).unwrap_or_default();
    json.pointer_mut("/params/requestedSchema").map(Value::take).unwrap_or_default()
}

/// Whether the only field of a form is a text.
fn wants_text(request: &InputRequest) -> bool {
    fields(request).values().all(|field| field.get("type").is_some_and(|kind| kind == "string"))
}

/// Whether a value has the type of its field. An unknown type is left to the server.
fn fits(field: &Value, value: &JsonValue) -> bool {
    let is_integer = |text: &str| text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    match field.get("type").and_then(Value::as_str) {
        Some("string") => value.as_text().is_some(),
        Some("boolean") => value.as_bool().is_some(),
        Some("integer") => matches!(value, JsonValue::Number(text) if is_integer(text)),
        Some("number") => matches!(value, JsonValue::Number(_)),
        Some("array") => value.as_list().is_some(),
        Some(_) | None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::exact_numbers::{ToolPayloads, with_plain_numbers};

    fn form(fields: &[&str]) -> Value {
        let fields: Map<String, Value> =
            fields.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        let schema = json!({ "type": "object", "properties": fields });
        let params = json!({ "mode": "form", "message": "?", "requestedSchema": schema });
        json!({ "method": "elicitation/create", "params": params })
    }

    fn check(requests: &Value, answer: &str, expected: Option<Value>) {
        let requests: InputRequests = serde_json::from_value(requests.clone()).unwrap();
        let found = responses(&requests, answer).map(|found| serde_json::to_value(found).unwrap());
        assert_eq!(found, expected, "{answer}");
    }

    #[test]
    fn answer_is_assigned_to_requested_field() {
        let one = json!({ "q": form(&["iban"]) });
        let accepted = |content: Value| json!({ "q": { "action": "accept", "content": content } });
        check(&one, "FR76", Some(accepted(json!({ "iban": "FR76" }))));
        check(&one, "12", Some(accepted(json!({ "iban": "12" }))));
        check(&one, r#"{"iban": "FR76"}"#, Some(accepted(json!({ "iban": "FR76" }))));
        check(&one, r#"{"q": {"iban": "FR76"}}"#, Some(accepted(json!({ "iban": "FR76" }))));
        check(&one, "null", Some(json!({ "q": { "action": "decline" } })));
        check(&one, r#"{"_action": "cancel"}"#, Some(json!({ "q": { "action": "cancel" } })));
        check(&one, r#"{"bic": "X"}"#, None);
        let two = json!({ "q": form(&["iban", "bic"]) });
        check(&two, "FR76", None);
        check(&two, r#"{"iban": "FR76", "bic": "X"}"#, Some(accepted(json!({ "iban": "FR76", "bic": "X" }))));
    }

    #[test]
    fn value_has_the_type_of_its_field() {
        let fields = json!({ "day": { "type": "integer" }, "sure": { "type": "boolean" } });
        let schema = json!({ "type": "object", "properties": fields, "required": ["day"] });
        let params = json!({ "mode": "form", "message": "?", "requestedSchema": schema });
        let form = json!({ "q": { "method": "elicitation/create", "params": params } });
        let accepted = |content: Value| json!({ "q": { "action": "accept", "content": content } });
        check(&form, r#"{"day": 3, "sure": true}"#, Some(accepted(json!({ "day": 3, "sure": true }))));
        check(&form, r#"{"day": 3}"#, Some(accepted(json!({ "day": 3 }))));
        check(&form, r#"{"day": "3"}"#, None);
        check(&form, r#"{"sure": true}"#, None);
        check(&form, "3", None);
    }

    /// Input: a number that no machine number holds; expected: the server gets all of its digits.
    #[test]
    fn number_of_an_answer_keeps_its_digits() {
        let schema = json!({ "type": "object", "properties": { "amount": { "type": "number" } } });
        let params = json!({ "mode": "form", "message": "?", "requestedSchema": schema });
        let form = json!({ "q": { "method": "elicitation/create", "params": params } });
        let requests: InputRequests = serde_json::from_value(form).unwrap();
        let sent = serde_json::to_string(&responses(&requests, "12345678901234567890.120").unwrap()).unwrap();
        assert_eq!(
            with_plain_numbers(&sent, ToolPayloads::OF_CLIENT),
            r#"{"q":{"action":"accept","content":{"amount":12345678901234567890.120}}}"#
        );
    }

    #[test]
    fn address_is_accepted_without_content() {
        let params =
            json!({ "mode": "url", "message": "Log in.", "url": "https://a.example/", "elicitationId": "e" });
        let address = json!({ "q": { "method": "elicitation/create", "params": params } });
        for done in ["done", "Yes", "fait", "true"] {
            check(&address, done, Some(json!({ "q": { "action": "accept" } })));
        }
        for declined in ["null", "no", "non", "false"] {
            check(&address, declined, Some(json!({ "q": { "action": "decline" } })));
        }
        for unclear in ["this is phishing", "1", "{}"] {
            check(&address, unclear, None);
        }
    }

    #[test]
    fn several_requests_are_answered_by_key() {
        let both = json!({ "a": form(&["iban"]), "b": form(&["day"]) });
        let expected = json!({
            "a": { "action": "accept", "content": { "iban": "FR76" } },
            "b": { "action": "decline" },
        });
        check(&both, r#"{"a": "FR76", "b": null}"#, Some(expected));
        check(&both, r#"{"a": "FR76"}"#, None);
        check(&both, "FR76", None);
        let declined = json!({ "a": { "action": "decline" }, "b": { "action": "decline" } });
        check(&both, "null", Some(declined));
    }
}
