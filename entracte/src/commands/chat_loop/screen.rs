//! The screen of a chat: each stored entry once; below them, transient lines with streamed text and the session's
//! activity.

use std::sync::Arc;

use entracte_adapters_http::shapes::frame::LevelCallShape;
use entracte_adapters_http::shapes::session::QueueShape;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::{CallId, RoundAttempt};
use entracte_domain::message::Message;
use entracte_domain::session::Input;
use entracte_domain::time::Timestamp;
use jiff::tz::TimeZone;

use super::local_actions::LocalChatActions;
use crate::command_context::CommandContext;
use crate::error::CliError;
use crate::follow::{ReplyTextDelta, SessionWatcher};
use crate::output::{OutputStyle, TerminalOutput};
use crate::raw_keyboard::{RawKeyboard, TurnKeyAction};
use crate::render::markdown;
use crate::render::progress::{ProgressSnapshot, REDRAWN_AFTER, SessionActivity, line};
use crate::render::slot_place::place;
use crate::render::time::TimeFormatter;
use crate::render::transcript::{TranscriptPart, TranscriptViewer, entry_parts, past_message_parts};
use crate::render::wrap::{cut_at, fitted_to_terminal};

/// The free rows above streamed text.
const ROWS_FREE: usize = 4;

/// The screen of a chat.
pub(super) struct ChatScreen {
    out: Arc<TerminalOutput>,
    texts: &'static LocalizedTexts,
    zone: TimeZone,
    /// How often a round waits for its provider before it gives up.
    waits_most: u32,
    /// Whether input and output are the same terminal, which allows transient lines.
    pub(super) is_terminal: bool,
    /// Whether the width was given, and is not measured.
    fixed_width: bool,
    /// The acts of this person here.
    pub(super) own: LocalChatActions,
    /// The cards on the screen.
    pub(super) cards: Vec<(CallId, String)>,
    coming: Option<StreamingReply>,
    /// The last round whose reply was shown.
    shown_round: u32,
    activity: Option<SessionActivity>,
    place: Option<usize>,
    /// The calls of the current reply, with what they say of their progress.
    calls: Vec<LevelCallShape>,
    tokens: Option<u64>,
    since: Timestamp,
    drawn_at: Option<Timestamp>,
    keys: Option<RawKeyboard>,
}

/// Text that is being streamed, and not stored yet.
struct StreamingReply {
    number: RoundAttempt,
    /// The reply of the model.
    text: String,
    /// Its visible reasoning, which is never stored.
    thoughts: String,
}

impl ChatScreen {
    /// The screen of a command, for the acts of this author; `waits_most` is how often a round waits for its provider.
    pub(super) fn new(
        context: &CommandContext,
        author: String,
        texts: &'static LocalizedTexts,
        waits_most: u32,
    ) -> Self {
        let around = &context.environment;
        let is_terminal = around.stdin_terminal && around.stdout_terminal && around.stderr_terminal;
        Self {
            out: context.out.clone(),
            texts,
            zone: TimeZone::clone(&context.zone),
            waits_most,
            is_terminal: is_terminal && around.variable("TERM") != Some("dumb"),
            fixed_width: around.variable("COLUMNS").is_some(),
            own: LocalChatActions::for_author(author),
            cards: Vec::new(),
            coming: None,
            shown_round: 0,
            activity: None,
            place: None,
            calls: Vec::new(),
            tokens: None,
            since: SystemClock.now(),
            drawn_at: None,
            keys: None,
        }
    }

    /// Starts a wait. `typed` is earlier text for the next prompt.
    pub(super) fn begin(&mut self, typed: String) -> String {
        (self.since, self.tokens, self.drawn_at) = (SystemClock.now(), None, None);
        if !self.is_terminal || self.out.quiet {
            return typed;
        }
        match RawKeyboard::listen(self.out.clone(), typed) {
            Ok(keys) => {
                self.keys = Some(keys);
                String::new()
            }
            Err(typed) => typed,
        }
    }

    /// Ends a wait; returns the text typed meanwhile.
    pub(super) fn end(&mut self, typed: String) -> String {
        self.out.draw_transient_lines(&[]);
        (self.coming, self.place) = (None, None);
        self.keys.take().map_or(typed, RawKeyboard::restore_terminal)
    }

    /// Whether an entry has a display.
    pub(super) fn is_visible(&self, entry: &JournalEntry) -> bool {
        !self.parts(entry).is_empty()
    }

    /// Prints lines wrapped at the terminal's current width.
    pub(super) fn print_wrapped(&self, text: &str) {
        self.out.write_warning(&self.fitted(text));
    }

    /// Prints lines like [`print_wrapped`](Self::print_wrapped), unless messages are suppressed.
    pub(super) fn print_notice(&self, text: &str) {
        self.out.write_notice(&self.fitted(text));
    }

    fn fitted(&self, text: &str) -> String {
        fitted_to_terminal(text, self.style(self.out.message_style).width.filter(|_| self.is_terminal))
    }

    /// Prints an earlier message.
    pub(super) fn print_past_message(&self, message: &Message) -> Result<(), CliError> {
        past_message_parts(message, self.style(self.out.message_style), self.texts)
            .into_iter()
            .try_for_each(|part| self.print(part))
    }

