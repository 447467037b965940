//! Maps provider kinds to wire dialects: the only module that names all dialects.

use crate::answer_limits::AnswerLimits;
use crate::anthropic_messages::AnthropicMessages;
use crate::chat_completions::ChatCompletions;
use crate::config::ProviderConfig;
use crate::dialect::WireDialect;
use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::prices::{CallTariff, window_of};
use crate::provider_kind::{ProviderKind, WireApi};
use crate::responses::OpenaiResponses;

/// The wire dialect of a kind.
pub(crate) fn dialect_of_kind(kind: ProviderKind) -> &'static dyn WireDialect {
    match kind.wire() {
        WireApi::AnthropicMessages => &AnthropicMessages,
        WireApi::Responses => &OpenaiResponses,
        WireApi::ChatCompletions => &ChatCompletions,
    }
}

impl EncoderSettings {
    /// The dialect that these settings encode for.
    pub(crate) fn dialect(&self) -> &'static dyn WireDialect {
        dialect_of_kind(self.profile.kind)
    }

    /// The context for decoding answers of this model.
    pub(crate) fn reading(&self, config: &ProviderConfig, model: &str) -> ReplyDecodeContext {
        ReplyDecodeContext {
            profile: self.profile,
            tariff: CallTariff::of(self.profile, config, model, self.cache_ttl),
            limits: AnswerLimits {
                output: self.max_output_tokens.or(self.dialect().default_output_limit()),
                window: window_of(config, model),
            },
        }
    }
}
