//! Splits a body of `multipart/form-data` (RFC 7578) into its files. Pure, linear, and without a copy of their bytes.

use bytes::Bytes;
use entracte_application::texts::{LocalizedMessage, saying};

/// A file of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyFile {
    /// Its name; `None` if nothing says it.
    pub(crate) name: Option<String>,
    /// Its content.
    pub(crate) bytes: Bytes,
}

/// Why a body of parts cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MultipartError {
    /// The content type names no boundary.
    NoBoundary,
    /// The body is not of parts between this boundary, or ends early.
    Damaged,
    /// The head of a part is longer than [`HEAD_MAX_BYTES`].
    LongHead,
    /// It has no part.
    Empty,
    /// It has more parts than this.
    TooMany(usize),
}

impl MultipartError {
    /// What is wrong, and what to do.
    pub(crate) fn message(self) -> LocalizedMessage {
        match self {
            Self::NoBoundary => saying!("refusal-parts-boundary"),
            Self::Damaged => saying!("refusal-parts-damaged"),
            Self::LongHead => saying!("refusal-parts-head", most = HEAD_MAX_BYTES),
            Self::Empty => saying!("refusal-parts-empty"),
            Self::TooMany(most) => saying!("refusal-parts-many", most = most),
        }
    }
}

/// Whether a content type is `multipart/form-data`.
pub(crate) fn is_multipart(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("multipart/form-data")
}

/// The parts of a body, at most this many, each as a file: whatever its field is called, it has the name that it says itself.
///
/// # Errors
/// Why the body cannot be read.
pub(crate) fn split_files(
    content_type: &str,
    body: &Bytes,
    most: usize,
) -> Result<Vec<BodyFile>, MultipartError> {
    let boundary = parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty());
    let delimiter = format!("\r\n--{}", boundary.ok_or(MultipartError::NoBoundary)?);
    let (delimiter, text) = (delimiter.as_bytes(), &body[..]);
    // The first one may stand at the beginning, without the end of a line before it.
    let first = delimiter.get(2..).filter(|line| text.starts_with(line)).map(<[u8]>::len);
    let first = first.or_else(|| Some(find(text, delimiter)? + delimiter.len()));
    let mut at = first.ok_or(MultipartError::Damaged)?;
    let mut files = Vec::new();
    loop {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(b"--") {
            return if files.is_empty() { Err(MultipartError::Empty) } else { Ok(files) };
        }
        if files.len() == most {
            return Err(MultipartError::TooMany(most));
        }
        let padding = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line = rest.get(padding..).unwrap_or_default();
        // The end of the delimiter's line stays before the head, so that an empty head ends like any other.
        if !line.starts_with(b"\r\n") {
            return Err(MultipartError::Damaged);
        }
        let searched = line.get(..HEAD_MAX_BYTES).unwrap_or(line);
        let head = find(searched, HEAD_END).ok_or(match searched.len() < line.len() {
            true => MultipartError::LongHead,
            false => MultipartError::Damaged,
        })?;
        let begin = at + padding + head + HEAD_END.len();
        let length = find(text.get(begin..).unwrap_or_default(), delimiter).ok_or(MultipartError::Damaged)?;
        let name = file_name(&String::from_utf8_lossy(line.get(..head).unwrap_or_default()));
        files.push(BodyFile { name, bytes: body.slice(begin..begin + length) });
        at = begin + length + delimiter.len();
    }
}

/// The name of the file in the head of a part.
fn file_name(head: &str) -> Option<String> {
    let dispositions = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let mut dispositions =
        dispositions.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-disposition"));
    let (_, value) = dispositions.next()?;
    let extended = parameter(value, "filename*").and_then(|value| decode_extended(&value));
    // Browsers write a quotation mark so.
    let plain = || parameter(value, "filename").map(|name| name.replace("%22", "\""));
    extended.or_else(plain).filter(|name| !name.is_empty())
}

/// A name as RFC 8187 writes it: `UTF-8''caf%C3%A9.txt`; `None` in any other character set.
fn decode_extended(value: &str) -> Option<String> {
    let (charset, rest) = value.split_once('\'')?;
    let (_, name) = rest.split_once('\'')?;
    if !charset.eq_ignore_ascii_case("utf-8") {
        return None;
    }
    // As the value of a field of a query, in which these two mean something else.
    let field = format!("n={}", name.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(field.as_bytes()).next().map(|(_, name)| name.into_owned())
}

/// A parameter of a header's value: a word, or a text in quotation marks, in which a backslash stands before a quotation mark
/// or another backslash.
fn parameter(value: &str, wanted: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let (found, next) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => {
                let (word, next) = after.split_once(';').unwrap_or((after, ""));
                (word.trim().to_owned(), next)
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(found);
        }
        rest = next;
    }
}

/// A text up to its closing quotation mark, and what follows the next semicolon.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let (mut text, mut letters) = (String::new(), quoted.char_indices().peekable());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => {
                let rest = quoted.get(at + 1..).unwrap_or_default();
                return Some((text, rest.split_once(';').map_or("", |(_, next)| next)));
            }
            // A backslash of a path stands for itself.
            '\\' => match letters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => text.push(escaped),
                None => text.push(letter),
            },
            other => text.push(other),
        }
    }
    None
}

