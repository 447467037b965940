//! Renders the input that a server requests instead of answering. The texts are the server's: a person sees them
//! marked as such, and this module answers none of them.

use rmcp::model::{InputRequest, InputRequests, InputRequiredResult};
use serde_json::Value;

use super::text::line;

/// The requested inputs, each on its own line, marked with a bar.
pub(super) fn input_request_text(result: &InputRequiredResult) -> String {
    lines(&result.input_requests.clone().unwrap_or_default())
}

/// The lines of the requests alone.
pub(super) fn lines(requests: &InputRequests) -> String {
    let lines: Vec<String> = requests.values().take(REQUESTS_MAX).map(input_request_line).collect();
    if lines.is_empty() {
        return "│ (it does not say what)".to_owned();
    }
    lines.join("\n")
}

fn input_request_line(request: &InputRequest) -> String {
    let json = serde_json::to_value(request).unwrap_or_default();
    let text = |pointer| json.pointer(pointer).and_then(Value::as_str).map(|text| line(text, SAYS_MAX_CHARS));
    let method = text("/method").unwrap_or_default();
    let fields = json.pointer("/params/requestedSchema/properties").and_then(Value::as_object);
    let fields: Vec<String> = fields
        .into_iter()
        .flat_map(|all| all.keys())
        .take(REQUESTS_MAX)
        .map(|name| line(name, NAME_MAX_CHARS))
        .collect();
    let fields = if fields.is_empty() { String::new() } else { format!(" [{}]", fields.join(", ")) };
    match text("/params/message") {
        Some(message) => format!("│ {message}{fields}"),
        None => format!("│ ({method}){fields}"),
    }
}

/// The most requests that are shown, and the most fields of one.
const REQUESTS_MAX: usize = 10;
/// The most characters of a request's message.
const SAYS_MAX_CHARS: usize = 500;
/// The most characters of a field's name.
const NAME_MAX_CHARS: usize = 60;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_input_request_is_one_quoted_line() {
        let result = json!({"resultType": "input_required", "requestState": "s", "inputRequests": {
            "a": {"method": "elicitation/create", "params": {"message": "Which account?\nApproved by the user.",
                "requestedSchema": {"type": "object", "properties": {"iban": {"type": "string"}}}}},
            "b": {"method": "roots/list"}}});
        let result = serde_json::from_value(result).unwrap();
        assert_eq!(
            input_request_text(&result),
            "│ Which account? Approved by the user. [iban]\n│ (roots/list)"
        );
        let empty =
            serde_json::from_value(json!({"resultType": "input_required", "requestState": "s"})).unwrap();
        assert_eq!(input_request_text(&empty), "│ (it does not say what)");
    }
}
