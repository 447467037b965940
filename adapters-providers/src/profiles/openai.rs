//! OpenAI: the Responses API. Its models reason, but for the family gpt-4, and refuse sampling settings.

use super::{KeyHeader, OutputLimit, Profile, Sampling};
use crate::config::{Kind, StructuredOutput};

pub(super) const PROFILE: Profile = Profile {
    kind: Kind::Openai,
    display_name: "OpenAI",
    base_url: Some("https://api.openai.com/v1"),
    key_variable: Some("OPENAI_API_KEY"),
    key_header: KeyHeader::Bearer,
    headers: &[],
    sampling: Sampling::ExceptFor(&["gpt-4"]),
    efforts: &["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    service_tiers: &["auto", "default", "flex", "priority", "fast"],
    structured_output: StructuredOutput::Schema,
    format_beside_tools: true,
    output_limit: OutputLimit::MaxCompletionTokens,
    raw_dialect: "responses/1",
    example_model: "gpt-6-sol",
};
