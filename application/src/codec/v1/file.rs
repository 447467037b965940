//! Files in messages and results. The bytes are not part of the log.

use entracte_domain::file as domain;

use super::is_default;
use super::leaf::HashV1;
use super::shape::shape;

shape! {
    pub(super) struct FileV1 = domain::FileReference {
        digest: HashV1,
        #[serde(rename = "media")]
        media_type: String,
        name: String,
        bytes: u64,
        #[serde(default, rename = "pixels", skip_serializing_if = "Option::is_none")]
        dimensions: Option<PixelsV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pages: Option<u32>,
        #[serde(default, rename = "form", skip_serializing_if = "Option::is_none")]
        model_form: Option<ModelFormV1>,
    }
}

shape! {
    struct ModelFormV1 = domain::ModelForm {
        digest: HashV1,
        #[serde(rename = "media")]
        media_type: String,
        bytes: u64,
        #[serde(rename = "pixels")]
        dimensions: PixelsV1,
        #[serde(default, rename = "first_frame", skip_serializing_if = "is_default")]
        is_first_frame: bool,
    }
}

shape! {
    struct PixelsV1 = domain::PixelDimensions[width: u32, height: u32]
}
