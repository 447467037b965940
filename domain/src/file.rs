//! Files in conversations. The log holds what a file is; the bytes are stored once per workspace, under their digest.

use std::fmt::Write as _;

use crate::id::Digest;

/// A file in a message or in the result of a call, as the log holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileReference {
    /// SHA-256 of the bytes; the file is read by it.
    pub digest: Digest,
    /// Media type, decided by the content, for example `image/png`.
    pub media_type: String,
    /// Name of one line without folders. It says nothing about the content.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Width and height of an image.
    pub dimensions: Option<PixelDimensions>,
    /// Number of pages of a PDF; `None` if it does not say.
    pub pages: Option<u32>,
}

/// Width and height of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelDimensions {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl PixelDimensions {
    /// Number of pixels.
    pub fn area(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// How a model may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// An image.
    Image,
    /// A PDF.
    Pdf,
    /// Stored and listed, but no model reads it.
    Other,
}

impl FileKind {
    /// The kind of a media type.
    pub fn from_media_type(media_type: &str) -> Self {
        match media_type {
            "image/png" | "image/jpeg" | "image/gif" | "image/webp" => Self::Image,
            "application/pdf" => Self::Pdf,
            _ => Self::Other,
        }
    }
}

impl FileReference {
    /// How a model may read it.
    pub fn kind(&self) -> FileKind {
        FileKind::from_media_type(&self.media_type)
    }

    /// Its size in bytes in the request of a model; 0 if no model reads it.
    pub fn request_bytes(&self) -> u64 {
        match self.kind() {
            FileKind::Image | FileKind::Pdf => self.bytes,
            FileKind::Other => 0,
        }
    }

    /// The line that stands for the file in a text: name, type, size and digest, in no human language.
    pub fn line(&self) -> String {
        let Self { digest, media_type, name, bytes, dimensions, pages } = self;
        let mut line = format!("[{name}: {media_type}, {bytes} bytes");
        // Writing to a `String` does not fail.
        if let Some(PixelDimensions { width, height }) = dimensions {
            let _ = write!(line, ", {width}x{height}");
        }
        if let Some(pages) = pages {
            let _ = write!(line, ", {pages} p.");
        }
        let _ = write!(line, ", {digest}]");
        line
    }
}

/// Appends the lines of files to a text, each on a line of its own.
pub fn append_file_lines(text: &mut String, files: &[FileReference]) {
    for file in files {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&file.line());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> FileReference {
        FileReference {
            digest: Digest::new("d1"),
            media_type: "image/png".into(),
            name: "chart.png".into(),
            bytes: 48_211,
            dimensions: Some(PixelDimensions { width: 1280, height: 720 }),
            pages: None,
        }
    }

    #[test]
    fn line_names_type_size_and_digest() {
        assert_eq!(chart().line(), "[chart.png: image/png, 48211 bytes, 1280x720, d1]");
        let report = FileReference {
            media_type: "application/pdf".into(),
            name: "report.pdf".into(),
            dimensions: None,
            pages: Some(3),
            ..chart()
        };
        assert_eq!(report.line(), "[report.pdf: application/pdf, 48211 bytes, 3 p., d1]");
    }

    #[test]
    fn only_images_and_pdf_are_read_by_models() {
        assert_eq!(chart().kind(), FileKind::Image);
        assert_eq!(FileKind::from_media_type("application/pdf"), FileKind::Pdf);
        // SVG is text that a browser could run.
        assert_eq!(FileKind::from_media_type("image/svg+xml"), FileKind::Other);
        assert_eq!(FileKind::from_media_type("audio/wav"), FileKind::Other);
        let sound = FileReference { media_type: "audio/wav".into(), ..chart() };
        assert_eq!((chart().request_bytes(), sound.request_bytes()), (48_211, 0));
    }

    #[test]
    fn file_lines_begin_on_new_lines() {
        let mut text = String::from("Shot taken.");
        append_file_lines(&mut text, &[chart(), chart()]);
        let line = chart().line();
        assert_eq!(text, format!("Shot taken.\n{line}\n{line}"));
    }
}
