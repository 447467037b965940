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
    /// The form of an image that models get; `None` if they get the stored bytes.
    pub model_form: Option<ModelForm>,
}

/// The form of an image that models get in place of its own bytes: upright, small enough for every provider, and of an
/// animation the first frame. Its bytes are a stored file, too, so that each past request is rebuilt with them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelForm {
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Its media type, which may be another than that of the image.
    pub media_type: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Width and height.
    pub dimensions: PixelDimensions,
    /// Whether the image is an animation, of which this is the first frame.
    pub is_first_frame: bool,
}

/// The stored bytes by which a request shows a file to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelView<'a> {
    /// SHA-256 of the bytes.
    pub digest: &'a Digest,
    /// Their media type.
    pub media_type: &'a str,
    /// Their size in bytes.
    pub bytes: u64,
    /// Width and height of an image.
    pub dimensions: Option<PixelDimensions>,
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

    /// What a request shows of the file: the form for models, or the stored bytes if it has none.
    pub fn model_view(&self) -> ModelView<'_> {
        let Self { digest, media_type, bytes, dimensions, model_form, name: _, pages: _ } = self;
        match model_form {
            Some(ModelForm { digest, media_type, bytes, dimensions, is_first_frame: _ }) => {
                ModelView { digest, media_type, bytes: *bytes, dimensions: Some(*dimensions) }
            }
            None => ModelView { digest, media_type, bytes: *bytes, dimensions: *dimensions },
        }
    }

    /// Its size in bytes in the request of a model, which shows an image in its form for models; 0 if no model reads it.
    pub fn request_bytes(&self) -> u64 {
        match self.kind() {
            FileKind::Image | FileKind::Pdf => self.model_view().bytes,
            FileKind::Other => 0,
        }
    }

    /// The digest and the size of all that is stored for the file: of its own bytes, and of its form for models.
    pub fn stored(&self) -> impl Iterator<Item = (&Digest, u64)> {
        let form = self.model_form.as_ref().map(|form| (&form.digest, form.bytes));
        [(&self.digest, self.bytes)].into_iter().chain(form)
    }

    /// The line that stands for the file in a text: name, type, size and digest, and the form that models see, in no human
    /// language.
    pub fn line(&self) -> String {
        let Self { digest, media_type, name, bytes, dimensions, pages, model_form } = self;
        let mut line = format!("[{name}: {media_type}, {bytes} bytes");
        // Writing to a `String` does not fail.
        if let Some(PixelDimensions { width, height }) = dimensions {
            let _ = write!(line, ", {width}x{height}");
        }
        if let Some(pages) = pages {
            let _ = write!(line, ", {pages} p.");
        }
        if let Some(ModelForm { media_type, dimensions, is_first_frame, .. }) = model_form {
            let PixelDimensions { width, height } = dimensions;
            let frame = if *is_first_frame { " (frame 1)" } else { "" };
            let _ = write!(line, ", seen: {media_type} {width}x{height}{frame}");
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
            model_form: None,
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

    /// Input: an animation whose first frame models get; expected: the line says what they see, the form is stored beside
    /// the image, and requests show the form.
    #[test]
    fn line_says_which_form_models_see() {
        let form = ModelForm {
            digest: Digest::new("d2"),
            media_type: "image/png".into(),
            bytes: 900,
            dimensions: PixelDimensions { width: 640, height: 360 },
            is_first_frame: true,
        };
        let party = FileReference {
            media_type: "image/gif".into(),
            name: "party.gif".into(),
            model_form: Some(form.clone()),
            ..chart()
        };
        let seen = "[party.gif: image/gif, 48211 bytes, 1280x720, seen: image/png 640x360 (frame 1), d1]";
        assert_eq!(party.line(), seen);
        let stored: Vec<_> = party.stored().map(|(digest, bytes)| (digest.as_str(), bytes)).collect();
        assert_eq!(stored, [("d1", 48_211), ("d2", 900)]);
        let view = party.model_view();
        assert_eq!((view.digest, view.media_type, view.bytes), (&form.digest, "image/png", 900));
        assert_eq!(party.request_bytes(), 900);
        let plain = chart();
        assert_eq!(plain.model_view().digest, &plain.digest);
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
