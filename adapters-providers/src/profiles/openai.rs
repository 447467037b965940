//! OpenAI: the Responses API. All its models except the gpt-4 family reason, and refuse sampling parameters meanwhile.

use super::{
    EffortSupport, KeyHeader, ModelFamily, OutputLimitField, ProviderProfile, SamplingSupport, image_tokens,
};
use crate::call_id_format::CallIdFormat;
use crate::provider_kind::{ProviderKind, StructuredOutput};

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Openai,
    display_name: "OpenAI",
    base_url: Some("https://api.openai.com/v1"),
    key_variable: Some("OPENAI_API_KEY"),
    key_header: KeyHeader::Bearer,
    headers: &[],
    families: &[
        // No reasoning models.
        ModelFamily {
            names: &["gpt-4"],
            efforts: EffortSupport::Refused,
            sampling: SamplingSupport::Always,
            most_output_tokens: None,
        },
        // Their reasoning cannot be disabled.
        reasoning(&["o1", "o3", "o4"], &["low", "medium", "high"], SamplingSupport::Never, None),
        reasoning(
            &["gpt-6-astra", "gpt-6.1-sol"],
            &["minimal", "low", "medium", "high", "xhigh", "max"],
            SamplingSupport::Never,
            MOST_OUTPUT,
        ),
        reasoning(
            &["gpt-5.6"],
            &["none", "low", "medium", "high", "xhigh", "max"],
            SamplingSupport::WithoutReasoning,
            MOST_OUTPUT,
        ),
        reasoning(&["gpt-5", "gpt-6"], EFFORTS, SamplingSupport::WithoutReasoning, MOST_OUTPUT),
        reasoning(&[""], EFFORTS, SamplingSupport::WithoutReasoning, None),
    ],
    service_tiers: &["auto", "default", "flex", "priority", "fast"],
    structured_output: StructuredOutput::Schema,
    json_mode: true,
    format_beside_tools: true,
    output_limit: OutputLimitField::MaxCompletionTokens,
    stream_options: true,
    prompt_cache_key: true,
    reasoning_summary: true,
    tells_cost: false,
    images: true,
    pdf: true,
    largest_image: None,
    image_tokens: image_tokens::OPENAI,
    pdf_page_tokens: None,
    user_after_tool: true,
    call_ids: CallIdFormat::Words,
    raw_dialect: "responses/1",
    // As reported with the error of the server: zed-industries/zed#32946, musistudio/claude-code-router#686.
    most_tools: Some(128),
    tool_description_chars: None,
    example_model: "gpt-6-sol",
    ended: None,
};

const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const MOST_OUTPUT: Option<u32> = Some(128_000);

const fn reasoning(
    names: &'static [&'static str],
    efforts: &'static [&'static str],
    sampling: SamplingSupport,
    most_output_tokens: Option<u32>,
) -> ModelFamily {
    ModelFamily { names, efforts: EffortSupport::Of(efforts), sampling, most_output_tokens }
}
