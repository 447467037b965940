//! Perplexity: Chat Completions without tools, so commands use the envelope. It supports neither JSON mode nor
//! `stream_options`.
//!
//! The provider supported this API, Sonar, until 27 September 2026. Its Agent API accepts requests of OpenAI's Responses
//! API at `/v1/responses` (<https://docs.perplexity.ai/docs/agent-api/openai-compatibility>, and
//! `/docs/agent-api/migrate-from-sonar/overview` there). The profile remains for gateways that still speak it, and for
//! stored requests.

use super::{EndedApi, ProviderProfile, compatible};
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
    ended: Some(EndedApi {
        on: "2026-09-27",
        kind: ProviderKind::Openai,
        base_url: "https://api.perplexity.ai/v1",
        model: "perplexity/sonar",
    }),
    ..compatible::PROFILE
};
