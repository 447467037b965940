//! OpenRouter: Chat Completions in front of many providers. It asks callers to identify themselves.

use super::{ProviderProfile, compatible};
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Openrouter,
    display_name: "OpenRouter",
    base_url: Some("https://openrouter.ai/api/v1"),
    key_variable: Some("OPENROUTER_API_KEY"),
    headers: &[("x-title", "Entracte")],
    structured_output: StructuredOutput::Json,
    tells_cost: true,
    raw_dialect: "chat_completions/openrouter",
    example_model: "anthropic/claude-sonnet-5.5",
    ..compatible::PROFILE
};
