//! Decodes the bytes of a file into text.

/// The characters of Windows-1252 from 0x80 that Latin-1 does not have.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a file: UTF-8, UTF-16 with a byte order mark, or Windows-1252; `None` for binary data.
pub(super) fn text(bytes: Vec<u8>) -> Option<String> {
    match bytes.as_slice() {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => match String::from_utf8(bytes) {
            Ok(text) => Some(text).filter(|text| !is_binary(text.as_bytes())),
            Err(error) => {
                Some(error.into_bytes()).filter(|bytes| !is_binary(bytes)).map(|bytes| windows(&bytes))
            }
        },
    }
}

/// Whether the bytes contain control characters that no text has.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0x08))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    if rest.is_empty() { String::from_utf16(&units).ok() } else { None }
}

fn windows(bytes: &[u8]) -> String {
    let character = |byte: &u8| match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        other => char::from(*other),
    };
    bytes.iter().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_encodings_are_decoded() {
        let of = |bytes: &[u8]| text(bytes.to_vec());
        assert_eq!(of("é\n".as_bytes()).as_deref(), Some("é\n"));
        assert_eq!(of(b"\xef\xbb\xbfa").as_deref(), Some("a"));
        assert_eq!(of(b"\xff\xfea\0\xe9\0").as_deref(), Some("aé"));
        assert_eq!(of(b"\xfe\xff\0a").as_deref(), Some("a"));
        assert_eq!(of(b"3 \x80, d\xe9j\xe0").as_deref(), Some("3 €, déjà"));
        assert_eq!(of(b"\x7fELF\0\0"), None);
        assert_eq!(of(b"\xff\xfea"), None);
    }
}
