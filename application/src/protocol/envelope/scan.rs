//! Finds the one JSON object of a reply and the text around it. One pass over the bytes, no recursion.

use std::ops::Range;

use super::faults::{FormatFaultList, code};
use crate::texts::{LocalizedMessage, saying};

/// The parts of a reply.
pub(super) struct EnvelopeScan<'a> {
    /// The object, if there is exactly one.
    pub(super) object: Option<&'a str>,
    /// The remaining text without fences; `None` if it is empty.
    pub(super) stray: Option<String>,
}

/// Finds the object; zero, several or an unclosed one are faults.
pub(super) fn object<'a>(text: &'a str, faults: &mut FormatFaultList) -> EnvelopeScan<'a> {
    let seen = scan_objects(text.as_bytes());
    if let Some(begin) = seen.unclosed {
        let line = 1 + text.as_bytes()[..begin].iter().filter(|byte| **byte == b'\n').count();
        faults.add(code::CUT, || saying!("reply-unclosed", line = line));
        return EnvelopeScan { object: None, stray: None };
    }
    let Some(span) = seen.first else {
        faults.add(code::NO_OBJECT, || no_object(text));
        return EnvelopeScan { object: None, stray: None };
    };
    if seen.objects > 1 {
        faults.add(code::SEVERAL_OBJECTS, || saying!("reply-several-objects", count = seen.objects));
        return EnvelopeScan { object: None, stray: None };
    }
    if seen.enclosed {
        faults.add(code::INVALID_JSON, || saying!("reply-enclosed"));
    }
    EnvelopeScan { object: text.get(span.clone()), stray: stray(text, span) }
}

fn no_object(text: &str) -> LocalizedMessage {
    if text.trim().is_empty() { saying!("reply-empty") } else { saying!("reply-no-object") }
}

#[derive(Default)]
struct ObjectScanState {
    objects: usize,
    first: Option<Range<usize>>,
    /// Offset of an object that is not closed.
    unclosed: Option<usize>,
    /// Whether an object is inside brackets that are not an object.
    enclosed: bool,
}

/// Scans for objects. Brackets in prose (`{x}`, `[1]`) are text: an object begins with `{` and a quoted name, or
/// is empty.
fn scan_objects(bytes: &[u8]) -> ObjectScanState {
    let mut seen = ObjectScanState::default();
    let mut loose = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' if begins_object(&bytes[at + 1..]) => {
                let Some(length) = length_of_object(&bytes[at..]) else {
                    seen.unclosed = Some(at);
                    return seen;
                };
                seen.objects += 1;
                seen.enclosed |= loose > 0;
                seen.first.get_or_insert(at..at + length);
                at += length;
                continue;
            }
            b'{' | b'[' => loose += 1,
            b'}' | b']' => loose = loose.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    seen
}

fn begins_object(after_brace: &[u8]) -> bool {
    match after_brace.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(byte) => matches!(byte, b'"' | b'}'),
        // A reply that ends immediately after the brace.
        None => true,
    }
}

/// The length in bytes of the object that begins here; `None` if it is not closed.
fn length_of_object(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (index, byte) in bytes.iter().enumerate() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true | false, b'"') => in_string = !in_string,
            (false, b'{') => depth += 1,
            (false, b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            (true | false, _) => {}
        }
    }
    None
}

fn stray(text: &str, object: Range<usize>) -> Option<String> {
    let before = without_opening_fence(text.get(..object.start).unwrap_or_default());
    let after = without_closing_fence(text.get(object.end..).unwrap_or_default());
    let parts: Vec<&str> = [before, after].into_iter().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

fn without_opening_fence(before: &str) -> &str {
    let before = before.trim();
    match before.rsplit_once("```") {
        Some((rest, label)) if label.chars().all(char::is_alphanumeric) => rest.trim_end(),
        Some(_) | None => before,
    }
}

fn without_closing_fence(after: &str) -> &str {
    let after = after.trim();
    after.strip_prefix("```").map_or(after, str::trim_start)
}
