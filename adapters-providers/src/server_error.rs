//! Parses the error body of a server leniently.
//!
//! Servers differ: `{"error":{…}}`, an array of it, `{"error":"text"}`, `{"detail":…}`, `{"message":…}`, HTML of an
//! edge, a stream of one event, nothing. Pure; it reads the fields that are present and never fails.

use serde_json::Value;

use crate::text::shortened;

/// Contents of an error body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerError {
    /// `error.type`
    pub(crate) kind: String,
    /// `error.code`, or Claude's `error.details.error_code`.
    pub(crate) code: String,
    /// The server's own words; the start of the body when it is not JSON.
    pub(crate) words: String,
}

impl ServerError {
    /// Parses a body.
    pub(crate) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body).ok().or_else(|| first_event(body)) {
            Some(value) => Self::of(&value),
            None => Self { words: plain(&String::from_utf8_lossy(body)), ..Self::default() },
        }
    }

    /// Reads an already parsed body, or the error inside one.
    pub(crate) fn of(value: &Value) -> Self {
        let value = value.as_array().and_then(|all| all.first()).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let code = [error.pointer("/details/error_code"), error.get("code")];
        let words = [error.get("message"), error.get("detail"), error.get("msg"), Some(error)];
        let words = words.into_iter().flatten().map(word).find(|text| !text.is_empty()).unwrap_or_default();
        // Gateways put what the model's server said beside their own words.
        let upstream = error.pointer("/metadata/raw").map(word).filter(|text| !text.is_empty());
        Self {
            kind: error.get("type").map(word).unwrap_or_default(),
            code: code.into_iter().flatten().map(word).find(|code| !code.is_empty()).unwrap_or_default(),
            words: upstream.map_or(words.clone(), |upstream| format!("{words}: {upstream}")),
        }
    }

    /// Whether the code or the type is one of these.
    pub(crate) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.code.as_str()) || names.contains(&self.kind.as_str())
    }

    /// Whether the error text contains one of these phrases; for servers that mark a case only in their text.
    pub(crate) fn says(&self, phrases: &[&str]) -> bool {
        let words = self.words.to_lowercase();
        phrases.iter().any(|phrase| words.contains(phrase))
    }
}

/// The first event of a stream: LiteLLM writes its error as one, with the status of an error.
fn first_event(body: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(body).ok()?;
    text.lines().find_map(|line| serde_json::from_str(line.strip_prefix("data:")?).ok())
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn plain(body: &str) -> String {
    let line = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { "(no words)".to_owned() } else { shortened(&line, PLAIN_MAX_CHARS) }
}

const PLAIN_MAX_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_shape_yields_its_text() {
        let cases = [
            (r#"{"error":{"type":"t","code":"c","message":"m"}}"#, ("t", "c", "m")),
            (r#"{"error":{"type":"t","details":{"error_code":"d"},"message":"m"}}"#, ("t", "d", "m")),
            (r#"{"error":{"code":503,"message":"Loading model"}}"#, ("", "503", "Loading model")),
            (r#"[{"error":{"code":400,"message":"m"}}]"#, ("", "400", "m")),
            (r#"{"error":"model not found"}"#, ("", "", "model not found")),
            (r#"{"detail":"Not Found"}"#, ("", "", "Not Found")),
            (
                r#"{"object":"error","message":"m","type":"BadRequestError","code":400}"#,
                ("BadRequestError", "400", "m"),
            ),
            (
                "data: {\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":\"500\"}}\n\ndata: [DONE]\n\n",
                ("t", "500", "m"),
            ),
            ("<html>\n <b>gone</b></html>", ("", "", "<html> <b>gone</b></html>")),
            ("", ("", "", "(no words)")),
        ];
        for (body, (kind, code, words)) in cases {
            let expected = ServerError { kind: kind.into(), code: code.into(), words: words.into() };
            assert_eq!(ServerError::read(body.as_bytes()), expected, "{body}");
        }
    }
}
