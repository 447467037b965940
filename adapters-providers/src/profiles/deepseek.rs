//! DeepSeek: Chat Completions. It enforces no output shape but a JSON object.

use super::{ProviderProfile, compatible};
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Deepseek,
    display_name: "DeepSeek",
    base_url: Some("https://api.deepseek.com/v1"),
    key_variable: Some("DEEPSEEK_API_KEY"),
    structured_output: StructuredOutput::Json,
    raw_dialect: "chat_completions/deepseek",
    example_model: "deepseek-chat",
    ..compatible::PROFILE
};
