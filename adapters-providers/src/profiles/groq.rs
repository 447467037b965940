//! Groq: Chat Completions. Its schemas are enforced on listed models only and its JSON mode not beside tools, so
//! a JSON object is all that is asked for unless the entry says otherwise.

use super::{KeyHeader, OutputLimit, Profile, Sampling};
use crate::config::{Kind, StructuredOutput};

pub(super) const PROFILE: Profile = Profile {
    kind: Kind::Groq,
    display_name: "Groq",
    base_url: Some("https://api.groq.com/openai/v1"),
    key_variable: Some("GROQ_API_KEY"),
    key_header: KeyHeader::Bearer,
    headers: &[],
    sampling: Sampling::Always,
    efforts: &["none", "default", "low", "medium", "high"],
    service_tiers: &["on_demand", "flex", "auto", "performance"],
    structured_output: StructuredOutput::Json,
    format_beside_tools: false,
    output_limit: OutputLimit::MaxCompletionTokens,
    raw_dialect: "chat_completions/groq",
    example_model: "openai/gpt-oss-120b",
};