/// Where a text begins in another one. It begins with the end of a line, which is rare: the search is linear.
fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let at = from + rest.iter().position(|byte| Some(byte) == wanted.first())?;
        if text.get(at..).is_some_and(|rest| rest.starts_with(wanted)) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The end of the head of a part.
const HEAD_END: &[u8] = b"\r\n\r\n";
/// The most bytes of the head of a part (8 KiB).
const HEAD_MAX_BYTES: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=edge";

    fn split(body: &str) -> Result<Vec<(Option<String>, String)>, MultipartError> {
        let files = split_files(TYPE, &Bytes::from(body.to_owned()), 3)?;
        let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
        Ok(files.into_iter().map(|file| (file.name, text(&file.bytes))).collect())
    }

    fn part(disposition: &str, content: &str) -> String {
        format!("--edge\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{content}\r\n")
    }

    /// Input: three parts: with a type and ends of lines in the content, without a name, and empty; expected: each is a file
    /// with just its bytes.
    #[test]
    fn parts_are_files() {
        let typed = "--edge\r\ncontent-type: image/png\r\nCONTENT-DISPOSITION: form-data; name=\"a\"; \
                     filename=\"a.png\"\r\n\r\n\r\nx\r\n-- edge\r\n\r\n";
        let body =
            format!("{typed}{}{}--edge--\r\n", part("name=note", "Hello."), part("filename=b.txt", ""));
        let named = |name: &str| Some(name.to_owned());
        let expected = [
            (named("a.png"), "\r\nx\r\n-- edge\r\n".to_owned()),
            (None, "Hello.".to_owned()),
            (named("b.txt"), String::new()),
        ];
        assert_eq!(split(&body), Ok(expected.to_vec()));
        assert_eq!(split(&format!("preamble\r\n{body}epilogue")), Ok(expected.to_vec()));
        assert_eq!(split("--edge \t\r\n\r\nbare\r\n--edge--"), Ok(vec![(None, "bare".to_owned())]));
    }

    #[test]
    fn names_are_read_as_clients_write_them() {
        for (disposition, expected) in [
            ("filename=\"a; b.txt\"; name=\"files\"", "a; b.txt"),
            (r#"filename="say \"hi\".txt""#, "say \"hi\".txt"),
            ("filename=\"say %22hi%22.txt\"", "say \"hi\".txt"),
            (r#"filename="C:\photos\a.png""#, r"C:\photos\a.png"),
            ("filename=\"é.txt\"", "é.txt"),
            ("filename=\"e.txt\"; filename*=UTF-8''%C3%A9%20%26+1.txt", "é &+1.txt"),
            ("filename=\"e.txt\"; filename*=latin1''%E9.txt", "e.txt"),
        ] {
            let body = format!("{}--edge--", part(disposition, "x"));
            assert_eq!(split(&body), Ok(vec![(Some(expected.to_owned()), "x".to_owned())]), "{disposition}");
        }
        for disposition in ["name=a", "filename=\"\"", "filename=\"open"] {
            let body = format!("{}--edge--", part(disposition, "x"));
            assert_eq!(split(&body), Ok(vec![(None, "x".to_owned())]), "{disposition}");
        }
    }

    #[test]
    fn boundary_is_a_word_or_quoted() {
        let body = Bytes::from_static(b"--a b\r\n\r\nx\r\n--a b--");
        let files = split_files("Multipart/Form-Data; charset=utf-8; boundary=\"a b\"", &body, 1);
        assert_eq!(files.unwrap().len(), 1);
        for content_type in ["multipart/form-data", "multipart/form-data; boundary=", "a; boundary=\"open"] {
            assert_eq!(split_files(content_type, &body, 1), Err(MultipartError::NoBoundary));
        }
        assert!(is_multipart("Multipart/Form-Data ; boundary=x"));
        assert!(!is_multipart("multipart/mixed; boundary=x"));
    }

    /// Input: a whole body, cut at each place, and bodies that are none; expected: each is refused, and nothing is read beyond
    /// its end.
    #[test]
    fn damaged_body_is_refused() {
        let whole = format!("{}--edge--", part("filename=a.txt", "Hello."));
        for end in 0..whole.len() {
            assert_eq!(split(&whole[..end]), Err(MultipartError::Damaged), "{end}");
        }
        assert_eq!(split("--edge--"), Err(MultipartError::Empty));
        assert_eq!(split("--edgeless\r\n\r\nx\r\n--edge--"), Err(MultipartError::Damaged));
        let many = part("filename=a.txt", "Hello.").repeat(4);
        assert_eq!(split(&format!("{many}--edge--")), Err(MultipartError::TooMany(3)));
        let long = part(&format!("filename={}", "a".repeat(HEAD_MAX_BYTES)), "x");
        assert_eq!(split(&format!("{long}--edge--")), Err(MultipartError::LongHead));
    }
}
