//! The encodings in which a server may echo a secret.

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The encodings of a secret, longest first, so that none leaves a rest of another.
pub(super) fn encodings(secret: &str) -> Vec<String> {
    let mut found = vec![secret.to_owned()];
    let quoted = serde_json::Value::from(secret).to_string();
    found.push(quoted.trim_matches('"').to_owned());
    found.push(quoted.trim_matches('"').replace('/', "\\/"));
    for kept in [NON_ALPHANUMERIC, &UNRESERVED] {
        let escaped = utf8_percent_encode(secret, kept).to_string();
        found.push(small_escapes(&escaped));
        found.push(escaped.replace("%20", "+"));
        found.push(escaped);
    }
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    found.push(hex.to_uppercase());
    found.push(hex);
    for digits in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
        let whole = digits.encode(secret);
        found.push(format!("{whole}{}", "=".repeat((4 - whole.len() % 4) % 4)));
        found.push(whole);
        found.extend((0..3).map(|before| inner_base64(secret.as_bytes(), before, digits)));
    }
    found.retain(|text| text.len() >= FOUND_MIN_BYTES);
    found.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    found.dedup();
    found
}

/// The base64 digits that depend on the secret alone if it begins `before` bytes after a group of three: the first and
/// the last digit may also depend on adjacent bytes.
fn inner_base64(secret: &[u8], before: usize, digits: &GeneralPurpose) -> String {
    let mut padded = vec![0; before];
    padded.extend_from_slice(secret);
    let first = (before * 8).div_ceil(6);
    let count = (padded.len() * 8 / 6).saturating_sub(first);
    digits.encode(&padded).chars().skip(first).take(count).collect()
}

/// Converts `%2F` to `%2f`.
fn small_escapes(escaped: &str) -> String {
    let mut text = String::with_capacity(escaped.len());
    let mut small = 0;
    for character in escaped.chars() {
        text.push(if small > 0 { character.to_ascii_lowercase() } else { character });
        small = if character == '%' { 2 } else { usize::saturating_sub(small, 1) };
    }
    text
}

/// The characters that RFC 3986 leaves unescaped.
const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// Shorter texts would be found by chance.
const FOUND_MIN_BYTES: usize = 8;
