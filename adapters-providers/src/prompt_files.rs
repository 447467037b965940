//! The files of a conversation that a model can look at. Pure.
//!
//! A file stands behind a text that names it, so one that cannot be sent loses nothing but the view.

use entracte_application::ports::FileContents;
use entracte_domain::file::{FileKind, FileReference};

use crate::encoder_settings::EncoderSettings;

/// A file that is sent.
#[derive(Debug)]
pub(crate) struct SentFile<'a> {
    /// What it is.
    pub(crate) file: &'a FileReference,
    /// The media type of the bytes.
    pub(crate) media_type: &'a str,
    /// Whether it is an image; otherwise it is a PDF.
    pub(crate) is_image: bool,
    /// Its bytes in base64.
    pub(crate) base64: String,
}

impl SentFile<'_> {
    /// The file as a URL.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64)
    }
}

/// The file as it is sent, an image in its form for models; `None` if the model does not read it, the server takes no image
/// that large, or its bytes are missing.
pub(crate) fn sent_file<'a>(
    file: &'a FileReference,
    files: &FileContents,
    settings: &EncoderSettings,
) -> Option<SentFile<'a>> {
    let view = file.model_view();
    let (is_read, is_image) = match file.kind() {
        FileKind::Image => {
            let fits = settings.profile.largest_image.is_none_or(|most| most.fits(view));
            (settings.images && fits, true)
        }
        FileKind::Pdf => (settings.pdf, false),
        FileKind::Other => (false, false),
    };
    let base64 = is_read.then(|| files.base64(view.digest)).flatten()?;
    Some(SentFile { file, media_type: view.media_type, is_image, base64 })
}
