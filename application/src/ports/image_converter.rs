use async_trait::async_trait;
use entracte_domain::file::PixelDimensions;
use entracte_domain::id::WorkspaceKey;

use super::DocumentConversionError;

/// A format of images in conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageFormat {
    /// PNG, also with several frames.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
}

impl ImageFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::Gif, Self::WebP];

    /// The media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }

    /// The format of a media type; `None` for any other text.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.media_type() == media_type)
    }
}

/// How an image must be turned and mirrored to be upright, as EXIF numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExifOrientation(u8);

impl ExifOrientation {
    /// The image is upright.
    pub const UPRIGHT: Self = Self(1);

    /// The orientation with this number, from 1 to 8; `None` for any other.
    pub fn from_exif(number: u8) -> Option<Self> {
        (1..=8).contains(&number).then_some(Self(number))
    }

    /// The number in EXIF.
    pub const fn exif(self) -> u8 {
        self.0
    }
}

/// How an image becomes the form that models get: its first frame, upright, within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageConversion {
    /// The format of the image.
    pub format: ImageFormat,
    /// The dimensions that its header claims: they are within the limit of pixels, and it has no others.
    pub dimensions: PixelDimensions,
    /// How it is turned.
    pub orientation: ExifOrientation,
    /// The most pixels of the longer side of the form.
    pub side: u32,
    /// The most bytes of the form.
    pub bytes: u64,
}

impl ImageConversion {
    /// Whether a form is within the bounds.
    pub fn allows(&self, form: &ConvertedImage) -> bool {
        let PixelDimensions { width, height } = form.dimensions;
        width.max(height) <= self.side.max(1) && form.bytes.len() as u64 <= self.bytes
    }
}

/// The form of an image that models get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedImage {
    /// Its format: PNG or JPEG.
    pub format: ImageFormat,
    /// Its dimensions.
    pub dimensions: PixelDimensions,
    /// Its bytes, without metadata.
    pub bytes: Vec<u8>,
}

/// Why an image cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageConversionError {
    /// The bytes are not an image of the format and the dimensions, with the reason, for people.
    #[error("it cannot be decoded: {0}")]
    Undecodable(String),
    /// The reader that converts documents and images refuses it, or exceeds a bound.
    #[error(transparent)]
    Reader(#[from] DocumentConversionError),
}

/// Converts images into the form that models get.
///
/// Contract: for any bytes it ends within the limits of the reader of documents ([`DocumentConverter`]), with which it shares
/// its places, and does not panic; the form is within the bounds of the conversion. Equal input has an equal result in the same build. Dropping the future ends the
/// conversion.
///
/// [`DocumentConverter`]: super::DocumentConverter
///
/// ```
/// # use entracte_application::samples::example::*;
/// use entracte_application::ports::{
///     ConvertedImage, ExifOrientation, ImageConversion, ImageConverter, ImageFormat, MockImageConverter,
/// };
/// use entracte_domain::file::PixelDimensions;
///
/// # example(async {
/// let mut images = MockImageConverter::new();
/// images.expect_convert_image().returning(|_, conversion, bytes| {
///     Ok(ConvertedImage { format: ImageFormat::Png, dimensions: conversion.dimensions, bytes })
/// });
/// let conversion = ImageConversion {
///     format: ImageFormat::Gif,
///     dimensions: PixelDimensions { width: 4, height: 2 },
///     orientation: ExifOrientation::UPRIGHT,
///     side: 2_000,
///     bytes: 1_000_000,
/// };
/// let form = images.convert_image(&samples::workspace(), conversion, b"GIF89a".to_vec()).await?;
/// assert_eq!(form.format.media_type(), "image/png");
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ImageConverter: Send + Sync {
    /// Converts an image of this workspace.
    ///
    /// # Errors
    /// [`ImageConversionError::Undecodable`] when the bytes are invalid; [`ImageConversionError::Reader`] when the
    /// conversion exceeds a limit of the reader, crashes it, or finds no place.
    async fn convert_image(
        &self,
        workspace: &WorkspaceKey,
        conversion: ImageConversion,
        bytes: Vec<u8>,
    ) -> Result<ConvertedImage, ImageConversionError>;
}
