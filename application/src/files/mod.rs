//! Which files a conversation accepts, decided by their content and never by their name. It reads headers and removes what
//! is not the image; nothing is decoded here.
//!
//! Sounds come from tools alone: they are stored and listed, and no model reads them.
//!
//! An image that claims more pixels than the limit is refused before anything decodes it. What an image says about its
//! place, time, author and camera is removed before it is stored, so that nobody can send or show it; its orientation
//! stays. An image that models do not get as it is has a form for them beside it (`model_form`). SVG and HTML are text.

mod audio;
mod byte_reader;
mod exif;
mod gif;
mod jpeg;
mod model_form;
mod pdf;
mod png;
#[cfg(test)]
mod tests;
mod unread;
mod webp;

use entracte_domain::file::{FileReference, PixelDimensions};

use crate::ports::{DocumentConversionError, ExifOrientation, ImageConversion, ImageFormat};
use crate::settings::FileSettings;
use crate::system::sha256;
use crate::texts::{LocalizedMessage, LocalizedValue, saying};

pub use model_form::{FileWithForm, make_model_form};
pub use unread::{UnreadFileKinds, tell_unread_files};

/// Media type of text of any kind.
pub const TEXT: &str = "text/plain";
/// Media type of PDF.
const PDF: &str = "application/pdf";

/// The maximum length of a name, in characters; a longer one loses its beginning, because its end says more.
const NAME_MAX: usize = 120;

/// A file within the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedFile {
    /// What the file is.
    pub file: FileReference,
    /// The bytes, without metadata.
    pub bytes: Vec<u8>,
    /// Whether it is an image with several frames.
    is_animated: bool,
    /// How the form for models is made; `None` if they get the bytes.
    conversion: Option<ImageConversion>,
}

/// Why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRefusal {
    /// It has no bytes.
    Empty,
    /// It has more bytes than `files.max_bytes`.
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        most: u64,
    },
    /// It has more pixels than `files.megapixels`.
    TooManyPixels {
        /// The size that it claims.
        dimensions: PixelDimensions,
        /// The limit in millions.
        most: u64,
    },
    /// It has more pages than `files.pages`.
    TooManyPages {
        /// Its pages.
        pages: u32,
        /// The limit.
        most: u64,
    },
    /// It begins like a file of this kind, and is damaged.
    Damaged(&'static str),
    /// A HEIC or AVIF image.
    Heic,
    /// No kind that is accepted.
    UnknownKind,
    /// An image whose form for models the reader did not make.
    Reader(DocumentConversionError),
}

impl FileRefusal {
    /// The refusal of a file of this name, in a sentence that names the limit and its setting.
    pub fn message(&self, name: &str) -> LocalizedMessage {
        let name = shown_name(name);
        match self {
            Self::Empty => saying!("file-empty", name = name),
            Self::TooLarge { bytes, most } => {
                saying!("file-large", name = name, bytes = *bytes, most = *most)
            }
            Self::TooManyPixels { dimensions: PixelDimensions { width, height }, most } => {
                saying!("file-pixels", name = name, width = *width, height = *height, most = *most)
            }
            Self::TooManyPages { pages, most } => {
                saying!("file-pages", name = name, pages = *pages, most = *most)
            }
            Self::Damaged(kind) => saying!("file-damaged", name = name, kind = *kind),
            Self::Heic => saying!("file-heic", name = name),
            Self::UnknownKind => saying!("file-kind", name = name),
            Self::Reader(error) => saying!("file-reader", name = name, why = error.message()),
        }
    }
}

/// An image without metadata.
struct StrippedImage {
    dimensions: PixelDimensions,
    /// How it is turned. The bytes say so, too.
    orientation: ExifOrientation,
    /// Whether it has several frames.
    is_animated: bool,
    bytes: Vec<u8>,
}

/// Accepts a file within the limits and removes its metadata. The name becomes one line without folders.
///
/// # Errors
/// Why it is refused.
pub fn accept_file(name: &str, bytes: Vec<u8>, limits: &FileSettings) -> Result<AcceptedFile, FileRefusal> {
    check_size(bytes.len() as u64, limits)?;
    if bytes.starts_with(png::SIGNATURE) {
        return accept_image(ImageFormat::Png, name, png::strip(&bytes), limits);
    }
    if bytes.starts_with(jpeg::SIGNATURE) {
        return accept_image(ImageFormat::Jpeg, name, jpeg::strip(&bytes), limits);
    }
    if gif::SIGNATURES.iter().any(|signature| bytes.starts_with(signature)) {
        return accept_image(ImageFormat::Gif, name, gif::strip(&bytes), limits);
    }
    if webp::is_webp(&bytes) {
        return accept_image(ImageFormat::WebP, name, webp::strip(&bytes), limits);
    }
    if bytes.starts_with(pdf::SIGNATURE) {
        let pages = pdf::count_pages(&bytes);
        if let Some(pages) = pages.filter(|pages| u64::from(*pages) > limits.pages) {
            return Err(FileRefusal::TooManyPages { pages, most: limits.pages });
        }
        return Ok(accepted(PDF, name, None, pages, bytes));
    }
    if is_heic(&bytes) {
        return Err(FileRefusal::Heic);
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) if !text.chars().any(is_binary) => Ok(accepted(TEXT, name, None, None, bytes)),
        Ok(_) | Err(_) => Err(FileRefusal::UnknownKind),
    }
}

