//! Layers: short situational texts. They are appended to the conversation and stay there.

#[cfg(test)]
mod tests;

use entracte_domain::session::{Dialect, RoundReason, SessionKind};

use crate::settings::{ChunkImportance, Language};
use crate::texts::{LocalizedTexts, say};

entracte_domain::words! {
    /// A situational text for the model. Layers are sent in this order.
    pub enum PromptLayer {
        /// Answer the latest message, not an earlier one.
        Focus = "focus",
        /// Keep to the request, and report whether it was done.
        Preserve = "preserve",
        /// Present the results in four steps: context, summary, display, next step.
        Restitution = "restitution",
        /// Understand the failure, then correct it or say that it cannot be corrected.
        Correction = "correction",
    }
}

impl PromptLayer {
    /// Importance of the layer; no layer is vital, because level 1 is enough to work.
    pub const fn importance(self) -> ChunkImportance {
        match self {
            PromptLayer::Focus | PromptLayer::Preserve | PromptLayer::Correction => ChunkImportance::Needed,
            PromptLayer::Restitution => ChunkImportance::Helpful,
        }
    }

    /// The text for the model.
    pub fn text(self, language: Language, situation: &RoundSituation) -> String {
        let texts = LocalizedTexts::for_language(language);
        match self {
            PromptLayer::Focus => say!(texts, "prompt-layer-focus"),
            PromptLayer::Preserve => say!(texts, "prompt-layer-preserve"),
            PromptLayer::Restitution => {
                let place = say!(texts, restitution_place(situation.dialect));
                say!(texts, "prompt-layer-restitution", place = place)
            }
            PromptLayer::Correction => {
                let otherwise = say!(texts, correction_end(situation.kind));
                say!(texts, "prompt-layer-correction", otherwise = otherwise)
            }
        }
    }
}

const fn restitution_place(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Envelope => "prompt-layer-restitution-envelope",
        Dialect::Tools => "prompt-layer-restitution-tools",
    }
}

/// In a chat the model may ask the user; elsewhere it continues without.
const fn correction_end(kind: SessionKind) -> &'static str {
    match kind {
        SessionKind::Chat => "prompt-layer-correction-chat",
        SessionKind::Automation | SessionKind::Seed | SessionKind::Agent => "prompt-layer-correction-run",
    }
}

/// The state of the conversation when a round begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSituation {
    /// Kind of the session.
    pub kind: SessionKind,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// Why the round starts.
    pub reason: RoundReason,
    /// Whether a command of the last round failed.
    pub has_errors: bool,
    /// Messages of users so far.
    pub user_messages: u32,
}

/// The layers for a situation, in their order: only after results, because only then there is work that the
/// answer could lose. Layers about the user's message are for chats; `Focus` needs an earlier message that could
/// be answered by mistake. After errors comes their correction, and the presentation waits until there is a
/// result.
pub fn layers_for(situation: &RoundSituation) -> Vec<PromptLayer> {
    if !situation.reason.follows_results() {
        return Vec::new();
    }
    let failed = situation.has_errors || situation.reason == RoundReason::ActionFailure;
    let asked = |layer: &PromptLayer| match layer {
        PromptLayer::Focus => speaks_with_user(situation.kind) && situation.user_messages > 1,
        PromptLayer::Preserve => speaks_with_user(situation.kind),
        PromptLayer::Restitution => speaks_with_user(situation.kind) && !failed,
        PromptLayer::Correction => failed,
    };
    PromptLayer::ALL.into_iter().filter(asked).collect()
}

const fn speaks_with_user(kind: SessionKind) -> bool {
    match kind {
        SessionKind::Chat => true,
        SessionKind::Automation | SessionKind::Seed | SessionKind::Agent => false,
    }
}
