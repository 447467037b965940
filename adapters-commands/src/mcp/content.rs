//! Renders the result of a tool as text for the model.

use entracte_application::json_value::{parse_foreign, to_serde, to_text};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents, ResourceTemplate};

use super::exact_numbers::from_library;
use super::text::{beginning, line};

/// The texts of the result, a line for each part that is not text, and the structured content unless the texts already
/// contain its data.
pub(super) fn text_of(result: &CallToolResult, texts: &LocalizedTexts) -> String {
    let mut parts: Vec<String> = result.content.iter().map(|block| part(block, texts)).collect();
    if let Some(structured) = &result.structured_content {
        let structured = without_media(&from_library(structured), texts);
        if !is_told(&structured, &parts) {
            let at = if result.content.iter().any(is_text) { parts.len() } else { 0 };
            parts.insert(at, to_text(&structured));
        }
    }
    if parts.is_empty() {
        parts.push(say!(texts, "tools-mcp-nothing"));
    }
    parts.join("\n")
}

/// Whether the texts contain the data: as the same JSON, or each value somewhere.
fn is_told(structured: &JsonValue, parts: &[String]) -> bool {
    let is_same = |part: &String| parse_foreign(part).is_ok_and(|told| told == *structured);
    if parts.is_empty() {
        return false;
    }
    let text = parts.join("\n");
    let is_searched = value_count(structured).saturating_mul(text.len()) <= SEARCH_BYTES_MAX;
    parts.iter().any(is_same) || (is_searched && has_every_value(structured, &text))
}

fn value_count(value: &JsonValue) -> usize {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => 1,
        JsonValue::List(items) => items.iter().map(value_count).sum(),
        JsonValue::Object(members) => members.iter().map(|(_, member)| value_count(member)).sum(),
    }
}

/// Whether the text contains every value. Numbers count only as whole words, text in any place.
fn has_every_value(value: &JsonValue, text: &str) -> bool {
    match value {
        JsonValue::Null => true,
        JsonValue::Bool(_) | JsonValue::Number(_) => {
            let is_apart = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '.' | '-' | '+');
            let number = to_text(value);
            text.split(is_apart).any(|word| word.trim_end_matches('.') == number)
        }
        JsonValue::Text(said) => {
            text.contains(said.trim()) || text.contains(to_text(value).trim_matches('"'))
        }
        JsonValue::List(items) => items.iter().all(|item| has_every_value(item, text)),
        JsonValue::Object(members) => members.iter().all(|(_, member)| has_every_value(member, text)),
    }
}

/// The structured content with a line in place of each image, sound or file: base64 tells a model nothing.
pub(super) fn without_media(value: &JsonValue, texts: &LocalizedTexts) -> JsonValue {
    match value {
        JsonValue::Object(members) => match media_of(value) {
            Some(block) => JsonValue::Text(part(&block, texts)),
            None => {
                let members = members.iter();
                let members = members.map(|(name, member)| (name.clone(), without_media(member, texts)));
                JsonValue::Object(members.collect())
            }
        },
        JsonValue::List(items) => {
            JsonValue::List(items.iter().map(|item| without_media(item, texts)).collect())
        }
        JsonValue::Text(text) if is_base64(text) => {
            JsonValue::Text(say!(texts, "tools-mcp-content-unknown", bytes = decoded_len(text)))
        }
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => value.clone(),
    }
}

/// The images, sounds and files in a value.
pub(super) fn media_blocks(value: &JsonValue) -> Vec<ContentBlock> {
    match value {
        JsonValue::Object(members) => match media_of(value) {
            Some(block) => vec![block],
            None => members.iter().flat_map(|(_, member)| media_blocks(member)).collect(),
        },
        JsonValue::List(items) => items.iter().flat_map(media_blocks).collect(),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => Vec::new(),
    }
}

/// The image, sound or file that an object is, if it has the form of a content block.
fn media_of(value: &JsonValue) -> Option<ContentBlock> {
    let block: ContentBlock = serde_json::from_value(to_serde(value)).ok()?;
    match &block {
        ContentBlock::Image(_) | ContentBlock::Audio(_) => Some(block),
        ContentBlock::Resource(embedded) => {
            matches!(embedded.resource, ResourceContents::BlobResourceContents { .. }).then_some(block)
        }
        _ => None,
    }
}

