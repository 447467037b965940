//! Local servers: Chat Completions, no key unless the entry names one. The only enforced output shape is a JSON object,
//! because each server compiles schemas differently.

use super::{ProviderProfile, compatible};
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const OLLAMA: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Ollama,
    display_name: "Ollama",
    base_url: Some("http://localhost:11434/v1"),
    structured_output: StructuredOutput::Json,
    raw_dialect: "chat_completions/ollama",
    ..compatible::PROFILE
};

pub(super) const VLLM: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Vllm,
    display_name: "vLLM",
    base_url: Some("http://localhost:8000/v1"),
    structured_output: StructuredOutput::Json,
    raw_dialect: "chat_completions/vllm",
    example_model: "Qwen/Qwen3-8B",
    ..compatible::PROFILE
};
