//! Azure OpenAI: the Responses API at the address of a resource, with the key in its own header. Models have the names
//! of their deployments, so little is known of them.

use super::{KeyHeader, ProviderProfile, openai};
use crate::provider_kind::ProviderKind;

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Azure,
    display_name: "Azure OpenAI",
    base_url: None,
    key_variable: Some("AZURE_OPENAI_API_KEY"),
    key_header: KeyHeader::ApiKey,
    service_tiers: &[],
    reasoning_summary: false,
    // As reported with the error of the server: OpenHands/OpenHands#4838, langchain-ai/open_deep_research#80.
    tool_description_chars: Some(1_024),
    raw_dialect: "responses/azure",
    ..openai::PROFILE
};
