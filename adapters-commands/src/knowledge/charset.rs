//! Decodes the bytes of a file into text.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How many bytes of a web page may name its encoding, by the HTML standard.
const PRESCAN_BYTES: usize = 1024;

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
    WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// The text of a web page: in the encoding of its byte order mark, else UTF-8 if its bytes are, else in the encoding
/// that it names, else Windows-1252; `None` for binary data.
pub(super) fn web_page(bytes: Vec<u8>) -> Option<String> {
    if Encoding::for_bom(&bytes).is_some() || bytes.contains(&0) {
        return text(bytes);
    }
    // A page that arrived as text was made UTF-8, whatever it says of itself.
    let is_utf8 = !bytes.is_ascii() && std::str::from_utf8(&bytes).is_ok();
    match named_encoding(&bytes).filter(|encoding| !is_utf8 && *encoding != UTF_8) {
        Some(encoding) => Some(encoding.decode_without_bom_handling(&bytes).0.into_owned()),
        None => text(bytes),
    }
}

/// The encoding that a `<meta>` of the page names.
fn named_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..PRESCAN_BYTES.min(bytes.len()))?;
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let tags = head.split("<meta").skip(1).filter_map(|rest| rest.split('>').next());
    let label = tags.filter_map(|tag| tag.split_once("charset")?.1.trim_start().strip_prefix('=')).next()?;
    let label = label.trim_start_matches(['"', '\'', ' ']);
    let label = label.split(['"', '\'', ' ', ';', '/']).next()?;
    Encoding::for_label(label.as_bytes())
        .filter(|encoding| encoding.is_ascii_compatible() || encoding.name() == "ISO-2022-JP")
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

    #[test]
    fn web_page_names_its_encoding() {
        let of = |bytes: &[u8]| web_page(bytes.to_vec()).unwrap_or_default();
        assert!(of(b"<meta charset=\"Shift_JIS\">\x93\xfa\x96\x7b").ends_with("\u{65e5}\u{672c}"));
        let content = b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>\xf2\xd5\xd3\xd8";
        assert!(of(content).ends_with("\u{420}\u{443}\u{441}\u{44c}"));
        assert!(
            of("<meta charset=latin1>d\u{e9}j\u{e0}".as_bytes()).ends_with("d\u{e9}j\u{e0}"),
            "it is UTF-8 already"
        );
        assert!(of(b"<meta charset=nonsense>d\xe9").ends_with("d\u{e9}"));
        assert!(of(b"<meta charset=ISO-2022-JP>\x1b$BF|K\\\x1b(B").ends_with("\u{65e5}\u{672c}"));
        assert_eq!(web_page(b"\x7fELF\0".to_vec()), None);
    }
}
