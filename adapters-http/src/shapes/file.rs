//! Shapes of files in conversations.

use entracte_domain::file::{FileReference, ModelForm, PixelDimensions};
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
    /// The form of an image that models get, if they do not get its bytes.
    pub form: Option<ModelFormShape>,
}

/// The files that a request stored.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct StoredFilesShape {
    /// The first one, or the only one.
    #[serde(flatten)]
    pub file: FileShape,
    /// The others, in the order of their parts; missing if there is one alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<FileShape>,
}

impl StoredFilesShape {
    /// The shape of files in their order; `None` for none.
    pub fn new(files: Vec<FileShape>) -> Option<Self> {
        let mut files = files.into_iter();
        let file = files.next()?;
        Some(Self { file, more: files.collect() })
    }
}

/// The files of a body of `multipart/form-data`.
#[derive(Debug, ToSchema)]
pub struct FilePartsShape {
    /// The content of each file. Any other field is a file, too.
    pub files: Vec<String>,
}

/// The form of an image that models get: upright, small enough for every provider, and of an animation the first frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ModelFormShape {
    /// SHA-256 of its bytes, which are a file like any other.
    pub digest: String,
    /// Its media type.
    pub media_type: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Whether the image is an animation, of which this is the first frame.
    pub first_frame: bool,
}

impl From<&FileReference> for FileShape {
    fn from(file: &FileReference) -> Self {
        let FileReference { digest, media_type, name, bytes, dimensions, pages, model_form } = file;
        Self {
            digest: digest.to_string(),
            media_type: media_type.clone(),
            name: name.clone(),
            bytes: *bytes,
            width: dimensions.map(|PixelDimensions { width, .. }| width),
            height: dimensions.map(|PixelDimensions { height, .. }| height),
            pages: *pages,
            form: model_form.as_ref().map(ModelFormShape::from),
        }
    }
}

impl From<&ModelForm> for ModelFormShape {
    fn from(form: &ModelForm) -> Self {
        let ModelForm { digest, media_type, bytes, dimensions, is_first_frame } = form;
        Self {
            digest: digest.to_string(),
            media_type: media_type.clone(),
            bytes: *bytes,
            width: dimensions.width,
            height: dimensions.height,
            first_frame: *is_first_frame,
        }
    }
}