/// Accepts a sound within the limits. Tools bring it; a person attaches none, because no model reads it.
///
/// # Errors
/// Why it is refused.
pub fn accept_audio(name: &str, bytes: Vec<u8>, limits: &FileSettings) -> Result<AcceptedFile, FileRefusal> {
    check_size(bytes.len() as u64, limits)?;
    let media_type = audio::media_type(&bytes).ok_or(FileRefusal::UnknownKind)?;
    Ok(accepted(media_type, name, None, None, bytes))
}

/// Refuses a file by its size alone.
///
/// # Errors
/// When it is empty or too large.
pub fn check_size(bytes: u64, limits: &FileSettings) -> Result<(), FileRefusal> {
    match bytes {
        0 => Err(FileRefusal::Empty),
        _ if bytes > limits.max_bytes => Err(FileRefusal::TooLarge { bytes, most: limits.max_bytes }),
        _ => Ok(()),
    }
}

fn accept_image(
    format: ImageFormat,
    name: &str,
    image: Option<StrippedImage>,
    limits: &FileSettings,
) -> Result<AcceptedFile, FileRefusal> {
    let media_type = format.media_type();
    let image = image.ok_or(FileRefusal::Damaged(media_type))?;
    let StrippedImage { dimensions, orientation, is_animated, bytes } = image;
    if dimensions.area() == 0 {
        return Err(FileRefusal::Damaged(media_type));
    }
    if dimensions.area() > limits.megapixels.saturating_mul(1_000_000) {
        return Err(FileRefusal::TooManyPixels { dimensions, most: limits.megapixels });
    }
    let (side, most) = (limits.model_image_side, limits.model_image_bytes);
    let is_large = dimensions.width.max(dimensions.height) > side || bytes.len() as u64 > most;
    let needs_form = is_large || is_animated || orientation != ExifOrientation::UPRIGHT;
    let conversion = ImageConversion { format, dimensions, orientation, side, bytes: most };
    let plain = accepted(media_type, name, Some(dimensions), None, bytes);
    Ok(AcceptedFile { is_animated, conversion: needs_form.then_some(conversion), ..plain })
}

fn accepted(
    media_type: &str,
    name: &str,
    dimensions: Option<PixelDimensions>,
    pages: Option<u32>,
    bytes: Vec<u8>,
) -> AcceptedFile {
    let file = FileReference {
        digest: sha256(&bytes),
        media_type: media_type.to_owned(),
        name: file_name(name, media_type),
        bytes: bytes.len() as u64,
        dimensions,
        pages,
        model_form: None,
    };
    AcceptedFile { file, bytes, is_animated: false, conversion: None }
}

/// The name of a file in a sentence that refuses it; that it has none, if it has none.
pub fn shown_name(name: &str) -> LocalizedValue {
    match name.trim().is_empty() {
        true => saying!("file-nameless").into(),
        false => name.into(),
    }
}

/// The last part of a path on one line; a name for the kind if nothing is left.
pub fn file_name(path: &str, media_type: &str) -> String {
    let last = path.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let is_shown = |character: &char| !character.is_control() && !matches!(character, '[' | ']');
    let clean: String = last.trim().chars().filter(is_shown).collect();
    let over = clean.chars().count().saturating_sub(NAME_MAX);
    let clean: String = clean.chars().skip(over).collect();
    if clean.trim_matches('.').is_empty() {
        let ending = media_type.rsplit('/').next().unwrap_or_default();
        return format!("file.{}", if media_type == TEXT { "txt" } else { ending });
    }
    clean
}

/// Whether the bytes begin like a HEIC or AVIF image, which no model reads.
fn is_heic(bytes: &[u8]) -> bool {
    const BRANDS: [&[u8]; 8] = [b"heic", b"heix", b"hevc", b"hevx", b"heim", b"mif1", b"msf1", b"avif"];
    bytes.get(4..8) == Some(b"ftyp") && bytes.get(8..12).is_some_and(|brand| BRANDS.contains(&brand))
}

/// Whether a character stands in no text: a control character besides white space.
fn is_binary(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}')
}
