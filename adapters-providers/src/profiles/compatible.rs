//! Any endpoint compatible with Chat Completions, with minimal assumptions: no key, no enforced output shape, old field
//! names.

use super::{KeyHeader, OutputLimitField, ProviderProfile};
use crate::call_id_format::CallIdFormat;
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Compatible,
    display_name: "Compatible endpoint",
    base_url: None,
    key_variable: None,
    key_header: KeyHeader::Bearer,
    headers: &[],
    families: &[],
    service_tiers: &[],
    structured_output: StructuredOutput::None,
    json_mode: true,
    format_beside_tools: true,
    output_limit: OutputLimitField::MaxTokens,
    stream_options: true,
    prompt_cache_key: false,
    reasoning_summary: false,
    tells_cost: false,
    images: false,
    pdf: false,
    largest_image: None,
    image_tokens: &[],
    pdf_page_tokens: None,
    user_after_tool: true,
    call_ids: CallIdFormat::Words,
    raw_dialect: "chat_completions/compatible",
    most_tools: None,
    tool_description_chars: None,
    example_model: "qwen3:8b",
    ended: None,
};
