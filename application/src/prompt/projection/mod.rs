//! The conversation as the model reads it: a projection of committed entries.
//!
//! A request is closed when its round starts. Entries after that and before the reply are placed after the reply,
//! so within a generation the request of a round begins with the request of the previous round.

mod calls;
mod closed_turn;
mod file_cut;
mod generation_cleanup;
mod legacy_restart;
mod meter;
mod render;
mod restart;
mod size;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::{Author, CommandResult, Message, MessageBody, SystemKind, SystemMessage};
use entracte_domain::session::{
    AiResponse, ContextSummary, Dialect, Input, JournalNote, LogAppend, ModelSelection, ReplyEnd,
    RoundReason, SessionCreation, SessionKind, StoppedReply,
};
use entracte_domain::time::Timestamp;

use super::files::files_of_part;
use super::generation::changed_voice;
use super::plain_text::{render_part_as_text, render_turn_as_text};
use super::texts;
use super::{PromptLayer, PromptPrefix, PromptStyle, RoundSituation, layers_for};
use crate::command_naming::tool_name;
use crate::journal::JournalEntry;
use crate::ports::{AssistantTurn, EncodedRequestCache, PromptTurn, UserTurnPart};
use crate::texts::LocalizedTexts;
use calls::{DeclaredTools, UnansweredCalls};
use closed_turn::ClosedTurn;
use meter::ConversationMeter;
pub use meter::PromptSize;
use render::ProjectionStyle;
pub(crate) use render::escape_marks;
pub use restart::{RetainedHistory, RetentionBudget};

/// The conversation of one session, built entry by entry. A push costs only its new content; nothing is read
/// twice.
#[derive(Clone, Debug)]
pub struct Projection {
    dialect: Dialect,
    style: ProjectionStyle,
    /// The turns that were sent, or are in the request of the open round.
    closed: Vec<ClosedTurn>,
    /// User messages that are not placed yet.
    waiting: HashMap<MessageId, Message>,
    /// The parts that the next request adds, after the results of native calls.
    pending: Vec<UserTurnPart>,
    open_calls: UnansweredCalls,
    /// The tools of the current generation.
    tools: DeclaredTools,
    /// Command names by tool name, for native calls.
    commands: HashMap<String, String>,
    /// The notices of changed always-sent data. The prefix of a new generation holds that data, so they are removed
    /// then.
    data_news: Vec<UserTurnPart>,
    /// Whether the prefix changed since the current attempt started: its reasoning belongs to the old prefix.
    is_attempt_void: bool,
    kind: SessionKind,
    /// Whether a result since the last round was an error.
    has_errors: bool,
    user_messages: u32,
    /// Layers sent since a person's last message.
    told: Vec<PromptLayer>,
    /// The encoded conversation cached by the provider's adapter.
    written: EncodedRequestCache,
    meter: ConversationMeter,
    /// The last summary.
    summary: Option<Arc<ContextSummary>>,
    /// The last message of a person.
    said_last: Option<MessageId>,
    session: Option<SessionId>,
    /// The session's sequence of the last entry.
    sequence: u64,
    /// The model, unless the first entry, which names it, is missing.
    voice: Option<ModelSelection>,
    /// Whether the model changed and the new one has not answered yet.
    is_voice_new: bool,
    /// Whether a request had files beside its texts.
    has_files: bool,
    /// Whether the server paused the last reply: the next request ends with its blocks, so that it continues.
    is_reply_paused: bool,
}

impl Projection {
    /// An empty conversation in this style until a generation sets another one.
    pub fn new(style: &PromptStyle) -> Self {
        Self {
            dialect: Dialect::Envelope,
            style: ProjectionStyle::new(style),
            closed: Vec::new(),
            waiting: HashMap::new(),
            pending: Vec::new(),
            open_calls: UnansweredCalls::default(),
            tools: DeclaredTools::default(),
            commands: HashMap::new(),
            data_news: Vec::new(),
            is_attempt_void: false,
            kind: SessionKind::Chat,
            has_errors: false,
            user_messages: 0,
            told: Vec::new(),
            written: EncodedRequestCache::default(),
            meter: ConversationMeter::new(),
            summary: None,
            said_last: None,
            session: None,
            sequence: 0,
            voice: None,
            is_voice_new: false,
            has_files: false,
            is_reply_paused: false,
        }
    }

