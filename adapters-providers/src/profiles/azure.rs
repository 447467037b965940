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
    raw_dialect: "responses/azure",
    ..openai::PROFILE
};
