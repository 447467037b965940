//! Which dialect writes the calls of a kind: the one place that names them all.

use crate::anthropic_messages::AnthropicMessages;
use crate::chat_completions::ChatCompletions;
use crate::dialect::WireDialect;
use crate::encoder_settings::EncoderSettings;
use crate::provider_kind::{ProviderKind, WireApi};
use crate::responses::OpenaiResponses;

/// The dialect of a kind.
pub(crate) fn dialect_of_kind(kind: ProviderKind) -> &'static dyn WireDialect {
    match kind.wire() {
        WireApi::AnthropicMessages => &AnthropicMessages,
        WireApi::Responses => &OpenaiResponses,
        WireApi::ChatCompletions => &ChatCompletions,
    }
}

impl EncoderSettings {
    /// The dialect they are written in.
    pub(crate) fn dialect(&self) -> &'static dyn WireDialect {
        dialect_of_kind(self.profile.kind)
    }
}
