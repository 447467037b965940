//! The output of a process that reads a document or converts an image: a word on its own line, then a text or the image.

use entracte_application::json_value::{parse_foreign, to_text};
use entracte_application::ports::{
    ConvertedImage, DocumentContent, DocumentConversionError, DocumentFormat, ImageConversionError,
    ImageFormat,
};
use entracte_application::settings::ReaderSettings;
use entracte_domain::file::PixelDimensions;

const MARKDOWN: &str = "markdown";
const PLAIN: &str = "plain";
const EXTRACTED: &str = "extracted ";
const STRUCTURED: &str = "structured";
const CRASHED: &str = "crashed";
const NOT_TEXT: &str = "not-text";
const UNREADABLE: &str = "unreadable";
const SCANNED: &str = "scanned";
const NOT_BUILT_IN: &str = "not-built-in";
const MEMORY: &str = "memory";
const OUTPUT: &str = "output";
const NOT_STARTED: &str = "not-started";
const IMAGE: &str = "image ";
const UNDECODABLE: &str = "undecodable";

/// The most bytes of the first line: a word, and what the text lacks.
pub(super) const HEAD_MAX_BYTES: u64 = 1 << 20;

/// Encodes a result; `None` for results that the reading process never has.
pub(super) fn written(read: &Result<DocumentContent, DocumentConversionError>) -> Option<String> {
    let (head, json);
    let (word, text) = match read {
        Ok(DocumentContent::Markdown(text)) => (MARKDOWN, text.as_str()),
        Ok(DocumentContent::Plain(text)) => (PLAIN, text.as_str()),
        Ok(DocumentContent::Extracted { text, gaps }) => {
            head = format!("{EXTRACTED}{gaps}");
            (head.as_str(), text.as_str())
        }
        Ok(DocumentContent::Structured(value)) => {
            json = to_text(value);
            (STRUCTURED, json.as_str())
        }
        Err(DocumentConversionError::NotText) => (NOT_TEXT, ""),
        Err(DocumentConversionError::Unreadable { why, .. }) => (UNREADABLE, why.as_str()),
        Err(DocumentConversionError::Crashed(how)) => (CRASHED, how.as_str()),
        Err(DocumentConversionError::Scanned) => (SCANNED, ""),
        Err(DocumentConversionError::NotBuiltIn(_)) => (NOT_BUILT_IN, ""),
        Err(DocumentConversionError::Memory(_)) => (MEMORY, ""),
        Err(DocumentConversionError::Output(_)) => (OUTPUT, ""),
        Err(DocumentConversionError::NotStarted(why)) => (NOT_STARTED, why.as_str()),
        // The parent process has the queue, measures the time, and runs the OCR.
        Err(
            DocumentConversionError::TooSlow(_)
            | DocumentConversionError::Cpu(_)
            | DocumentConversionError::Ocr { .. }
            | DocumentConversionError::Busy(_)
            | DocumentConversionError::WaitedTooLong(_),
        ) => return None,
    };
    Some(format!("{word}\n{text}"))
}

/// Decodes a result; `None` for anything else.
pub(super) fn read(
    format: DocumentFormat,
    written: Vec<u8>,
    bounds: ReaderSettings,
) -> Option<Result<DocumentContent, DocumentConversionError>> {
    let mut text = String::from_utf8(written).ok()?;
    let end = text.find('\n')?;
    let word = text.get(..end)?.to_owned();
    text.drain(..=end);
    if let Some(gaps) = word.strip_prefix(EXTRACTED) {
        let gaps = gaps.parse().ok()?;
        return Some(Ok(DocumentContent::Extracted { text, gaps }));
    }
    Some(match word.as_str() {
        MARKDOWN => Ok(DocumentContent::Markdown(text)),
        PLAIN => Ok(DocumentContent::Plain(text)),
        STRUCTURED => Ok(DocumentContent::Structured(parse_foreign(&text).ok()?)),
        CRASHED => Err(DocumentConversionError::Crashed(text)),
        NOT_TEXT => Err(DocumentConversionError::NotText),
        UNREADABLE => Err(DocumentConversionError::Unreadable { format, why: text }),
        SCANNED => Err(DocumentConversionError::Scanned),
        NOT_BUILT_IN => Err(DocumentConversionError::NotBuiltIn(format)),
        MEMORY => Err(DocumentConversionError::Memory(bounds.memory)),
        OUTPUT => Err(DocumentConversionError::Output(bounds.output)),
        NOT_STARTED => Err(DocumentConversionError::NotStarted(text)),
        _ => return None,
    })
}

