//! Decodes the bytes of a file into text.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How many bytes of a web page may name its encoding, by the HTML standard.
const PRESCAN_BYTES: usize = 1024;

/// Why bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TextDecodingError {
    /// Binary data.
    #[error("it is binary data")]
    Binary,
    /// The text is UTF-8, or has to be, and is not from this byte on.
    #[error("its byte {at} is not UTF-8; save it again as UTF-8")]
    BrokenUtf8 {
        /// The byte, from 1.
        at: usize,
    },
}

/// The text of a web page.
pub(super) struct PageText {
    pub(super) text: String,
    /// How many places could not be decoded, and are `U+FFFD` in the text.
    pub(super) broken: u32,
}

/// The text of a file: UTF-8, UTF-16 with a byte order mark, or Windows-1252. All bytes are text in Windows-1252, so
/// bytes of which most are characters in UTF-8 are taken for damaged UTF-8 instead.
pub(super) fn text(bytes: &[u8]) -> Result<String, TextDecodingError> {
    match utf8_or_utf16(bytes) {
        Err(TextDecodingError::BrokenUtf8 { .. }) if !is_mostly_utf8(bytes) => {
            Ok(WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned())
        }
        decoded => decoded,
    }
}

/// The text of a file in UTF-8, or in UTF-16 with a byte order mark.
pub(super) fn utf8_or_utf16(bytes: &[u8]) -> Result<String, TextDecodingError> {
    let utf16 = |rest, unit| utf16(rest, unit).ok_or(TextDecodingError::Binary);
    let (begin, rest) = match bytes {
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => (3, rest),
        _ => (0, bytes),
    };
    if is_binary(rest) {
        return Err(TextDecodingError::Binary);
    }
    let text = std::str::from_utf8(rest);
    text.map(str::to_owned)
        .map_err(|error| TextDecodingError::BrokenUtf8 { at: begin + error.valid_up_to() + 1 })
}

/// Whether more characters of the bytes have several bytes in UTF-8 than places are not UTF-8. A few such characters
/// are found in Windows-1252 too: `É` before a blank that does not break is one.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return true;
    }
    let (mut characters, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        characters += chunk.valid().chars().filter(|char| !char.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    characters > broken
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

/// The text of a web page: in the encoding of its byte order mark, else UTF-8 if its bytes are, else in the encoding
/// that it names, else Windows-1252. Damaged places are counted.
pub(super) fn web_page(bytes: &[u8]) -> Result<PageText, TextDecodingError> {
    let has_mark = Encoding::for_bom(bytes).is_some();
    // A page that arrived as text was made UTF-8, whatever it says of itself.
    let is_utf8 = !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
    let named = named_encoding(bytes).filter(|encoding| !is_utf8 && *encoding != UTF_8);
    match named.filter(|_| !has_mark && !bytes.contains(&0)) {
        Some(encoding) => {
            let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
            let broken = count(text.chars().filter(|char| *char == char::REPLACEMENT_CHARACTER));
            Ok(PageText { text, broken })
        }
        None => match text(bytes) {
            Ok(text) => Ok(PageText { text, broken: 0 }),
            Err(TextDecodingError::BrokenUtf8 { .. }) => {
                let broken = count(bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()));
                Ok(PageText { text: String::from_utf8_lossy(bytes).into_owned(), broken })
            }
            Err(TextDecodingError::Binary) => Err(TextDecodingError::Binary),
        },
    }
}

fn count(items: impl Iterator) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
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
        assert_eq!(text("é\n".as_bytes()).as_deref(), Ok("é\n"));
        assert_eq!(text(b"\xef\xbb\xbfa").as_deref(), Ok("a"));
        assert_eq!(text(b"\xff\xfea\0\xe9\0").as_deref(), Ok("aé"));
        assert_eq!(text(b"\xfe\xff\0a").as_deref(), Ok("a"));
        assert_eq!(text(b"3 \x80, d\xe9j\xe0").as_deref(), Ok("3 €, déjà"));
        // Two of its bytes happen to be a character in UTF-8.
        assert_eq!(text(b"SOCI\xc9T\xc9\xa0: d\xe9j\xe0").as_deref(), Ok("SOCIÉTÉ\u{a0}: déjà"));
        assert_eq!(text(b"\x7fELF\0\0"), Err(TextDecodingError::Binary));
        assert_eq!(text(b"\xff\xfea"), Err(TextDecodingError::Binary));
    }

    /// Inputs: text in UTF-8 with a byte that is not; expected: it is refused with the place, and in a web page it is
    /// counted.
    #[test]
    fn broken_utf8_is_refused_or_counted() {
        let broken = b"caf\xc3\xa9, caf\xc3\xa9, caf\xc3\xa9, d\xe9j\xe0";
        assert_eq!(text(broken), Err(TextDecodingError::BrokenUtf8 { at: 23 }));
        assert_eq!(text(b"\xef\xbb\xbfa\xff"), Err(TextDecodingError::BrokenUtf8 { at: 5 }));
        assert_eq!(utf8_or_utf16(b"\"d\xe9j\xe0\""), Err(TextDecodingError::BrokenUtf8 { at: 3 }));
        let page = web_page(broken).expect("a page");
        assert_eq!((page.text.as_str(), page.broken), ("café, café, café, d\u{fffd}j\u{fffd}", 2));
        let page = web_page(b"<meta charset=Shift_JIS>\x93\xfa\x81").expect("a page");
        assert_eq!(page.broken, 1);
    }

    #[test]
    fn web_page_names_its_encoding() {
        let of = |bytes: &[u8]| web_page(bytes).map(|page| page.text).unwrap_or_default();
        assert!(of(b"<meta charset=\"Shift_JIS\">\x93\xfa\x96\x7b").ends_with("\u{65e5}\u{672c}"));
        let content = b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>\xf2\xd5\xd3\xd8";
        assert!(of(content).ends_with("\u{420}\u{443}\u{441}\u{44c}"));
        assert!(
            of("<meta charset=latin1>d\u{e9}j\u{e0}".as_bytes()).ends_with("d\u{e9}j\u{e0}"),
            "it is UTF-8 already"
        );
        assert!(of(b"<meta charset=nonsense>d\xe9").ends_with("d\u{e9}"));
        assert!(of(b"<meta charset=ISO-2022-JP>\x1b$BF|K\\\x1b(B").ends_with("\u{65e5}\u{672c}"));
        assert!(web_page(b"\x7fELF\0").is_err());
    }
}
