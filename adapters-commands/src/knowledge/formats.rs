//! Converts the bytes of a document of any format into its content. Pure, and without a time limit.

use entracte_application::json_value::{JsonFault, parse_document};
use entracte_application::ports::{DocumentContent, DocumentConversionError, DocumentFormat, ReadingGaps};
use entracte_application::settings::ReaderSettings;
use entracte_domain::value::JsonValue;
use serde_json::value::RawValue;

use super::charset::TextDecodingError;
use super::memory_budget::{MemoryBudget, MemoryBudgetError};
use super::{charset, html, table};

/// Converts the bytes of a document.
pub(super) fn read(
    format: DocumentFormat,
    bytes: Vec<u8>,
    bounds: ReaderSettings,
) -> Result<DocumentContent, DocumentConversionError> {
    let unreadable = move |why: String| DocumentConversionError::Unreadable { format, why };
    let undecoded = move |fault: TextDecodingError| match fault {
        TextDecodingError::Binary => DocumentConversionError::NotText,
        TextDecodingError::BrokenUtf8 { .. } => unreadable(fault.to_string()),
    };
    let text = |bytes: Vec<u8>| charset::text(&bytes).map_err(undecoded);
    let content = match format {
        DocumentFormat::Markdown => DocumentContent::Markdown(text(bytes)?),
        DocumentFormat::Text => DocumentContent::Plain(text(bytes)?),
        DocumentFormat::Html => {
            let page = charset::web_page(&bytes).map_err(undecoded)?;
            let (text, gaps) = html::read(&page.text, bounds.web_pages).map_err(unreadable)?;
            DocumentContent::Extracted { text, gaps: ReadingGaps { broken_characters: page.broken, ..gaps } }
        }
        DocumentFormat::Csv => {
            let rows = table::rows(&text(bytes)?, MemoryBudget::with_bytes(bounds.memory));
            DocumentContent::Structured(rows.map_err(|fault| match fault {
                table::TableReadError::Unreadable(why) => unreadable(why),
                table::TableReadError::TooLarge => DocumentConversionError::Memory(bounds.memory),
            })?)
        }
        DocumentFormat::Json => {
            let text = charset::utf8_or_utf16(&bytes).map_err(undecoded)?;
            let fits = MemoryBudget::with_bytes(bounds.memory).json(&text);
            fits.map_err(|MemoryBudgetError| DocumentConversionError::Memory(bounds.memory))?;
            DocumentContent::Structured(json(&text).map_err(unreadable)?)
        }
        DocumentFormat::Pdf => pdf(bytes)?,
    };
    let length = match &content {
        DocumentContent::Plain(text)
        | DocumentContent::Markdown(text)
        | DocumentContent::Extracted { text, .. } => text.len(),
        // Its text is rendered later, and limited there.
        DocumentContent::Structured(_) => 0,
    };
    if u64::try_from(length).unwrap_or(u64::MAX) > bounds.output {
        return Err(DocumentConversionError::Output(bounds.output));
    }
    Ok(content)
}

/// Parses one JSON value, or one value per line.
fn json(text: &str) -> Result<JsonValue, String> {
    let whole = match parse_document(text) {
        Ok(value) => return Ok(value),
        Err(fault) => fault_text(&fault, 0),
    };
    let mut values = Vec::new();
    for (before, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match parse_document(line) {
            Ok(value) => values.push(value),
            // Each line is JSON, so the fault is one of this line.
            Err(fault) if serde_json::from_str::<&RawValue>(line).is_ok() => {
                return Err(fault_text(&fault, before));
            }
            Err(_) => return Err(whole),
        }
    }
    if values.len() < 2 { Err(whole) } else { Ok(JsonValue::List(values)) }
}

/// A fault with its place, so many lines further down.
fn fault_text(fault: &JsonFault, lines_before: usize) -> String {
    let place = if fault.path.is_empty() { String::new() } else { format!(", at {}", fault.path) };
    format!("{}{place} at line {} column {}", fault.says, lines_before + fault.line, fault.column)
}

#[cfg(feature = "pdf")]
fn pdf(bytes: Vec<u8>) -> Result<DocumentContent, DocumentConversionError> {
    super::pdf::read(bytes).map_err(|fault| match fault {
        super::pdf::PdfTextError::Scanned => DocumentConversionError::Scanned,
        super::pdf::PdfTextError::Unreadable(why) => {
            DocumentConversionError::Unreadable { format: DocumentFormat::Pdf, why }
        }
    })
}

#[cfg(not(feature = "pdf"))]
fn pdf(_: Vec<u8>) -> Result<DocumentContent, DocumentConversionError> {
    Err(DocumentConversionError::NotBuiltIn(DocumentFormat::Pdf))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: values in which a name stands twice; expected: the name and the place of its second value.
    #[test]
    fn repeated_name_is_refused_with_its_place() {
        let fault = |text: &str| json(text).unwrap_err();
        let text =
            "{\"rooms\": [{\"name\": \"Blue\"},\n {\"name\": \"Red\", \"beds\": 1.50, \"name\": \"Green\"}]}";
        assert_eq!(fault(text), "the name “name” stands twice, at /rooms/1/name at line 2 column 40");
        assert_eq!(
            fault("{\"a/b\": {\"\\u0063\": 1, \"c\": 2}}"),
            "the name “c” stands twice, at /a~1b/c at line 1 column 28"
        );
        let lines = "{\"a\": 1}\n\n{\"a\": 1e999, \"a\": 2}\n";
        assert_eq!(fault(lines), "the name “a” stands twice, at /a at line 3 column 19");
    }

    #[test]
    fn other_json_is_read() {
        let read = |text: &str| json(text).map(|value| value.to_json());
        assert_eq!(read("[{\"a\": 1}, {\"a\": 2}]"), Ok("[{\"a\":1},{\"a\":2}]".to_owned()));
        assert_eq!(read("{\"a\": {\"a\": 1e5}, \"b\": 1}"), Ok("{\"a\":{\"a\":1e+5},\"b\":1}".to_owned()));
        assert_eq!(read("{\"a\": 1}\n{\"a\": 2}\n"), Ok("[{\"a\":1},{\"a\":2}]".to_owned()));
        for broken in ["{\"a\": 1, \"a\"", "[", "", "{\"a\": 1}\n{\"a\""] {
            assert!(read(broken).is_err_and(|why| !why.contains("stands twice")), "{broken}");
        }
    }
}
