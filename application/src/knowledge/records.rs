//! Splits structured documents into chunks: each contains some records as text, and the pointer to the first of them.

use entracte_domain::value::JsonValue;

use super::chunker::{TextChunk, cut_text};
use super::pointer::join_pointer;
use crate::settings::ChunkSizeBounds;

/// The text form of a document exceeds the limit, because names are repeated before every value below them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordTextOverflow;

/// Splits a structured document into chunks whose texts and pointers have at most `most` bytes together. The positions
/// of its chunks count records, not bytes.
///
/// # Errors
/// [`RecordTextOverflow`], as soon as the limit is exceeded.
pub fn cut_records(
    value: &JsonValue,
    sizes: ChunkSizeBounds,
    most: usize,
) -> Result<Vec<TextChunk>, RecordTextOverflow> {
    let mut gathering = DocumentRecordCollector { sizes, left: most, records: Vec::new() };
    gathering.gather(value, &mut Vec::new())?;
    let mut pieces: Vec<TextChunk> = Vec::new();
    for (index, record) in gathering.records.into_iter().enumerate() {
        let characters = record.text.chars().count();
        match pieces.last_mut() {
            Some(last)
                if last.text.chars().count() + characters < sizes.wanted && is_beside(last, &record) =>
            {
                last.text.push('\n');
                last.text.push_str(&record.text);
                last.at.end = index + 1;
            }
            Some(_) | None => {
                pieces.push(TextChunk {
                    heading: vec![record.pointer],
                    text: record.text,
                    at: index..index + 1,
                });
            }
        }
    }
    Ok(pieces)
}

struct DocumentRecord {
    pointer: String,
    text: String,
}

/// Whether a record is in the same list or object as the first one of a piece.
fn is_beside(piece: &TextChunk, record: &DocumentRecord) -> bool {
    let parent = |pointer: &str| pointer.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    piece.heading.first().is_some_and(|first| parent(first) == parent(&record.pointer))
}

/// Collects records, with the number of bytes left.
struct DocumentRecordCollector {
    sizes: ChunkSizeBounds,
    left: usize,
    records: Vec<DocumentRecord>,
}

impl DocumentRecordCollector {
    /// A value that fits is a record; a larger one is split into its parts.
    fn gather(&mut self, value: &JsonValue, path: &mut Vec<String>) -> Result<(), RecordTextOverflow> {
        let is_root = path.is_empty();
        let fitting = render_value_text(value, path, self.sizes.wanted);
        match value {
            JsonValue::List(items) if !items.is_empty() && (is_root || fitting.is_none()) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(index.to_string());
                    self.gather(item, path)?;
                    path.pop();
                }
                Ok(())
            }
            JsonValue::Object(fields) if !fields.is_empty() && fitting.is_none() => {
                for (key, field) in fields {
                    path.push(key.clone());
                    self.gather(field, path)?;
                    path.pop();
                }
                Ok(())
            }
            JsonValue::Text(_) if fitting.is_none() => {
                let text = render_value_text(value, path, self.left).ok_or(RecordTextOverflow)?;
                cut_text(&text, self.sizes).into_iter().try_for_each(|part| self.keep(path, part.text))
            }
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::List(_)
            | JsonValue::Object(_) => {
                let text = fitting
                    .or_else(|| render_value_text(value, path, self.left))
                    .ok_or(RecordTextOverflow)?;
                self.keep(path, text)
            }
        }
    }

    fn keep(&mut self, path: &[String], text: String) -> Result<(), RecordTextOverflow> {
        let pointer_bytes: usize = path.iter().map(|key| key.len() + 1).sum();
        let bytes = pointer_bytes.saturating_add(text.len());
        self.left = self.left.checked_sub(bytes).ok_or(RecordTextOverflow)?;
        self.records.push(DocumentRecord { pointer: join_pointer(path), text });
        Ok(())
    }
}

/// Renders `name: Ann, address city: Lyon`: the fields of a value with their names, under the keys that lead to it.
/// `None` if the text exceeds `most` characters; no more than that is written.
fn render_value_text(value: &JsonValue, path: &[String], most: usize) -> Option<String> {
    let mut keys: Vec<&str> =
        path.iter().map(String::as_str).filter(|key| key.parse::<usize>().is_err()).collect();
    let mut said = RecordTextBuilder { text: String::new(), lines: 0, left: most };
    said.value(value, &mut keys)?;
    Some(said.text)
}

/// A text under construction, with the number of characters left.
struct RecordTextBuilder {
    text: String,
    lines: usize,
    left: usize,
}

impl RecordTextBuilder {
    fn value<'a>(&mut self, value: &'a JsonValue, keys: &mut Vec<&'a str>) -> Option<()> {
        match value {
            JsonValue::Null => Some(()),
            JsonValue::Bool(truth) => self.line(keys, if *truth { "true" } else { "false" }),
            JsonValue::Number(number) => self.line(keys, number),
            JsonValue::Text(text) => self.line(keys, text),
            JsonValue::List(items) => items.iter().try_for_each(|item| self.value(item, keys)),
            JsonValue::Object(fields) => fields.iter().try_for_each(|(key, field)| {
                keys.push(key);
                self.value(field, keys)?;
                keys.pop();
                Some(())
            }),
        }
    }

    fn line(&mut self, keys: &[&str], text: &str) -> Option<()> {
        if self.lines > 0 {
            self.push("\n")?;
        }
        self.lines += 1;
        for (index, key) in keys.iter().enumerate() {
            if index > 0 {
                self.push(" ")?;
            }
            self.push(key)?;
        }
        if !keys.is_empty() {
            self.push(": ")?;
        }
        self.push(text)
    }

    fn push(&mut self, text: &str) -> Option<()> {
        // The byte length rules out a far too long text without counting its characters.
        let least = text.len().div_ceil(LONGEST_CHARACTER);
        let characters = if least > self.left { least } else { text.chars().count() };
        self.left = self.left.checked_sub(characters)?;
        self.text.push_str(text);
        Some(())
    }
}

/// The maximum number of bytes of a character.
const LONGEST_CHARACTER: usize = 4;
