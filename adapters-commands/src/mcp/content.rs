//! Renders the result of a tool as text for the model.

use entracte_application::texts::{LocalizedTexts, say};
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};

use super::text::{beginning, line};

/// The texts of the result, or its structured content if there are none, and a line for each part that is not text.
pub(super) fn text_of(result: &CallToolResult, texts: &LocalizedTexts) -> String {
    let mut parts: Vec<String> = result.content.iter().map(|block| part(block, texts)).collect();
    let has_text = result.content.iter().any(is_text);
    if let Some(structured) = result.structured_content.as_ref().filter(|_| !has_text) {
        parts.insert(0, structured.to_string());
    }
    if parts.is_empty() {
        parts.push(say!(texts, "tools-mcp-nothing"));
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

fn part(block: &ContentBlock, texts: &LocalizedTexts) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => {
            let (media, bytes) = (short(&image.mime_type), decoded_len(&image.data));
            say!(texts, "tools-mcp-image", media = media, bytes = bytes)
        }
        ContentBlock::Audio(audio) => {
            let (media, bytes) = (short(&audio.mime_type), decoded_len(&audio.data));
            say!(texts, "tools-mcp-audio", media = media, bytes = bytes)
        }
        ContentBlock::Resource(embedded) => resource(&embedded.resource, texts),
        ContentBlock::ResourceLink(resource) => link(resource, texts),
        // The protocol may grow; an unknown kind of content is mentioned, not hidden.
        other => say!(texts, "tools-mcp-content-unknown", bytes = format!("{other:?}").len()),
    }
}

fn resource(contents: &ResourceContents, texts: &LocalizedTexts) -> String {
    let head = |uri: &str, media: Option<&str>, bytes: usize| {
        say!(texts, "tools-mcp-resource", uri = short(uri), media = kind(media, texts), bytes = bytes)
    };
    match contents {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            format!("{}\n{text}", head(uri, mime_type.as_deref(), text.len()))
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            head(uri, mime_type.as_deref(), decoded_len(blob))
        }
        _ => say!(texts, "tools-mcp-resource-unknown"),
    }
}

fn link(resource: &Resource, texts: &LocalizedTexts) -> String {
    let (uri, name) = (short(&resource.uri), short(&resource.name));
    let media = kind(resource.mime_type.as_deref(), texts);
    match resource.size {
        None => say!(texts, "tools-mcp-link", uri = uri, name = name, media = media),
        Some(bytes) => {
            say!(texts, "tools-mcp-link-sized", uri = uri, name = name, media = media, bytes = bytes)
        }
    }
}

fn kind(media_type: Option<&str>, texts: &LocalizedTexts) -> String {
    media_type.map_or_else(|| say!(texts, "tools-mcp-media-unknown"), short)
}

fn short(text: &str) -> String {
    line(text, LABEL_MAX_CHARS)
}

/// The number of bytes that a base64 text encodes.
fn decoded_len(base64: &str) -> usize {
    let digits = base64.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count();
    digits * 3 / 4
}

/// `text`, truncated with a note if it has more than `bytes_max` bytes.
pub(super) fn capped(text: String, bytes_max: usize, texts: &LocalizedTexts) -> String {
    if text.len() <= bytes_max {
        return text;
    }
    let kept = beginning(&text, bytes_max);
    format!("{kept}\n{}", say!(texts, "tools-mcp-cut", kept = kept.len(), bytes = text.len()))
}

/// The most characters of an address or media type in a line.
const LABEL_MAX_CHARS: usize = 300;

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use serde_json::{Value, json};

    use super::*;

    fn check(result: Value, expected: &str) {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        let texts = LocalizedTexts::for_language(Language::En);
        assert_eq!(capped(text_of(&result, texts), 100, texts), expected);
    }

    #[test]
    fn texts_are_joined_and_other_content_is_described() {
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
        check(json!({"content": []}), "(the tool returned nothing)");
    }

    #[test]
    fn structured_content_replaces_missing_text() {
        check(json!({"content": [], "structuredContent": {"a": 1.5}}), r#"{"a":1.5}"#);
        check(json!({"content": [{"type": "text", "text": "t"}], "structuredContent": {"a": 1}}), "t");
    }

    #[test]
    fn long_result_is_cut_with_note() {
        let cut = format!("{}\n[cut: 100 of 200 bytes]", "é".repeat(50));
        check(json!({"content": [{"type": "text", "text": "é".repeat(100)}]}), &cut);
    }
}