    /// Sets the dialect of a conversation whose first entry, which states it, is missing.
    #[cfg(test)]
    pub(crate) fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Adds the session's next entry, with the prefix of the generation that it begins, if any.
    pub fn push(&mut self, entry: &JournalEntry, prefix: Option<&PromptPrefix>) {
        if let Some(style) = prefix.and_then(|prefix| prefix.style.as_ref()) {
            self.style.apply_style(style);
        }
        if let Some(prefix) = prefix {
            self.drop_data_news();
            self.tools = DeclaredTools::of_prefix(prefix);
            self.meter.begin(prefix);
        }
        self.session = Some(entry.session.clone());
        self.sequence = entry.sequence;
        let before = self.pending.len();
        if let Some(voice) = changed_voice(entry) {
            self.meter.change_model();
            self.change_dialect(voice.dialect);
            self.voice = Some(voice);
            self.is_voice_new = !matches!(entry.input, Input::SessionCreated(_));
        }
        match &entry.input {
            Input::SessionCreated(creation) => self.kind = kind_of(creation),
            Input::AiResponseReceived(response) => self.reply(entry, response),
            Input::StopRequested { reply: Some(reply), .. }
            | Input::RoundInterrupted { reply: Some(reply), .. } => self.stopped_reply(entry, reply),
            Input::UserMessageSent(_) => {
                if let Some(message) = entry.input.message(&entry.session, entry.sequence, entry.at) {
                    self.waiting.insert(message.id.clone(), message);
                }
            }
            Input::MessageWithdrawn { message, .. } => {
                self.waiting.remove(message);
            }
            Input::ContextCompacted { summary, .. } => self.summary = Some(Arc::new((**summary).clone())),
            Input::BudgetReached { files_from: Some(from), .. } => self.drop_files_before(*from),
            other => {
                if let Some(message) = other.message(&entry.session, entry.sequence, entry.at) {
                    self.message(&message);
                }
            }
        }
        for appended in &entry.appended {
            match appended {
                LogAppend::Message(message) => self.message(message),
                LogAppend::Note(note) => self.note(note, entry.at),
            }
        }
        if tells_data(&entry.input) {
            self.data_news.extend(self.pending.iter().skip(before).cloned());
        }
    }

    /// The turns of the open round's request; between two rounds, those of the last request and its reply. Later
    /// entries are placed when the next round starts.
    pub fn turns(&self) -> Vec<Arc<PromptTurn>> {
        self.closed.iter().map(|closed| closed.turn.clone()).collect()
    }

    /// The adapter's encoded cache of these turns.
    pub fn written(&self) -> EncodedRequestCache {
        self.written.clone()
    }

    /// Changes the dialect: native calls and their results become text, because the new model does not know those
    /// tools.
    fn change_dialect(&mut self, dialect: Dialect) {
        if self.dialect == Dialect::Tools && dialect == Dialect::Envelope {
            let mut results = self.open_calls.take_results(self.style.language);
            if !results.is_empty() {
                results.append(&mut self.pending);
                self.pending = results;
            }
            let texts = LocalizedTexts::for_language(self.style.language);
            // Unchanged for generations that do not define how commands are named.
            let names = if self.style.names_commands() { self.commands.clone() } else { HashMap::new() };
            for closed in &mut self.closed {
                closed.turn = Arc::new(render_turn_as_text(texts, &closed.turn, &names));
            }
            self.pending = self.pending.iter().flat_map(|part| render_part_as_text(texts, part)).collect();
        }
        self.dialect = dialect;
    }

