//! How a secret may look when the other side sends it back.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Every way in which a secret is looked for, the longest first, so that none leaves a rest of another behind.
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
    for digits in [STANDARD, URL_SAFE] {
        let whole = base64(secret.as_bytes(), digits);
        found.push(format!("{whole}{}", "=".repeat((4 - whole.len() % 4) % 4)));
        found.push(whole);
        found.extend((0..3).map(|before| inner_base64(secret.as_bytes(), before, digits)));
    }
    found.retain(|text| text.len() >= FOUND_MIN_BYTES);
    found.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    found.dedup();
    found
}

/// The digits that stand for the secret alone where it begins `before` bytes after a group of three: the first and
/// the last may also stand for what is around it.
fn inner_base64(secret: &[u8], before: usize, digits: &[u8; 64]) -> String {
    let mut padded = vec![0; before];
    padded.extend_from_slice(secret);
    let first = (before * 8).div_ceil(6);
    let count = (padded.len() * 8 / 6).saturating_sub(first);
    base64(&padded, digits).chars().skip(first).take(count).collect()
}

/// Without the signs that fill the last group.
fn base64(bytes: &[u8], digits: &[u8; 64]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for place in 0..=group.len() {
            let digit = (bits >> (18 - 6 * place)) & 63;
            text.extend(digits.get(digit as usize).map(|digit| char::from(*digit)));
        }
    }
    text
}

/// `%2F` as `%2f`.
fn small_escapes(escaped: &str) -> String {
    let mut text = String::with_capacity(escaped.len());
    let mut small = 0;
    for character in escaped.chars() {
        text.push(if small > 0 { character.to_ascii_lowercase() } else { character });
        small = if character == '%' { 2 } else { usize::saturating_sub(small, 1) };
    }
    text
}

/// What RFC 3986 leaves as it is.
const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Shorter texts would be found by chance.
const FOUND_MIN_BYTES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let cases = [
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("\u{3ff}\u{3ff}", "z7_Pvw"),
        ];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes(), URL_SAFE), expected);
        }
    }
}
