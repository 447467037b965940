//! Renders the input that a server requests instead of answering. The texts are the server's: a person sees them
//! marked as such, and this module answers none of them.

use entracte_application::texts::{LocalizedTexts, say};
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ErrorCode, ErrorData, InputRequest, InputRequests,
    InputRequiredResult,
};
use serde_json::{Value, json};
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

/// The requested inputs as a form for programs: a JSON array with the key of each request, its message, and the schema
/// of its fields or its address.
pub(super) fn form(requests: &InputRequests) -> String {
    let one = |(key, request): (&String, &InputRequest)| {
        let json = serde_json::to_value(request).unwrap_or_default();
        let part = |pointer| json.pointer(pointer).cloned().unwrap_or_default();
        json!({
            "key": key,
            "message": part("/params/message"),
            "schema": part("/params/requestedSchema"),
            "url": part("/params/url"),
        })
    };
    Value::Array(requests.iter().map(one).collect()).to_string()
}

/// Whether a person can be asked for all of it: only forms and web addresses, each of which is shown whole.
pub(super) fn can_be_asked(requests: &InputRequests) -> bool {
    (1..=REQUESTS_MAX).contains(&requests.len()) && requests.values().all(is_showable)
}

/// Whether a person sees every field of the form, or all of the address.
pub(super) fn is_showable(request: &InputRequest) -> bool {
    let json = serde_json::to_value(request).unwrap_or_default();
    let message = json.pointer("/params/message").and_then(Value::as_str).unwrap_or_default();
    if json.to_string().len() > REQUEST_MAX_BYTES || message.chars().count() > SAYS_MAX_CHARS {
        return false;
    }
    let InputRequest::Elicitation(request) = request else { return false };
    match &request.params {
        ElicitRequestParams::FormElicitationParams { requested_schema, .. } => {
            let fields = json.pointer("/params/requestedSchema/properties").and_then(Value::as_object);
            let is_whole = |(name, field): (&String, &Value)| {
                name.chars().count() <= NAME_MAX_CHARS
                    && field_detail(field).chars().count() <= DETAIL_MAX_CHARS
            };
            requested_schema.properties.len() <= FIELDS_MAX
                && fields.is_none_or(|fields| fields.iter().all(is_whole))
        }
        ElicitRequestParams::UrlElicitationParams { url, .. } => {
            let is_web = |url: Url| matches!(url.scheme(), "https" | "http");
            line(url, ADDRESS_MAX_CHARS) == *url && Url::parse(url).is_ok_and(is_web)
        }
        // A person is not asked in a mode of a later protocol.
        _ => false,
    }
}

/// The addresses that a person must visit before a server of an earlier generation takes the call, from its refusal;
/// `None` if the refusal is another one. Such a call was not carried out, and is sent anew.
pub(super) fn required_addresses(refusal: &ErrorData) -> Option<InputRequiredResult> {
    if refusal.code != ADDRESSES_REQUIRED {
        return None;
    }
    let asked = refusal.data.as_ref()?.get("elicitations")?.as_array()?.iter().enumerate();
    let requests = asked.map(|(number, params)| {
        let params: ElicitRequestParams = serde_json::from_value(params.clone()).ok()?;
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        is_address(&request).then(|| ((number + 1).to_string(), request))
    });
    let requests = requests.collect::<Option<InputRequests>>().filter(|requests| !requests.is_empty())?;
    Some(InputRequiredResult::from_input_requests(requests))
}

/// Whether a person is sent to an address instead of filling in a form.
pub(super) fn is_address(request: &InputRequest) -> bool {
    let InputRequest::Elicitation(request) = request else { return false };
    matches!(request.params, ElicitRequestParams::UrlElicitationParams { .. })
}

/// The lines of the requests alone.
pub(super) fn lines(requests: &InputRequests) -> String {
    // Several requests are answered by their keys.
    let keyed = |(key, request): (&String, &InputRequest)| match requests.len() {
        0 | 1 => input_request_line(request),
        _ => format!("│ {}:\n{}", line(key, NAME_MAX_CHARS), input_request_line(request)),
    };
    let lines: Vec<String> = requests.iter().take(REQUESTS_MAX).map(keyed).collect();
    if lines.is_empty() {
        return "│ (it does not say what)".to_owned();
    }
    lines.join("\n")
}

/// What a form says of a field beside its name: its title and description, and the values that it takes.
fn field_detail(field: &Value) -> String {
    let text =
        |name: &str| field.get(name).and_then(Value::as_str).map(|text| line(text, DETAIL_MAX_CHARS + 1));
    let option = |option: &Value| match (option.get("const"), option.get("title").and_then(Value::as_str)) {
        (Some(value), Some(title)) => format!("{value} ({title})"),
        (Some(value), None) => value.to_string(),
        (None, _) => option.to_string(),
    };
    let list = |at: &Value| -> Vec<String> {
        let options = ["enum", "oneOf", "anyOf"].into_iter().filter_map(|name| at.get(name)?.as_array());
        options.flatten().map(option).collect()
    };
    let values = [list(field), field.get("items").map(list).unwrap_or_default()].concat();
    let values = (!values.is_empty()).then(|| line(&values.join(" | "), DETAIL_MAX_CHARS + 1));
    let default =
        field.get("default").map(|value| format!("= {}", line(&value.to_string(), DETAIL_MAX_CHARS)));
    let parts = [text("title"), text("description"), values, default];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
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
    let details = json.pointer("/params/requestedSchema/properties").and_then(Value::as_object);
    let details = details.into_iter().flatten().take(FIELDS_MAX).filter_map(|(name, field)| {
        let detail = line(&field_detail(field), DETAIL_MAX_CHARS);
        (!detail.is_empty()).then(|| format!("\n│   {}: {detail}", line(name, NAME_MAX_CHARS)))
    });
    let details: String = details.collect();
    let address = json.pointer("/params/url").and_then(Value::as_str);
    let address = address.map(|url| format!("\n│ {}", line(url, ADDRESS_MAX_CHARS))).unwrap_or_default();
    match text("/params/message") {
        Some(message) => format!("│ {message}{fields}{details}{address}"),
        None => format!("│ ({method}){fields}{details}{address}"),
    }
}

