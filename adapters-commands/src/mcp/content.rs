//! What a tool answered, as the text that the model reads.

use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};

use super::text::{beginning, line};

/// The answer's text: its texts, or its structured content when there are none, and a line for each thing that
/// is no text.
pub(super) fn text_of(result: &CallToolResult) -> String {
    let mut parts: Vec<String> = result.content.iter().map(part).collect();
    let has_text = result.content.iter().any(is_text);
    if let Some(structured) = result.structured_content.as_ref().filter(|_| !has_text) {
        parts.insert(0, structured.to_string());
    }
    if parts.is_empty() {
        parts.push("(the tool answered nothing)".to_owned());
    }
    parts.join("\n")
}

fn is_text(block: &ContentBlock) -> bool {
    match block {
        ContentBlock::Text(text) => !text.text.is_empty(),
        ContentBlock::Resource(embedded) => {
            matches!(embedded.resource, ResourceContents::TextResourceContents { .. })
        }
        _ => false,
    }
}

fn part(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => media("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => media("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => resource(&embedded.resource),
        ContentBlock::ResourceLink(resource) => link(resource),
        // The protocol may grow; what is not known is not hidden.
        other => format!("[content of an unknown kind: {} bytes]", format!("{other:?}").len()),
    }
}

fn media(what: &str, media_type: &str, base64: &str) -> String {
    format!("[{what} {}, {} bytes]", short(media_type), decoded_len(base64))
}

fn resource(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            format!("[resource {}, {}, {} bytes]\n{text}", short(uri), kind(mime_type.as_deref()), text.len())
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let kind = kind(mime_type.as_deref());
            format!("[resource {}, {kind}, {} bytes]", short(uri), decoded_len(blob))
        }
        _ => "[resource of an unknown kind]".to_owned(),
    }
}

fn link(resource: &Resource) -> String {
    let size = resource.size.map(|size| format!(", {size} bytes")).unwrap_or_default();
    let kind = kind(resource.mime_type.as_deref());
    format!("[link to the resource {} “{}”, {kind}{size}]", short(&resource.uri), short(&resource.name))
}

fn kind(media_type: Option<&str>) -> String {
    short(media_type.unwrap_or("unknown type"))
}

fn short(text: &str) -> String {
    line(text, LABEL_MAX_CHARS)
}

/// Bytes behind a base64 text.
fn decoded_len(base64: &str) -> usize {
    let digits = base64.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count();
    digits * 3 / 4
}

/// `text`, cut with a note where it has more than `bytes_max` bytes.
pub(super) fn capped(text: String, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text;
    }
    let kept = beginning(&text, bytes_max);
    format!("{kept}\n[cut: {} of {} bytes]", kept.len(), text.len())
}

/// Longest address or media type in a line, in characters.
const LABEL_MAX_CHARS: usize = 300;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(result: Value, expected: &str) {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        assert_eq!(capped(text_of(&result), 100), expected);
    }

    #[test]
    fn texts_are_joined_and_the_rest_becomes_a_line() {
        check(json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "a\nb");
        check(
            json!({"content": [
                {"type": "text", "text": "see"},
                {"type": "image", "mimeType": "image/png", "data": "AAAAAA=="},
            ]}),
            "see\n[image image/png, 4 bytes]",
        );
        check(
            json!({"content": [{"type": "resource",
                "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "hi"}}]}),
            "[resource file:///a, text/plain, 2 bytes]\nhi",
        );
        check(
            json!({"content": [{"type": "resource_link", "uri": "file:///a", "name": "A\nb"}]}),
            "[link to the resource file:///a “A b”, unknown type]",
        );
        check(json!({"content": []}), "(the tool answered nothing)");
    }

    #[test]
    fn structured_content_stands_in_for_missing_text() {
        check(json!({"content": [], "structuredContent": {"a": 1.5}}), r#"{"a":1.5}"#);
        check(json!({"content": [{"type": "text", "text": "t"}], "structuredContent": {"a": 1}}), "t");
    }

    #[test]
    fn a_long_answer_is_cut_with_a_note() {
        let cut = format!("{}\n[cut: 100 of 200 bytes]", "é".repeat(50));
        check(json!({"content": [{"type": "text", "text": "é".repeat(100)}]}), &cut);
    }
}
