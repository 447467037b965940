//! Any endpoint that speaks Chat Completions. The least is assumed: no key, no enforced shape, old names.

use super::{KeyHeader, OutputLimit, Profile};
use crate::call_ids::CallIds;
use crate::kind::{Kind, StructuredOutput};

pub(super) const PROFILE: Profile = Profile {
    kind: Kind::Compatible,
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
    output_limit: OutputLimit::MaxTokens,
    stream_options: true,
    prompt_cache_key: false,
    reasoning_summary: false,
    tells_cost: false,
    user_after_tool: true,
    call_ids: CallIds::Words,
    raw_dialect: "chat_completions/compatible",
    example_model: "qwen3:8b",
};
