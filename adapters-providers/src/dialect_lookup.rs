//! Maps provider kinds to wire dialects: the only module that names all dialects.

use crate::anthropic_messages::AnthropicMessages;
use crate::chat_completions::ChatCompletions;
use crate::dialect::WireDialect;
use crate::encoder_settings::EncoderSettings;
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
}
