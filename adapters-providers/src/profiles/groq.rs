//! Groq: Chat Completions. It enforces schemas only on listed models and does not combine JSON mode with tools, so only
//! a JSON object is requested unless the entry sets more.

use super::{EffortSupport, KeyHeader, ModelFamily, OutputLimitField, ProviderProfile, SamplingSupport};
use crate::call_id_format::CallIdFormat;
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Groq,
    display_name: "Groq",
    base_url: Some("https://api.groq.com/openai/v1"),
    key_variable: Some("GROQ_API_KEY"),
    key_header: KeyHeader::Bearer,
    headers: &[],
    families: &[
        family(&["openai/gpt-oss"], &["low", "medium", "high"], Some(65_536)),
        family(&["qwen/qwen3.8-27b"], EFFORTS, Some(16_384)),
        family(&["qwen/"], &["none", "default"], None),
        family(&[""], EFFORTS, None),
    ],
    service_tiers: &["on_demand", "flex", "auto", "performance"],
    structured_output: StructuredOutput::Json,
    json_mode: true,
    format_beside_tools: false,
    output_limit: OutputLimitField::MaxCompletionTokens,
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
    raw_dialect: "chat_completions/groq",
    // Its documentation of `tools`.
    most_tools: Some(128),
    tool_description_chars: None,
    example_model: "openai/gpt-oss-120b",
    ended: None,
};

const EFFORTS: &[&str] = &["none", "default", "low", "medium", "high"];

const fn family(
    names: &'static [&'static str],
    efforts: &'static [&'static str],
    most_output_tokens: Option<u32>,
) -> ModelFamily {
    ModelFamily {
        names,
        efforts: EffortSupport::Of(efforts),
        sampling: SamplingSupport::Always,
        most_output_tokens,
    }
}
