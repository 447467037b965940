//! Gemini, at its address for the shape of OpenAI: Chat Completions.

use super::{Efforts, Family, Profile, Sampling, compatible};
use crate::kind::{Kind, StructuredOutput};

pub(super) const PROFILE: Profile = Profile {
    kind: Kind::Gemini,
    display_name: "Gemini",
    base_url: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
    key_variable: Some("GEMINI_API_KEY"),
    families: &[Family {
        names: &[""],
        efforts: Efforts::Of(&["none", "minimal", "low", "medium", "high"]),
        sampling: Sampling::Always,
        most_output_tokens: None,
    }],
    structured_output: StructuredOutput::Json,
    raw_dialect: "chat_completions/gemini",
    example_model: "gemini-3-flash",
    ..compatible::PROFILE
};