    fn reply(&mut self, entry: &JournalEntry, response: &AiResponse) {
        if !self.ends_with_user() && !self.is_reply_paused {
            self.close_request(RoundReason::Continuation, entry.at);
        }
        let calls = match self.dialect {
            Dialect::Tools => {
                let names = response.calls.iter().map(|call| &call.command.name);
                self.commands.extend(names.map(|name| (tool_name(name), name.clone())));
                self.open_calls.open(entry, response, &self.tools)
            }
            Dialect::Envelope => Vec::new(),
        };
        self.is_voice_new = false;
        let said = &response.message;
        let is_silent = said.original.trim().is_empty() && calls.is_empty();
        let text = if is_silent { texts::empty_reply(self.style.language) } else { said.original.clone() };
        let raw = said.provider_turn.clone().filter(|_| !self.is_attempt_void);
        self.is_reply_paused = response.end == ReplyEnd::Paused && raw.is_some();
        let turn = PromptTurn::Assistant(AssistantTurn { text, calls, raw });
        self.closed.push(ClosedTurn::from_reply(entry.sequence, turn));
        if let Some(usage) = &response.usage {
            self.meter.count(&self.closed, usage);
        }
    }

    /// A reply that a person stopped stands where it would have stood whole.
    fn stopped_reply(&mut self, entry: &JournalEntry, reply: &StoppedReply) {
        if !self.ends_with_user() {
            self.close_request(RoundReason::Continuation, entry.at);
        }
        (self.is_voice_new, self.is_reply_paused) = (false, false);
        let turn = AssistantTurn { text: reply.original.clone(), calls: Vec::new(), raw: None };
        self.closed.push(ClosedTurn::from_reply(entry.sequence, PromptTurn::Assistant(turn)));
    }

    fn note(&mut self, note: &JournalNote, at: Timestamp) {
        match note {
            JournalNote::MessagesJoined(ids) => {
                for id in ids {
                    if let Some(message) = self.waiting.remove(id) {
                        self.message(&message);
                    }
                }
            }
            JournalNote::RoundStarted { reason, closing, words_only, .. } => {
                self.tell_layers(*reason, at);
                if *words_only {
                    let words = texts::words_round(self.style.language);
                    self.pending.push(self.style.mark(reason.word(), at, &words));
                }
                if *closing {
                    let last = texts::closing_round(self.style.language);
                    self.pending.push(self.style.mark(reason.word(), at, &last));
                }
                self.close_request(*reason, at);
            }
            JournalNote::AttemptStarted { .. } => self.is_attempt_void = false,
            JournalNote::GenerationBegun(_) => {
                self.is_attempt_void = true;
                self.drop_reasoning();
                // Only the blocks themselves can end a request.
                if std::mem::take(&mut self.is_reply_paused) {
                    self.close_request(RoundReason::PausedTurn, at);
                }
                self.meter.forget();
            }
            // The other inputs are for people and change nothing that the model reads.
            _ => {}
        }
    }

    /// Adds the layers for the situation, each once between two messages of people; the correction layer may repeat.
    fn tell_layers(&mut self, reason: RoundReason, at: Timestamp) {
        // The envelope requests its parts with each reply; native tools leave that to the layers.
        let Some(least) = self.style.layers.filter(|_| self.dialect == Dialect::Tools) else { return };
        let situation = RoundSituation {
            kind: self.kind,
            dialect: self.dialect,
            reason,
            has_errors: self.has_errors,
            user_messages: self.user_messages,
        };
        for layer in layers_for(&situation).into_iter().filter(|layer| layer.importance() >= least) {
            if layer == PromptLayer::Correction || !self.told.contains(&layer) {
                self.told.push(layer);
                let text = layer.text(self.style.language, &situation);
                self.pending.push(self.style.mark("GUIDE", at, &text));
            }
        }
        self.has_errors = false;
    }

    fn message(&mut self, message: &Message) {
        if message.exclude_from_prompt {
            return;
        }
        self.note_situation(message);
        match (&message.body, &message.author) {
            (MessageBody::System(system), _) if system.kind == SystemKind::ContextSummary => {
                let summary = self.style.system(system, &[], message.at);
                self.restart(summary);
            }
            (MessageBody::System(system), _) if system.kind.goes_to_prompt() => {
                self.system(system, message.at)
            }
            (MessageBody::System(_), _) => {}
            (MessageBody::Rich(said), Author::Person(name)) => {
                let part = self.style.person(name, &said.linear_text(), message.at);
                self.pending.push(part);
                self.pending.extend(said.files().cloned().map(UserTurnPart::File));
            }
            (MessageBody::Text(text), Author::Person(name)) => {
                // An answer to a native question is the result of that call.
                if self.open_calls.answer_question(&text.to_plain_text()) {
                    return;
                }
                let part = self.style.person(name, &text.to_plain_text(), message.at);
                self.pending.push(part);
            }
            (MessageBody::Execution(metadata), _) => {
                self.pending.push(self.style.execution(metadata, message.at));
            }
            // Messages that the state machine writes for people in the model's or its own name are excluded from the
            // prompt, and a reply comes as an input.
            (MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::Ai(_), _) => {}
        }
    }

