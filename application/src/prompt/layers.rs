//! Layers: short texts that the moment asks for. They are appended to the conversation, where they stay.

#[cfg(test)]
mod tests;

use entracte_domain::session::{Dialect, RoundReason, SessionKind};

use crate::settings::{ChunkImportance, Language};
use crate::texts::{LocalizedTexts, say};

entracte_domain::words! {
    /// One thing that the model is told because of where the conversation stands; they are told in this order.
    pub enum PromptLayer {
        /// Answer the latest message, not those before it.
        Focus = "focus",
        /// Keep to what was asked, and say whether it was done.
        Preserve = "preserve",
        /// Tell what came of it in four steps: context, summary, display, next step.
        Restitution = "restitution",
        /// Understand what failed, then fix it or say that it cannot be fixed.
        Correction = "correction",
    }
}

impl PromptLayer {
    /// How much it matters; none is vital, because level 1 is enough to work.
    pub const fn importance(self) -> ChunkImportance {
        match self {
            PromptLayer::Focus | PromptLayer::Preserve | PromptLayer::Correction => ChunkImportance::Needed,
            PromptLayer::Restitution => ChunkImportance::Helpful,
        }
    }

    /// What the model reads.
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

/// Where somebody listens, the model may ask; elsewhere it goes on without.
const fn correction_end(kind: SessionKind) -> &'static str {
    match kind {
        SessionKind::Chat => "prompt-layer-correction-chat",
        SessionKind::Automation | SessionKind::Seed | SessionKind::Agent => "prompt-layer-correction-run",
    }
}

/// Where the conversation stands when a round begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSituation {
    /// Kind of the session.
    pub kind: SessionKind,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// Why the round is made.
    pub reason: RoundReason,
    /// A command that the last round asked for failed.
    pub has_errors: bool,
    /// Messages of users so far.
    pub user_messages: u32,
}

/// The layers that a situation asks for, in the order they are told: only after results, because only then
/// something was done that the answer could lose. Those that speak of the user's message are for chats; focus needs
/// an earlier message that could be answered by mistake. After errors comes their correction, and what to tell
/// waits until there is a result.
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
