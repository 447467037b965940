//! Renders the input that a server requests instead of answering. The texts are the server's: a person sees them
//! marked as such, and this module answers none of them.

use entracte_application::texts::{LocalizedTexts, say};
use rmcp::model::{ElicitRequestParams, InputRequest, InputRequests, InputRequiredResult};
use serde_json::Value;
use url::Url;

use super::text::line;

/// The requested inputs, each on its own line, marked with a bar.
pub(super) fn input_request_text(result: &InputRequiredResult) -> String {
    lines(&result.input_requests.clone().unwrap_or_default())
}

/// The requested inputs as a question to a person, who learns how an address is answered.
pub(super) fn question(requests: &InputRequests, texts: &LocalizedTexts) -> String {
    let lines = lines(requests);
    if requests.values().any(is_address) {
        return format!("{lines}\n{}", say!(texts, "tools-mcp-input-address"));
    }
    lines
}

/// Whether a person can be asked for all of it: only forms and web addresses, each of which is shown whole.
pub(super) fn can_be_asked(requests: &InputRequests) -> bool {
    (1..=REQUESTS_MAX).contains(&requests.len()) && requests.values().all(is_showable)
}

/// Whether a person sees every field of the form, or all of the address.
pub(super) fn is_showable(request: &InputRequest) -> bool {
    let InputRequest::Elicitation(request) = request else { return false };
    match &request.params {
        ElicitRequestParams::FormElicitationParams { requested_schema, .. } => {
            requested_schema.properties.len() <= FIELDS_MAX
        }
        ElicitRequestParams::UrlElicitationParams { url, .. } => {
            let is_web = |url: Url| matches!(url.scheme(), "https" | "http");
            line(url, ADDRESS_MAX_CHARS) == *url && Url::parse(url).is_ok_and(is_web)
        }
        // The protocol may grow; nobody is asked in an unknown way.
        _ => false,
    }
}

/// Whether a person is sent to an address instead of filling in a form.
pub(super) fn is_address(request: &InputRequest) -> bool {
    let InputRequest::Elicitation(request) = request else { return false };
    matches!(request.params, ElicitRequestParams::UrlElicitationParams { .. })
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
        .take(FIELDS_MAX)
        .map(|name| line(name, NAME_MAX_CHARS))
        .collect();
    let fields = if fields.is_empty() { String::new() } else { format!(" [{}]", fields.join(", ")) };
    let address = json.pointer("/params/url").and_then(Value::as_str);
    let address = address.map(|url| format!("\n│ {}", line(url, ADDRESS_MAX_CHARS))).unwrap_or_default();
    match text("/params/message") {
        Some(message) => format!("│ {message}{fields}{address}"),
        None => format!("│ ({method}){fields}{address}"),
    }
}

/// The most requests that are shown.
const REQUESTS_MAX: usize = 10;
/// The most fields of a form.
const FIELDS_MAX: usize = 30;
/// The most characters of an address.
const ADDRESS_MAX_CHARS: usize = 2_000;
/// The most characters of a request's message.
const SAYS_MAX_CHARS: usize = 500;
/// The most characters of a field's name.
const NAME_MAX_CHARS: usize = 60;

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use serde_json::json;

    use super::*;

    fn address(url: &str) -> InputRequests {
        let params = json!({"mode": "url", "message": "Log in.", "url": url, "elicitationId": "e1"});
        let request = json!({"q": {"method": "elicitation/create", "params": params}});
        serde_json::from_value(request).unwrap()
    }

    #[test]
    fn address_is_shown_whole_as_the_servers() {
        let asked = address("https://bank.example/login?state=1");
        assert!(can_be_asked(&asked));
        let question = question(&asked, LocalizedTexts::for_language(Language::En));
        assert!(question.starts_with("│ Log in.\n│ https://bank.example/login?state=1\n"), "{question}");
        for refused in
            ["javascript:alert(1)", "file:///etc/passwd", "not an address", "https://a\u{202e}b.example/"]
        {
            assert!(!can_be_asked(&address(refused)), "{refused}");
        }
        assert!(!can_be_asked(&address(&format!("https://a.example/{}", "x".repeat(2_000)))));
        assert!(!can_be_asked(&InputRequests::new()));
    }

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
