//! Rebuilds the request of a past model call from the entries committed up to its start.

use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, JournalNote, LogAppend, ModelSelection};

use super::generation::changed_voice;
use super::{Projection, PromptPrefix, PromptStyle, model_request};
use crate::journal::JournalEntry;
use crate::ports::{CommandRequestPolicy, ModelRequest};
use crate::settings::Language;

/// A session as it was before one of its model calls. Entries are pushed in order; the request is that of the
/// attempt that the last entry started.
#[derive(Clone, Debug)]
pub struct PromptReplay {
    conversation: Projection,
    voice: ModelSelection,
    prefix: Option<Arc<PromptPrefix>>,
    closing: bool,
    words_only: bool,
    relaunch: bool,
}

impl PromptReplay {
    /// An empty replay; `style` applies to conversations whose prefix does not define one.
    pub fn new(style: &PromptStyle) -> Self {
        let voice =
            ModelSelection { provider: String::new(), model: String::new(), dialect: Dialect::Envelope };
        Self {
            conversation: Projection::new(style),
            voice,
            prefix: None,
            closing: false,
            words_only: false,
            relaunch: false,
        }
    }

    /// Adds the next entry, with the prefix of the generation that it begins, if any.
    pub fn push(&mut self, entry: &JournalEntry, prefix: Option<Arc<PromptPrefix>>) {
        self.conversation.push(entry, prefix.as_deref());
        if prefix.is_some() {
            self.prefix = prefix;
        }
        if let Some(voice) = changed_voice(entry) {
            self.voice = voice;
        }
        for appended in &entry.appended {
            if let LogAppend::Note(JournalNote::RoundStarted { reason, closing, words_only, .. }) = appended {
                (self.closing, self.words_only) = (*closing, *words_only);
                self.relaunch = reason.follows_results();
            }
        }
    }

    /// The model of the call.
    pub fn voice(&self) -> &ModelSelection {
        &self.voice
    }

    /// The prefix of the generation; `None` before the session's first entry.
    pub fn prefix(&self) -> Option<&Arc<PromptPrefix>> {
        self.prefix.as_ref()
    }

    /// The language of Entracte's own texts.
    pub fn language(&self) -> Language {
        self.conversation.language()
    }

    /// The conversation, with its size.
    pub fn conversation(&self) -> &Projection {
        &self.conversation
    }

    /// Whether the last round is a closing one.
    pub fn is_closing(&self) -> bool {
        self.closing
    }

    /// The request as `session` sent it; `None` before the session's first entry.
    pub fn request(&self, session: SessionId) -> Option<ModelRequest> {
        let prefix = self.prefix.as_ref()?;
        let commands = CommandRequestPolicy::for_round(self.closing, self.words_only);
        Some(model_request(session, &self.voice, prefix, &self.conversation, commands, self.relaunch))
    }
}
