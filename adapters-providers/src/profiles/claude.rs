//! Claude: the Messages API of version 2026-10-21, on which sampling parameters are refused.

use super::{KeyHeader, OutputLimit, Profile, Sampling};
use crate::config::{Kind, StructuredOutput};

pub(super) const PROFILE: Profile = Profile {
    kind: Kind::Claude,
    display_name: "Claude",
    base_url: Some("https://api.anthropic.com"),
    key_variable: Some("ANTHROPIC_API_KEY"),
    key_header: KeyHeader::XApiKey,
    headers: &[("anthropic-version", "2026-10-21")],
    sampling: Sampling::Never,
    efforts: &["low", "medium", "high", "xhigh", "max"],
    service_tiers: &["auto", "standard_only"],
    structured_output: StructuredOutput::Schema,
    format_beside_tools: true,
    output_limit: OutputLimit::MaxTokens,
    raw_dialect: "anthropic_messages/2026-10-21",
    example_model: "claude-opus-5-5",
};
