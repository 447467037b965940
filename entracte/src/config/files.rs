//! Settings of files in conversations. Pure.

use entracte_application::settings::FileSettings;

use super::layers::ConfigLayer;
use super::value::{SettingValue, SettingValueKind};

/// Settings of files.
pub(super) const KEYS: [(&str, SettingValueKind); 10] = [
    ("files.max_bytes", SettingValueKind::Count(1 << 29)),
    ("files.per_message", SettingValueKind::Count(1_000)),
    ("files.megapixels", SettingValueKind::Count(1_000)),
    ("files.model_image_side", SettingValueKind::Count(65_535)),
    ("files.model_image_bytes", SettingValueKind::Count(1 << 29)),
    ("files.pages", SettingValueKind::Count(10_000)),
    ("files.request_bytes", SettingValueKind::Count(1 << 40)),
    ("files.session_bytes", SettingValueKind::Count(1 << 40)),
    ("files.unnamed_bytes", SettingValueKind::Count(1 << 40)),
    ("files.keep_unnamed", SettingValueKind::Span),
];

/// The file settings of the layers.
pub(super) fn files(set: &ConfigLayer) -> FileSettings {
    let usual = FileSettings::default();
    FileSettings {
        max_bytes: set.count("files.max_bytes", usual.max_bytes),
        per_message: set.size("files.per_message", usual.per_message),
        megapixels: set.count("files.megapixels", usual.megapixels),
        model_image_side: set.small("files.model_image_side", usual.model_image_side),
        model_image_bytes: set.count("files.model_image_bytes", usual.model_image_bytes),
        pages: set.count("files.pages", usual.pages),
        request_bytes: set.count("files.request_bytes", usual.request_bytes),
        session_bytes: set.count("files.session_bytes", usual.session_bytes),
        unnamed_bytes: set.count("files.unnamed_bytes", usual.unnamed_bytes),
        keep_unnamed: set.span("files.keep_unnamed", usual.keep_unnamed),
    }
}

/// Each setting with its value.
pub(super) fn shown(files: &FileSettings) -> [(&'static str, SettingValue); 10] {
    [
        ("files.max_bytes", SettingValue::Count(files.max_bytes)),
        ("files.per_message", SettingValue::size(files.per_message)),
        ("files.megapixels", SettingValue::Count(files.megapixels)),
        ("files.model_image_side", SettingValue::Count(files.model_image_side.into())),
        ("files.model_image_bytes", SettingValue::Count(files.model_image_bytes)),
        ("files.pages", SettingValue::Count(files.pages)),
        ("files.request_bytes", SettingValue::Count(files.request_bytes)),
        ("files.session_bytes", SettingValue::Count(files.session_bytes)),
        ("files.unnamed_bytes", SettingValue::Count(files.unnamed_bytes)),
        ("files.keep_unnamed", SettingValue::Span(files.keep_unnamed)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_shown_with_its_default() {
        let settings = files(&ConfigLayer::default());
        assert_eq!(shown(&settings).map(|(key, _)| key), KEYS.map(|(key, _)| key));
        assert_eq!(settings, FileSettings::default());
    }
}