    /// Records what the layers are chosen by.
    fn note_situation(&mut self, message: &Message) {
        match (&message.body, &message.author) {
            (MessageBody::Rich(_) | MessageBody::Text(_), Author::Person(_)) => {
                self.said_last = Some(message.id.clone());
                self.user_messages = self.user_messages.saturating_add(1);
                self.told.clear();
            }
            (MessageBody::System(system), _) => {
                self.has_errors |= system.results.iter().any(|result| result.status.is_error());
            }
            (
                MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::Ai(_) | MessageBody::Execution(_),
                _,
            ) => {}
        }
    }

    /// Results of native calls go to their calls; the rest of the message gets its own marker.
    fn system(&mut self, system: &SystemMessage, at: Timestamp) {
        let told: Vec<bool> =
            system.results.iter().map(|result| self.open_calls.answer(result, &self.style)).collect();
        if !told.contains(&true) {
            self.pending.push(self.style.system(system, &system.results, at));
            self.push_files(&system.results);
            return;
        }
        let remarks = calls::remarks(&system.summary, &system.results);
        let others: Vec<_> = system
            .results
            .iter()
            .zip(&told)
            .filter(|(_, told)| !**told)
            .map(|(result, _)| result.clone())
            .collect();
        if !remarks.is_empty() || !others.is_empty() {
            let rest = SystemMessage {
                kind: system.kind,
                results: Vec::new(),
                summary: remarks.into(),
                formatted_data: None,
            };
            self.pending.push(self.style.system(&rest, &others, at));
            self.push_files(&others);
        }
    }

    /// Adds the files of results that are not native, behind the text that names them.
    fn push_files(&mut self, results: &[CommandResult]) {
        let files = results.iter().flat_map(|result| &result.files).cloned();
        self.pending.extend(files.map(UserTurnPart::File));
    }

    /// Closes the request: results first, then the other parts in the order they arrived.
    fn close_request(&mut self, reason: RoundReason, at: Timestamp) {
        let mut parts = self.open_calls.take_results(self.style.language);
        parts.append(&mut self.pending);
        self.has_files |= parts.iter().any(|part| !files_of_part(part).is_empty());
        if parts.is_empty() && self.is_reply_paused {
            return;
        }
        self.is_reply_paused = false;
        if parts.is_empty() && !self.ends_with_user() {
            parts.push(self.style.mark(reason.word(), at, &texts::go_on(self.style.language)));
        }
        // A round without a reply leaves a user turn at the end; later parts are added to it.
        match self.closed.last_mut().map(|closed| Arc::make_mut(&mut closed.turn)) {
            Some(PromptTurn::User(last)) => last.append(&mut parts),
            Some(PromptTurn::Assistant(_)) | None => {
                self.closed.push(ClosedTurn::from_user_turn(PromptTurn::User(parts)))
            }
        }
    }

    fn ends_with_user(&self) -> bool {
        self.closed.last().is_some_and(|closed| !closed.is_reply())
    }
}

/// Whether an input is a notice of changed always-sent data.
fn tells_data(input: &Input) -> bool {
    match input {
        Input::RulesChanged(change) => {
            change.notice.is_some() && change.told.is_some() && change.prefix.is_none()
        }
        _ => false,
    }
}

/// Only runs name an automation, only agents a parent.
fn kind_of(creation: &SessionCreation) -> SessionKind {
    match (&creation.parent, &creation.automation) {
        (Some(_), _) => SessionKind::Agent,
        (None, Some(_)) => SessionKind::Automation,
        (None, None) => SessionKind::Chat,
    }
}