/// Whether a text is encoded bytes: long, and of the letters of base64 alone.
fn is_base64(text: &str) -> bool {
    let encoded = text.split_once(";base64,").map_or(text, |(_, encoded)| encoded);
    let is_digit =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    encoded.len() >= BASE64_MIN_CHARS && encoded.bytes().all(is_digit)
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

/// One block of content as text.
pub(super) fn part(block: &ContentBlock, texts: &LocalizedTexts) -> String {
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

/// A resource of a list, with what its server says about it.
pub(super) fn resource_line(resource: &Resource, texts: &LocalizedTexts) -> String {
    described(link(resource, texts), resource.description.as_deref())
}

/// A template of a list: an address with variables in braces.
pub(super) fn template_line(template: &ResourceTemplate, texts: &LocalizedTexts) -> String {
    let (uri, name) = (address(&template.uri_template), short(&template.name));
    let media = kind(template.mime_type.as_deref(), texts);
    let line = say!(texts, "tools-mcp-template", uri = uri, name = name, media = media);
    described(line, template.description.as_deref())
}

fn described(line: String, description: Option<&str>) -> String {
    match description.map(short).filter(|text| !text.is_empty()) {
        Some(description) => format!("{line}: {description}"),
        None => line,
    }
}

/// An address that can be read again: longer than other labels.
fn address(uri: &str) -> String {
    line(uri, ADDRESS_MAX_CHARS)
}

fn link(resource: &Resource, texts: &LocalizedTexts) -> String {
    let (uri, name) = (address(&resource.uri), short(&resource.name));
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
pub(super) fn decoded_len(base64: &str) -> usize {
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

/// The most bytes that are gone through to find each value of structured content in the texts: a server may send millions of
/// values beside megabytes of text.
const SEARCH_BYTES_MAX: usize = 50_000_000;
/// The most characters of the address of a resource that can be read.
const ADDRESS_MAX_CHARS: usize = 2_000;
/// The most characters of a name, a media type or a description in a line.
const LABEL_MAX_CHARS: usize = 300;
/// The least characters of a text that counts as encoded bytes; ids and hashes are shorter.
const BASE64_MIN_CHARS: usize = 512;

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use serde_json::{Value, json};

    use super::super::exact_numbers::{ToolPayloads, with_marked_numbers};
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
    fn structured_content_is_told_once() {
        let result = |text: &str, structured: Value| json!({"content": [{"type": "text", "text": text}], "structuredContent": structured});
        check(json!({"content": [], "structuredContent": {"a": 1.5}}), r#"{"a":1.5}"#);
        check(
            result("2 items", json!({"items": ["Roof", "Door"]})),
            "2 items\n{\"items\":[\"Roof\",\"Door\"]}",
        );
        // The same data, as JSON with other spaces, as words, and as the helper of a language wraps a plain text.
        check(result(r#"{"a": 1, "b": [true]}"#, json!({"a": 1, "b": [true]})), r#"{"a": 1, "b": [true]}"#);
        check(result("Roof costs 12.", json!({"name": "Roof", "cost": 12})), "Roof costs 12.");
        check(result("say \"hi\"", json!({"result": "say \"hi\""})), "say \"hi\"");
        check(result("10 rows", json!({"a": 1, "b": 0})), "10 rows\n{\"a\":1,\"b\":0}");
    }

    /// Input: many values, each of which stands at the end of a long text; expected: they are told as data, and not sought.
    #[test]
    fn many_values_are_not_sought_in_long_text() {
        let told = |values: usize| {
            let text = format!("{} 1", "x".repeat(100_000));
            let result = json!({"content": [{"type": "text", "text": text}], "structuredContent": {"a": vec![1; values]}});
            text_of(&serde_json::from_value(result).unwrap(), LocalizedTexts::for_language(Language::En))
        };
        assert!(told(400).ends_with("x 1"));
        assert!(told(100_000).ends_with("1,1]}"));
    }

    /// Input: structured content with digits that no machine number holds; expected: the model reads them all.
    #[test]
    fn structured_content_keeps_digits() {
        let text = r#"{"content":[],"structuredContent":{"rate":1e2,"amount":12345678901234567890.12,"paid":72.50}}"#;
        let text = with_marked_numbers(text, ToolPayloads::OF_SERVER);
        let result: CallToolResult = serde_json::from_str(&text).unwrap();
        assert_eq!(
            text_of(&result, LocalizedTexts::for_language(Language::En)),
            r#"{"amount":12345678901234567890.12,"paid":72.50,"rate":1e+2}"#
        );
    }

    #[test]
    fn media_in_structured_content_is_no_text() {
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA".repeat(400)});
        let line = "[image image/png, 1200 bytes]";
        check(json!({"content": [image], "structuredContent": {"result": [image]}}), line);
        check(
            json!({"content": [], "structuredContent": {"shot": image}}),
            &format!(r#"{{"shot":"{line}"}}"#),
        );
        let bytes = json!({"content": [], "structuredContent": {"file": "QUJD".repeat(200)}});
        let texts = LocalizedTexts::for_language(Language::En);
        let told = text_of(&serde_json::from_value(bytes).unwrap(), texts);
        assert!(!told.contains("QUJD"), "{told}");
    }

    #[test]
    fn long_result_is_cut_with_note() {
        let cut = format!("{}\n[cut: 100 of 200 bytes]", "é".repeat(50));
        check(json!({"content": [{"type": "text", "text": "é".repeat(100)}]}), &cut);
    }
}
