//! Cuts structured documents into chunks: each is some records in words, and the pointer to the first of them.

use serde_json::Value;

use super::cutting::{Piece, cut_text};
use super::pointer::joined;
use crate::settings::ChunkSizes;

/// Cuts a structured document. Of its chunks the places count records, not bytes.
pub fn cut_records(value: &Value, sizes: ChunkSizes) -> Vec<Piece> {
    let mut records = Vec::new();
    gather(value, &mut Vec::new(), sizes, &mut records);
    let mut pieces: Vec<Piece> = Vec::new();
    for (index, record) in records.into_iter().enumerate() {
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
                pieces.push(Piece { heading: vec![record.pointer], text: record.text, at: index..index + 1 });
            }
        }
    }
    pieces
}

struct Record {
    pointer: String,
    text: String,
}

/// Whether a record stands in the same list or object as the first one of a piece.
fn is_beside(piece: &Piece, record: &Record) -> bool {
    let parent = |pointer: &str| pointer.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    piece.heading.first().is_some_and(|first| parent(first) == parent(&record.pointer))
}

/// A value that fits is a record; what is larger is its parts.
fn gather(value: &Value, path: &mut Vec<String>, sizes: ChunkSizes, records: &mut Vec<Record>) {
    let is_root = path.is_empty();
    let text = in_words(value, path);
    let fits = text.chars().count() <= sizes.wanted;
    match value {
        Value::Array(items) if !items.is_empty() && (is_root || !fits) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                gather(item, path, sizes, records);
                path.pop();
            }
        }
        Value::Object(fields) if !fields.is_empty() && !fits => {
            for (key, field) in fields {
                path.push(key.clone());
                gather(field, path, sizes, records);
                path.pop();
            }
        }
        Value::String(_) if !fits => {
            let pointer = joined(path);
            let parts = cut_text(&text, sizes);
            records
                .extend(parts.into_iter().map(|part| Record { pointer: pointer.clone(), text: part.text }));
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => records.push(Record { pointer: joined(path), text }),
    }
}

/// `name: Ann, address city: Lyon`: the fields of a value with what they are called, under the keys that lead to it.
fn in_words(value: &Value, path: &[String]) -> String {
    let mut said = Vec::new();
    let keys: Vec<&str> =
        path.iter().map(String::as_str).filter(|key| key.parse::<usize>().is_err()).collect();
    say(value, &mut keys.clone(), &mut said);
    said.join("\n")
}

fn say<'a>(value: &'a Value, keys: &mut Vec<&'a str>, said: &mut Vec<String>) {
    let line = |text: &str| {
        if keys.is_empty() { text.to_owned() } else { format!("{}: {text}", keys.join(" ")) }
    };
    match value {
        Value::Null => {}
        Value::Bool(truth) => said.push(line(if *truth { "true" } else { "false" })),
        Value::Number(number) => said.push(line(&number.to_string())),
        Value::String(text) => said.push(line(text)),
        Value::Array(items) => items.iter().for_each(|item| say(item, keys, said)),
        Value::Object(fields) => {
            for (key, field) in fields {
                keys.push(key);
                say(field, keys, said);
                keys.pop();
            }
        }
    }
}