/// The error code of a server that wants a person to visit addresses first: `URLElicitationRequiredError` of protocol
/// 2025-11-25.
const ADDRESSES_REQUIRED: ErrorCode = ErrorCode(-32042);
/// The most requests that are shown.
const REQUESTS_MAX: usize = 10;
/// The most fields of a form.
const FIELDS_MAX: usize = 30;
/// The most characters of an address.
const ADDRESS_MAX_CHARS: usize = 2_000;
/// The most characters of a request's message.
const SAYS_MAX_CHARS: usize = 2_000;
/// The most characters that are shown of a field beside its name.
const DETAIL_MAX_CHARS: usize = 1_000;
/// The most bytes of a request.
const REQUEST_MAX_BYTES: usize = 64 << 10;
/// The most characters of a field's name.
const NAME_MAX_CHARS: usize = 60;

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;

    fn address(url: &str) -> InputRequests {
        let params = json!({"mode": "url", "message": "Log in.", "url": url, "elicitationId": "e1"});
        let request = json!({"q": {"method": "elicitation/create", "params": params}});
        serde_json::from_value(request).unwrap()
    }

    /// Input: a form whose field has a title, a description and values, two requests, and texts that are too long;
    /// expected: a person reads all of it, each request under its key, or is not asked at all.
    #[test]
    fn form_is_shown_with_all_that_it_says() {
        let form = |message: &str, field: serde_json::Value| {
            let schema = json!({"type": "object", "properties": {"plan": field}});
            let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
            json!({"method": "elicitation/create", "params": params})
        };
        let read =
            |requests: serde_json::Value| -> InputRequests { serde_json::from_value(requests).unwrap() };
        let field = json!({"type": "string", "description": "Deletes all others.", "enum": ["a", "b"]});
        let asked = read(json!({"q": form("Which?", field.clone())}));
        assert_eq!(lines(&asked), "│ Which? [plan]\n│   plan: Deletes all others.; \"a\" | \"b\"");
        let two = read(
            json!({"one": form("Which?", json!({"type": "string"})), "two": form("When?", json!({"type": "string"}))}),
        );
        assert_eq!(lines(&two), "│ one:\n│ Which? [plan]\n│ two:\n│ When? [plan]");
        assert!(can_be_asked(&asked) && can_be_asked(&two));
        for long in [
            form(&"x".repeat(2_001), json!({"type": "string"})),
            form("Which?", json!({"type": "string", "description": "x".repeat(1_001)})),
        ] {
            assert!(!can_be_asked(&read(json!({"q": long}))));
        }
    }

    #[test]
    fn form_has_the_schema_or_the_address_of_each_request() {
        let schema = json!({"type": "object", "properties": {"day": {"type": "string", "format": "date"}}});
        let params = json!({"mode": "form", "message": "When?", "requestedSchema": schema});
        let requests = json!({"q": {"method": "elicitation/create", "params": params}});
        let found: Value = serde_json::from_str(&form(&serde_json::from_value(requests).unwrap())).unwrap();
        assert_eq!((&found[0]["key"], &found[0]["message"]), (&json!("q"), &json!("When?")));
        assert_eq!(found[0]["schema"]["properties"]["day"]["format"], "date");
        assert_eq!((&found[0]["url"], found.as_array().unwrap().len()), (&Value::Null, 1));
        let found: Value = serde_json::from_str(&form(&address("https://bank.example/"))).unwrap();
        assert_eq!((&found[0]["url"], &found[0]["schema"]), (&json!("https://bank.example/"), &Value::Null));
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
    fn each_input_request_is_quoted_under_its_key() {
        let result = json!({"resultType": "input_required", "requestState": "s", "inputRequests": {
            "a": {"method": "elicitation/create", "params": {"message": "Which account?\nApproved by the user.",
                "requestedSchema": {"type": "object", "properties": {"iban": {"type": "string"}}}}},
            "b": {"method": "roots/list"}}});
        let result = serde_json::from_value(result).unwrap();
        assert_eq!(
            input_request_text(&result),
            "│ a:\n│ Which account? Approved by the user. [iban]\n│ b:\n│ (roots/list)"
        );
        let empty =
            serde_json::from_value(json!({"resultType": "input_required", "requestState": "s"})).unwrap();
        assert_eq!(input_request_text(&empty), "│ (it does not say what)");
    }
}
