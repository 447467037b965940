//! Mistral: Chat Completions. No user message directly after results, call ids of nine letters and digits, and no
//! `stream_options`: its streams report tokens without a request.

use super::{ProviderProfile, compatible};
use crate::call_id_format::CallIdFormat;
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Mistral,
    display_name: "Mistral",
    base_url: Some("https://api.mistral.ai/v1"),
    key_variable: Some("MISTRAL_API_KEY"),
    structured_output: StructuredOutput::Json,
    stream_options: false,
    user_after_tool: false,
    call_ids: CallIdFormat::NineLetters,
    raw_dialect: "chat_completions/mistral",
    example_model: "mistral-large-latest",
    ..compatible::PROFILE
};
