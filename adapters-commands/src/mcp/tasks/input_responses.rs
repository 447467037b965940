//! Converts a person's answer into the responses that a task waits for.

use rmcp::model::{InputRequest, InputRequests, InputResponses};
use serde_json::{Map, Value, json};

/// The response to each request; `None` if the answer does not say which field gets which value.
///
/// A person may write the fields as a JSON object; for several requests, an object of such objects by request key;
/// plain text for a single form with a single field; and `null` to decline.
pub(super) fn responses(requests: &InputRequests, answer: &str) -> Option<InputResponses> {
    let given = serde_json::from_str::<Value>(answer).unwrap_or_else(|_| Value::String(answer.to_owned()));
    let mut requests = requests.iter();
    match (requests.next(), requests.next()) {
        (Some((key, request)), None) => {
            let given = match given {
                // A single request may be named by its key all the same.
                Value::Object(mut fields) if fields.len() == 1 && names(request).all(|name| name != *key) => {
                    fields.remove(key).unwrap_or(Value::Object(fields))
                }
                other => other,
            };
            Some([(key.clone(), response(request, given)?)].into())
        }
        (Some(first), Some(second)) => {
            let fields = given.as_object()?;
            let all = [first, second].into_iter().chain(requests);
            all.map(|(key, request)| Some((key.clone(), response(request, fields.get(key)?.clone())?)))
                .collect()
        }
        (None, _) => None,
    }
}

fn response(request: &InputRequest, given: Value) -> Option<Value> {
    let content = match given {
        Value::Null => return Some(json!({ "action": "decline" })),
        Value::Object(fields) => fields,
        value => one_field(request, value)?,
    };
    let fits = content.keys().all(|field| names(request).any(|name| name == *field));
    fits.then(|| json!({ "action": "accept", "content": content }))
}

/// The fields of a form with one field, whose value is the plain answer.
fn one_field(request: &InputRequest, value: Value) -> Option<Map<String, Value>> {
    let mut names = names(request);
    let (name, none) = (names.next()?, names.next());
    none.is_none().then(|| [(name, value)].into_iter().collect())
}

fn names(request: &InputRequest) -> impl Iterator<Item = String> {
    let json = serde_json::to_value(request).unwrap_or_default();
    let fields = json.pointer("/params/requestedSchema/properties").and_then(Value::as_object);
    let names: Vec<String> = fields.into_iter().flat_map(Map::keys).cloned().collect();
    names.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        check(&one, "12", Some(accepted(json!({ "iban": 12 }))));
        check(&one, r#"{"iban": "FR76"}"#, Some(accepted(json!({ "iban": "FR76" }))));
        check(&one, r#"{"q": {"iban": "FR76"}}"#, Some(accepted(json!({ "iban": "FR76" }))));
        check(&one, "null", Some(json!({ "q": { "action": "decline" } })));
        check(&one, r#"{"bic": "X"}"#, None);
        let two = json!({ "q": form(&["iban", "bic"]) });
        check(&two, "FR76", None);
        check(&two, r#"{"iban": "FR76", "bic": "X"}"#, Some(accepted(json!({ "iban": "FR76", "bic": "X" }))));
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
    }
}
