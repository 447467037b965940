//! The answer that an external AI gets to a call: the same whole answer as text and as structured content, because hosts
//! hand their models only one of the two.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entracte_application::json_value::{self, ExactJson, to_text};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::content::{media_blocks, without_media};
use super::exact_numbers::to_library;

/// The result of a call, as the external AI receives it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct McpToolResult {
    /// The state of the call as a word: `succeeded`, `failed`, `waiting_for_approval`, ….
    pub status: String,
    /// The data of a successful call: JSON, or a text.
    pub result: ExactJson,
    /// The code of a call that did not succeed.
    pub code: Option<String>,
    /// Unique id of the call; `None` if none was created.
    pub call: Option<String>,
    /// Why the call did not succeed, or what it waits for.
    pub message: Option<String>,
    /// What to do next, if anything.
    pub next: Option<String>,
    /// The approval that the call waits for.
    #[serde(flatten)]
    pub approval: Option<McpPendingApproval>,
    /// Whether the call failed.
    #[serde(skip)]
    pub is_error: bool,
    /// The files of the result, as content of their own.
    #[serde(skip)]
    pub files: Vec<McpResultFile>,
}

/// A file of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpResultFile {
    /// The line that names it.
    pub line: String,
    /// Media type of an image.
    pub media_type: String,
    /// The bytes of an image; `None` for a file of another kind, and for one that is gone.
    pub image: Option<Vec<u8>>,
}

/// An approval that a call waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct McpPendingApproval {
    /// Its id in the inbox.
    pub inbox: String,
    /// What the action would do.
    pub says: String,
    /// Why it asks.
    pub reasons: Vec<McpApprovalReason>,
    /// When it expires, in ISO 8601.
    pub expires_at: String,
}

/// Why a call needs an approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct McpApprovalReason {
    /// The level that asks.
    pub level: String,
    /// The reason for people.
    pub text: String,
}

impl McpToolResult {
    /// The data of a call from its content: JSON, or else a text.
    pub fn data(content: &str) -> ExactJson {
        ExactJson(json_value::parse(content).unwrap_or_else(|_| JsonValue::from(content)))
    }

    /// A call that failed for this reason.
    pub fn failed(code: Option<&str>, message: String) -> Self {
        let code = code.map(str::to_owned);
        Self { status: "failed".to_owned(), code, message: Some(message), is_error: true, ..Self::default() }
    }

    /// The answer on the wire. Files, and images and sounds in the data, become content of their own.
    pub(super) fn into_wire(mut self, texts: &LocalizedTexts) -> CallToolResult {
        let media = media_blocks(&self.result.0);
        if !media.is_empty() {
            self.result = ExactJson(without_media(&self.result.0, texts));
        }
        let ExactJson(structured) = ExactJson::from_shape(&self).unwrap_or_default();
        let files = std::mem::take(&mut self.files).into_iter().flat_map(McpResultFile::into_wire);
        let text = ContentBlock::text(to_text(&structured));
        let content = std::iter::once(text).chain(media).chain(files).collect();
        let mut result =
            if self.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = Some(to_library(&structured));
        result
    }
}

impl McpResultFile {
    /// The line that names it, and the image.
    fn into_wire(self) -> Vec<ContentBlock> {
        let Self { line, media_type, image } = self;
        let image = image.map(|bytes| ContentBlock::image(STANDARD.encode(bytes), media_type));
        std::iter::once(ContentBlock::text(line)).chain(image).collect()
    }
}

/// The schema of every answer.
pub(super) fn output_schema(texts: &LocalizedTexts) -> JsonObject {
    let optional_text = |says: String| json!({"type": ["string", "null"], "description": says});
    let level = json!({"level": {"type": "string"}, "text": {"type": "string"}});
    let reason = json!({"type": "object", "properties": level, "required": ["level", "text"]});
    let properties = json!({
        "status": {"type": "string", "description": say!(texts, "tools-serve-schema-status")},
        "result": {"description": say!(texts, "tools-serve-schema-result")},
        "code": optional_text(say!(texts, "tools-serve-schema-code")),
        "call": optional_text(say!(texts, "tools-serve-schema-call")),
        "message": optional_text(say!(texts, "tools-serve-schema-message")),
        "next": optional_text(say!(texts, "tools-serve-schema-next")),
        "inbox": {"type": "string", "description": say!(texts, "tools-serve-schema-inbox")},
        "says": {"type": "string"},
        "reasons": {"type": "array", "items": reason},
        "expires_at": {"type": "string"},
    });
    let required = json!(["status", "result", "code", "call", "message", "next"]);
    Map::from_iter([
        ("type".to_owned(), Value::from("object")),
        ("properties".to_owned(), properties),
        ("required".to_owned(), required),
        ("additionalProperties".to_owned(), Value::from(false)),
    ])
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;

    #[test]
    fn whole_answer_is_in_both_parts_and_fits_its_schema() {
        let texts = LocalizedTexts::for_language(Language::En);
        let schema = jsonschema::validator_for(&Value::Object(output_schema(texts))).unwrap();
        let done = McpToolResult {
            status: "succeeded".into(),
            result: McpToolResult::data(r#"{"total": 0}"#),
            call: Some("cal_1".into()),
            ..McpToolResult::default()
        };
        let approval = McpPendingApproval { inbox: "apr_1".into(), ..McpPendingApproval::default() };
        let waits = McpToolResult { approval: Some(approval), ..done.clone() };
        for answer in [done, waits, McpToolResult::failed(Some("REJECTED"), "no".into())] {
            let is_error = answer.is_error;
            let wire = serde_json::to_value(answer.into_wire(texts)).unwrap();
            let structured = &wire["structuredContent"];
            assert!(schema.is_valid(structured), "{structured}");
            let text: Value = serde_json::from_str(wire["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!((&text, wire["isError"].as_bool()), (structured, Some(is_error)));
        }
    }

    #[test]
    fn images_of_result_become_content() {
        let texts = LocalizedTexts::for_language(Language::En);
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA"});
        let result = ExactJson(json_value::from_serde(&json!({"shot": image})));
        let answer = McpToolResult { result, ..McpToolResult::default() };
        let wire = serde_json::to_value(answer.into_wire(texts)).unwrap();
        assert_eq!(wire["content"][1]["data"], "AAAA");
        assert_eq!(wire["structuredContent"]["result"]["shot"], "[image image/png, 3 bytes]");
    }

    /// Input: a result with an image and a PDF; expected: the line of each behind the answer, and the image behind its line.
    #[test]
    fn files_of_result_become_content() {
        let texts = LocalizedTexts::for_language(Language::En);
        let shot = McpResultFile {
            line: "[shot.png]".into(),
            media_type: "image/png".into(),
            image: Some(b"png".to_vec()),
        };
        let report = McpResultFile { line: "[report.pdf]".into(), ..McpResultFile::default() };
        let answer = McpToolResult { files: vec![shot, report], ..McpToolResult::default() };
        let wire = serde_json::to_value(answer.into_wire(texts)).unwrap();
        assert_eq!(wire["content"][1]["text"], "[shot.png]");
        let image = json!({"type": "image", "mimeType": "image/png", "data": "cG5n"});
        assert_eq!((&wire["content"][2], &wire["content"][3]["text"]), (&image, &json!("[report.pdf]")));
        assert!(wire["structuredContent"].get("files").is_none());
    }
}