/// Encodes a converted image; `None` for results that the reading process never has.
pub(super) fn written_image(converted: &Result<ConvertedImage, ImageConversionError>) -> Option<Vec<u8>> {
    match converted {
        Ok(ConvertedImage { format, dimensions: PixelDimensions { width, height }, bytes }) => {
            let head = format!("{IMAGE}{} {width} {height}\n", format.media_type());
            Some([head.as_bytes(), bytes].concat())
        }
        Err(ImageConversionError::Undecodable(why)) => Some(format!("{UNDECODABLE}\n{why}").into_bytes()),
        Err(ImageConversionError::Reader(error)) => written(&Err(error.clone())).map(String::into_bytes),
    }
}

/// Decodes a converted image; `None` for anything else.
pub(super) fn read_image(
    written: Vec<u8>,
    bounds: ReaderSettings,
) -> Option<Result<ConvertedImage, ImageConversionError>> {
    let end = written.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = (std::str::from_utf8(written.get(..end)?).ok()?, written.get(end + 1..)?);
    if head == UNDECODABLE {
        let why = String::from_utf8_lossy(rest).into_owned();
        return Some(Err(ImageConversionError::Undecodable(why)));
    }
    if let Some(facts) = head.strip_prefix(IMAGE) {
        let mut facts = facts.split(' ');
        let format = ImageFormat::from_media_type(facts.next()?)?;
        let mut number = || facts.next()?.parse::<u32>().ok();
        let dimensions = PixelDimensions { width: number()?, height: number()? };
        return Some(Ok(ConvertedImage { format, dimensions, bytes: rest.to_vec() }));
    }
    // The bounds of both are the same; none of these names a format.
    match read(DocumentFormat::Text, written, bounds)? {
        Err(error) => Some(Err(error.into())),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_result_round_trips() {
        let (format, bounds) = (DocumentFormat::Pdf, ReaderSettings::default());
        let all = [
            Ok(DocumentContent::Markdown("# A\n\nb\n".to_owned())),
            Ok(DocumentContent::Plain(String::new())),
            Ok(DocumentContent::Extracted {
                text: "# Page 1\n".to_owned(),
                gaps: "2-4,9/7/1".parse().expect("gaps"),
            }),
            Err(DocumentConversionError::NotText),
            Ok(DocumentContent::Structured(parse_foreign(r#"[{"a": 72.50}]"#).expect("JSON"))),
            Err(DocumentConversionError::Crashed("panic".to_owned())),
            Err(DocumentConversionError::Unreadable { format, why: "it is damaged".to_owned() }),
            Err(DocumentConversionError::Scanned),
            Err(DocumentConversionError::NotBuiltIn(format)),
            Err(DocumentConversionError::Memory(bounds.memory)),
            Err(DocumentConversionError::Output(bounds.output)),
            Err(DocumentConversionError::NotStarted("no pipes".to_owned())),
        ];
        for answer in all {
            let written = written(&answer).expect("it is written");
            assert_eq!(read(format, written.into_bytes(), bounds), Some(answer));
        }
        for wrong in [&b""[..], b"markdown", b"\xff\n", b"else\n", b"structured\n{"] {
            assert_eq!(read(format, wrong.to_vec(), bounds), None);
        }
    }

    #[test]
    fn converted_image_round_trips() {
        let bounds = ReaderSettings::default();
        let dimensions = PixelDimensions { width: 640, height: 480 };
        let all = [
            Ok(ConvertedImage { format: ImageFormat::Jpeg, dimensions, bytes: b"\xff\xd8\n\xff".to_vec() }),
            Err(ImageConversionError::Undecodable("it ends too early".to_owned())),
            Err(DocumentConversionError::Memory(bounds.memory).into()),
            Err(DocumentConversionError::Crashed("panic".to_owned()).into()),
        ];
        for answer in all {
            let written = written_image(&answer).expect("it is written");
            assert_eq!(read_image(written, bounds), Some(answer));
        }
        for wrong in [&b""[..], b"image image/png 1 1", b"image image/png 1\n", b"plain\ntext"] {
            assert_eq!(read_image(wrong.to_vec(), bounds), None);
        }
    }
}
