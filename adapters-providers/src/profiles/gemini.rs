//! Gemini: Chat Completions, at its OpenAI-compatible address.

use super::{EffortSupport, ModelFamily, ProviderProfile, SamplingSupport, compatible, image_tokens};
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Gemini,
    display_name: "Gemini",
    base_url: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
    key_variable: Some("GEMINI_API_KEY"),
    families: &[ModelFamily {
        names: &[""],
        efforts: EffortSupport::Of(&["none", "minimal", "low", "medium", "high"]),
        sampling: SamplingSupport::Always,
        most_output_tokens: None,
    }],
    structured_output: StructuredOutput::Json,
    raw_dialect: "chat_completions/gemini",
    example_model: "gemini-3-flash",
    images: true,
    image_tokens: image_tokens::GEMINI,
    pdf_page_tokens: Some(560),
    ..compatible::PROFILE
};