    fn parts(&self, entry: &JournalEntry) -> Vec<TranscriptPart> {
        let reader = TranscriptViewer { did_it: self.own.is_own_entry(entry), cards: &self.cards };
        entry_parts(entry, &reader, self.style(self.out.message_style), self.texts)
    }

    fn print(&self, part: TranscriptPart) -> Result<(), CliError> {
        match part {
            TranscriptPart::Said(text) => {
                self.out.write_data_line(&markdown::draw(&text, self.style(self.out.style)))
            }
            TranscriptPart::Beside(lines) => {
                self.out.write_warning(&lines);
                Ok(())
            }
        }
    }

    /// The style at the terminal's current width, which may have changed.
    fn style(&self, style: OutputStyle) -> OutputStyle {
        if style.width.is_none() || self.fixed_width {
            return style;
        }
        let measured = crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
        OutputStyle { width: measured.filter(|width| *width > 0).or(style.width), ..style }
    }

    /// Draws the transient lines, unless they were drawn recently.
    fn draw(&mut self) {
        let now = SystemClock.now();
        let is_fresh = self.drawn_at.is_some_and(|at| at <= now && now.since(at) < REDRAWN_AFTER);
        if self.keys.is_none() || is_fresh {
            return;
        }
        self.drawn_at = Some(now);
        let style = self.style(self.out.message_style);
        let columns = style.width.unwrap_or(80).saturating_sub(1);
        let rows = crossterm::terminal::size().map_or(24, |(_, rows)| usize::from(rows));
        let mut lines = self.coming_lines(rows.saturating_sub(ROWS_FREE));
        lines.extend(self.progress(now, columns).map(|line| crate::colour::paint(&line, "2", style.colour)));
        let typed = self.keys.as_ref().map(RawKeyboard::buffered_text).unwrap_or_default();
        if !typed.is_empty() {
            let prompt = self.texts.render("talk-you", &[]);
            let typed = crate::render::text::one_line(typed);
            lines.push(cut_at(&format!("{prompt}{typed}"), columns));
        }
        self.out.draw_transient_lines(&lines);
    }

    /// The streamed text of this attempt; `None` if its reply is on the screen already.
    fn streaming_reply_for(&mut self, piece: &ReplyTextDelta<'_>) -> Option<&mut StreamingReply> {
        if piece.number.round <= self.shown_round {
            return None;
        }
        let is_of = |coming: &StreamingReply| coming.number == piece.number;
        if !self.coming.as_ref().is_some_and(is_of) {
            let number = piece.number;
            self.coming = Some(StreamingReply { number, text: String::new(), thoughts: String::new() });
        }
        self.coming.as_mut()
    }

    /// The last rows of the streamed reply; until it begins, the reasoning, dimmed.
    fn coming_lines(&self, most: usize) -> Vec<String> {
        let Some(coming) = &self.coming else { return Vec::new() };
        crate::render::streaming_reply::streaming_reply_lines(
            &coming.text,
            &coming.thoughts,
            self.style(self.out.style),
            most,
        )
    }

    fn progress(&self, now: Timestamp, columns: usize) -> Option<String> {
        let activity = self.activity.as_ref()?;
        let waits_most = self.waits_most;
        let (place, calls, tokens, since) = (self.place, &self.calls, self.tokens, self.since);
        line(
            &ProgressSnapshot { activity, since, now, place, waits_most, calls, tokens },
            columns,
            self.texts,
        )
    }
}

impl SessionWatcher for ChatScreen {
    fn on_slot_wait(&mut self, session: &str, waiting: &QueueShape) {
        self.place = waiting.position;
        let dial = TimeFormatter { zone: &self.zone, now: Some(SystemClock.now()) };
        self.print_notice(&place(session, waiting, self.texts, dial));
    }

    fn on_entry(&mut self, entry: &JournalEntry) -> Result<(), CliError> {
        match &entry.input {
            Input::AiResponseReceived(response) => {
                self.shown_round = response.round;
                self.coming = None;
                let usage = response
                    .usage
                    .map(|usage| usage.input + usage.cache_read + usage.cache_write + usage.output);
                self.tokens = usage.map(|usage| usage + self.tokens.unwrap_or_default()).or(self.tokens);
            }
            Input::NetworkErrorOccurred { .. }
            | Input::ProviderErrorOccurred { .. }
            | Input::RoundInterrupted { .. }
            | Input::StopRequested { .. } => self.coming = None,
            _ => {}
        }
        let parts = self.parts(entry);
        self.own.remove_shown(entry);
        parts.into_iter().try_for_each(|part| self.print(part))
    }

    fn on_reply_delta(&mut self, piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        if let Some(coming) = self.streaming_reply_for(piece) {
            coming.text.push_str(piece.text);
            self.draw();
        }
        Ok(())
    }

    fn on_reasoning_delta(&mut self, piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        if let Some(coming) = self.streaming_reply_for(piece) {
            coming.thoughts.push_str(piece.text);
            self.draw();
        }
        Ok(())
    }

    fn on_call_progress(&mut self, calls: &[LevelCallShape]) {
        self.calls = calls.to_vec();
        self.draw();
    }

    fn on_session_state(&mut self, activity: &SessionActivity) {
        self.activity = Some(activity.clone());
        self.draw();
    }

    fn poll_key(&mut self) -> Option<TurnKeyAction> {
        self.keys.as_mut().and_then(RawKeyboard::poll_key_action)
    }
}
