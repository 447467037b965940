//! Which dialect writes the calls of a kind: the one place that names them all.

use crate::anthropic_messages::AnthropicMessages;
use crate::chat_completions::ChatCompletions;
use crate::dialect::Dialect;
use crate::kind::{Kind, Wire};
use crate::responses::Responses;
use crate::settings::Settings;

/// The dialect of a kind.
pub(crate) fn spoken_by(kind: Kind) -> &'static dyn Dialect {
    match kind.wire() {
        Wire::AnthropicMessages => &AnthropicMessages,
        Wire::Responses => &Responses,
        Wire::ChatCompletions => &ChatCompletions,
    }
}

impl Settings {
    /// The dialect they are written in.
    pub(crate) fn dialect(&self) -> &'static dyn Dialect {
        spoken_by(self.profile.kind)
    }
}
