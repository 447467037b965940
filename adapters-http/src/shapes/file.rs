//! Shapes of files in conversations.

use entracte_domain::file::{FileReference, PixelDimensions};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A file in a message or a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileShape {
    /// SHA-256 of the bytes, in hexadecimal digits.
    pub digest: String,
    /// Its media type, decided by the content.
    pub media_type: String,
    /// Its name, which says nothing about the content.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The width of an image in pixels.
    pub width: Option<u32>,
    /// The height of an image in pixels.
    pub height: Option<u32>,
    /// The pages of a PDF, if it says how many.
    pub pages: Option<u32>,
}

impl From<&FileReference> for FileShape {
    fn from(file: &FileReference) -> Self {
        let FileReference { digest, media_type, name, bytes, dimensions, pages } = file;
        Self {
            digest: digest.to_string(),
            media_type: media_type.clone(),
            name: name.clone(),
            bytes: *bytes,
            width: dimensions.map(|PixelDimensions { width, .. }| width),
            height: dimensions.map(|PixelDimensions { height, .. }| height),
            pages: *pages,
        }
    }
}
