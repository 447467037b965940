//! Perplexity: Chat Completions without tools, so commands use the envelope. It supports neither JSON mode nor
//! `stream_options`.

use super::{ProviderProfile, compatible};
use crate::provider_kind::ProviderKind;

pub(super) const PROFILE: ProviderProfile = ProviderProfile {
    kind: ProviderKind::Perplexity,
    display_name: "Perplexity",
    base_url: Some("https://api.perplexity.ai"),
    key_variable: Some("PERPLEXITY_API_KEY"),
    json_mode: false,
    stream_options: false,
    tells_cost: true,
    raw_dialect: "chat_completions/perplexity",
    example_model: "sonar-pro",
    ..compatible::PROFILE
};
