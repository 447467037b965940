//! Claude: the Messages API of version 2026-10-21, which refuses sampling parameters.

use super::{
    EffortSupport, ImageLimit, KeyHeader, ModelFamily, OutputLimitField, ProviderProfile, SamplingSupport,
    image_tokens,
};
use crate::call_id_format::CallIdFormat;
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Claude,
    display_name: "Claude",
    base_url: Some("https://api.anthropic.com"),
    key_variable: Some("ANTHROPIC_API_KEY"),
    key_header: KeyHeader::XApiKey,
    headers: &[("anthropic-version", "2026-10-21")],
    families: &[
        // Their thinking has a budget instead of an effort.
        family(&["claude-haiku-4-5", "claude-sonnet-4-5"], EffortSupport::Refused, Some(64_000)),
        family(&["claude-"], EFFORTS, Some(128_000)),
        family(&[""], EFFORTS, None),
    ],
    service_tiers: &["auto", "standard_only"],
    structured_output: StructuredOutput::Schema,
    json_mode: false,
    format_beside_tools: true,
    output_limit: OutputLimitField::MaxTokens,
    stream_options: true,
    prompt_cache_key: false,
    reasoning_summary: false,
    tells_cost: false,
    images: true,
    pdf: true,
    largest_image: Some(ImageLimit { encoded_bytes: 5 * 1024 * 1024, side: 8_000 }),
    image_tokens: image_tokens::CLAUDE,
    pdf_page_tokens: None,
    user_after_tool: true,
    call_ids: CallIdFormat::Words,
    raw_dialect: "anthropic_messages/2026-10-21",
    most_tools: None,
    tool_description_chars: None,
    example_model: "claude-opus-5-5",
    ended: None,
};

const EFFORTS: EffortSupport = EffortSupport::Of(&["low", "medium", "high", "xhigh", "max"]);

const fn family(
    names: &'static [&'static str],
    efforts: EffortSupport,
    most_output_tokens: Option<u32>,
) -> ModelFamily {
    ModelFamily { names, efforts, sampling: SamplingSupport::Never, most_output_tokens }
}
