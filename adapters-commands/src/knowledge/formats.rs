//! Converts the bytes of a document of any format into its content. Pure, and without a time limit.

use entracte_application::json_value::parse_foreign;
use entracte_application::ports::{DocumentContent, DocumentConversionError, DocumentFormat, ReadingGaps};
use entracte_application::settings::ReaderSettings;
use entracte_domain::value::JsonValue;

use super::charset::TextDecodingError;
use super::memory_budget::{MemoryBudget, MemoryBudgetError};
use super::repeated_names::repeated_name;
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
            if let Some(repeated) = repeated_name(&text) {
                return Err(unreadable(repeated));
            }
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
    let whole = match parse_foreign(text) {
        Ok(value) => return Ok(value),
        Err(fault) => format!("{} at line {} column {}", fault.says, fault.line, fault.column),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 {
        return Err(whole);
    }
    let values: Result<Vec<JsonValue>, _> = lines.into_iter().map(parse_foreign).collect();
    values.map(JsonValue::List).map_err(|_| whole)
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
