use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// What stands in place of a result that went by the retention policy: a model reads it as the result, and everything
/// else recognizes it by its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemovedResult {
    code: RemovedResultCode,
    /// Tells a model, in the language of the workspace, that the result is gone.
    message: String,
    /// The digest of the result.
    digest: String,
    /// The length of the result in bytes.
    bytes: u64,
    /// When it went, in microseconds since 1970.
    at: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum RemovedResultCode {
    #[serde(rename = "GONE_BY_POLICY")]
    GoneByPolicy,
}

impl RemovedResult {
    /// The code that models and programs read.
    pub const CODE: &'static str = "GONE_BY_POLICY";

    /// What stands in place of a content with this digest from `at` on.
    pub fn new(content: &str, digest: &Digest, at: Timestamp, language: Language) -> Self {
        Self {
            code: RemovedResultCode::GoneByPolicy,
            message: say!(LocalizedTexts::for_language(language), "retention-result-gone"),
            digest: digest.as_str().to_owned(),
            bytes: content.len() as u64,
            at: at.0,
        }
    }

    /// The maximum length of the text in bytes. A longer one is a result that only looks like it, and goes.
    const MAX_BYTES: usize = 512;

    /// Recognizes the text; `None` for every other text.
    pub fn parse(text: &str) -> Option<Self> {
        // Most results are longer or begin otherwise, and are not parsed.
        let may_be = text.len() <= Self::MAX_BYTES && text.starts_with("{\"code\":\"GONE_BY_POLICY\"");
        may_be.then(|| serde_json::from_str(text).ok()).flatten()
    }

    /// The text in place of the result.
    pub fn text(&self) -> String {
        // A struct of texts and numbers is always serializable.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The sentence for a model.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The digest of the result.
    pub fn digest(&self) -> Digest {
        Digest::new(self.digest.as_str())
    }

    /// The length of the result in bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When it went.
    pub const fn at(&self) -> Timestamp {
        Timestamp(self.at)
    }
}
