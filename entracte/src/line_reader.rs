//! Reads lines: with an editor on a terminal, otherwise plainly.

use std::borrow::Cow;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::terminal::{Clear, ClearType};
use reedline::{
    EditCommand, FileBackedHistory, Prompt, PromptEditMode, PromptHistorySearch, Reedline, Signal,
};
use tokio::task::JoinHandle;

use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The result of reading a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineInput {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or end of input.
    End,
}

/// A line, or an event that came before it.
#[derive(Debug)]
pub(crate) enum LineOrEvent<T> {
    /// A line was read.
    Typed(LineInput),
    /// An event came first; with the text typed until then.
    News(T, String),
}

/// The kind of text that a person types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputPurpose {
    /// A message: the arrow keys recall earlier ones.
    Message,
    /// An answer: it recalls no earlier lines and is not stored.
    Answer,
}

/// The history file of typed messages.
pub(crate) struct LineHistory {
    /// The file; created if it does not exist.
    pub(crate) file: PathBuf,
    /// The most messages in it.
    pub(crate) most: usize,
}

/// The source of lines.
pub(crate) struct LineReader {
    terminal: bool,
    colour: bool,
    messages: LineEditor,
    answers: LineEditor,
    /// A pending read of plain input.
    pending: Option<JoinHandle<std::io::Result<Option<String>>>>,
}

/// The line editor; `None` while it reads a line.
struct LineEditor {
    reader: Option<Box<Reedline>>,
    stops: Arc<AtomicBool>,
}

impl LineReader {
    /// A reader with an editor on a terminal, otherwise of plain lines.
    pub(crate) fn new(terminal: bool) -> Self {
        let (messages, answers) = (LineEditor::new(terminal), LineEditor::new(terminal));
        Self { terminal, colour: false, messages, answers, pending: None }
    }

    /// Sets coloured prompts.
    pub(crate) fn with_colour(self, colour: bool) -> Self {
        Self { colour, ..self }
    }

    /// Adds earlier messages for the arrow keys. An unreadable history is ignored.
    pub(crate) fn with_history(mut self, kept: &LineHistory) -> Self {
        if !self.terminal || kept.most == 0 {
            return self;
        }
        match history(kept) {
            Ok(history) => {
                let reader = self.messages.reader.take();
                self.messages.reader = reader.map(|reader| Box::new(reader.with_history(Box::new(history))));
            }
            Err(error) => tracing::warn!(%error, file = %kept.file.display(), "earlier lines cannot be read"),
        }
        self
    }

    /// Reads the next message.
    pub(crate) async fn read_message_line(&mut self, prompt: &str) -> Result<LineInput, CliError> {
        self.read_prefilled_line(prompt, "").await
    }

    /// Reads the next line; an editor begins with this text.
    pub(crate) async fn read_prefilled_line(
        &mut self,
        prompt: &str,
        begin: &str,
    ) -> Result<LineInput, CliError> {
        match self
            .read_line_or_event(InputPurpose::Answer, prompt, begin, std::future::pending::<()>())
            .await?
        {
            LineOrEvent::Typed(typed) => Ok(typed),
            LineOrEvent::News((), _) => Ok(LineInput::Interrupted),
        }
    }

    /// Reads the next line, unless an event comes first. Then it removes the prompt from the screen, and returns the
    /// typed text for the next read.
    pub(crate) async fn read_line_or_event<T>(
        &mut self,
        wanted: InputPurpose,
        prompt: &str,
        begin: &str,
        news: impl Future<Output = T>,
    ) -> Result<LineOrEvent<T>, CliError> {
        if !self.terminal {
            return self.read_plain_line_or_event(news).await;
        }
        let colour = self.colour;
        let editor = match wanted {
            InputPurpose::Message => &mut self.messages,
            InputPurpose::Answer => &mut self.answers,
        };
        let Some(mut reader) = editor.reader.take() else { return Ok(LineOrEvent::Typed(LineInput::End)) };
        let (shown, begin) = (PromptText { text: prompt.to_owned(), colour }, begin.to_owned());
        editor.stops.store(false, Ordering::Relaxed);
        let mut read = tokio::task::spawn_blocking(move || {
            reader.run_edit_commands(&[EditCommand::Clear, EditCommand::InsertString(begin)]);
            let signal = reader.read_line(&shown);
            if matches!(signal, Ok(Signal::ExternalBreak(_))) {
                erase(&shown.text, &reader);
            }
            (reader, signal)
        });
        let (news, ended) = tokio::select! {
            biased;
            ended = &mut read => (None, ended),
            news = news => {
                editor.stops.store(true, Ordering::Relaxed);
                (Some(news), read.await)
            }
        };
        let (reader, signal) = ended.map_err(unreadable)?;
        editor.reader = Some(reader);
        let signal = signal.map_err(unreadable)?;
        Ok(match news {
            Some(news) => LineOrEvent::News(news, text_from_signal(signal)),
            None => LineOrEvent::Typed(input_from_signal(signal)),
        })
    }

    /// Reads a line of standard input. Ctrl-C ends it, because without a terminal the prompt cannot be repeated.
    async fn read_plain_line_or_event<T>(
        &mut self,
        news: impl Future<Output = T>,
    ) -> Result<LineOrEvent<T>, CliError> {
        let pending = self.pending.get_or_insert_with(|| tokio::task::spawn_blocking(read_line));
        let line = tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c() => {
                return Err(CliError::new(CliExitCode::Interrupted, message!("error-interrupted")));
            }
            line = pending => line,
            news = news => return Ok(LineOrEvent::News(news, String::new())),
        };
        self.pending = None;
        Ok(LineOrEvent::Typed(match line.map_err(unreadable)?.map_err(unreadable)? {
            Some(line) => LineInput::Line(line.trim_end_matches(['\r', '\n']).to_owned()),
            None => LineInput::End,
        }))
    }
}

impl LineEditor {
    fn new(terminal: bool) -> Self {
        let stops = Arc::new(AtomicBool::new(false));
        let make = || {
            let reader = Reedline::create().with_break_signal(stops.clone()).use_bracketed_paste(true);
            Box::new(reader.with_ansi_colors(false))
        };
        Self { reader: terminal.then(make), stops }
    }
}

fn read_line() -> std::io::Result<Option<String>> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map(|length| (length > 0).then_some(line))
}

fn input_from_signal(signal: Signal) -> LineInput {
    match signal {
        Signal::Success(line) | Signal::ExternalBreak(line) | Signal::HostCommand(line) => {
            LineInput::Line(line)
        }
        Signal::CtrlC => LineInput::Interrupted,
        Signal::CtrlD => LineInput::End,
        // Signals of later versions count as an interruption.
        _ => LineInput::Interrupted,
    }
}

/// The text typed when the event came. A line that was finished at that moment belonged to the old prompt, and is
/// dropped.
fn text_from_signal(signal: Signal) -> String {
    match input_from_signal(signal) {
        LineInput::Line(line) => line,
        LineInput::Interrupted | LineInput::End => String::new(),
    }
}

/// Removes an interrupted prompt from the screen.
fn erase(prompt: &str, reader: &Reedline) {
    let before = reader.current_buffer_contents().get(..reader.current_insertion_point()).unwrap_or_default();
    let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(1));
    let text = format!("{prompt}{before}");
    let rows = |line: &str| 1 + textwrap::core::display_width(line).saturating_sub(1) / columns;
    let up = text.split('\n').map(rows).sum::<usize>().saturating_sub(1);
    let mut out = std::io::stdout();
    let up = u16::try_from(up).unwrap_or(u16::MAX);
    // A closed standard output cannot be reported.
    let _ = match up {
        0 => crossterm::execute!(out, MoveToColumn(0), Clear(ClearType::FromCursorDown)),
        up => crossterm::execute!(out, MoveToColumn(0), MoveUp(up), Clear(ClearType::FromCursorDown)),
    };
    let _ = out.flush();
}

/// The history of typed messages, in a file readable only by its owner.
fn history(kept: &LineHistory) -> std::io::Result<FileBackedHistory> {
    if let Some(folder) = kept.file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(&kept.file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&kept.file, std::fs::Permissions::from_mode(0o600))?;
    }
    FileBackedHistory::with_file(kept.most, kept.file.clone()).map_err(std::io::Error::other)
}

/// A prompt with Entracte's text before the input.
struct PromptText {
    text: String,
    colour: bool,
}

impl Prompt for PromptText {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        match self.colour {
            true => Cow::Owned(crate::colour::paint(&self.text, "34;1", true)),
            false => Cow::Borrowed(&self.text),
        }
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("({}) ", search.term))
    }
}

/// Sends the lines of standard input as they arrive. The reading thread ends with the process, because a blocking
/// read cannot be cancelled.
pub(crate) fn spawn_line_reader() -> tokio::sync::mpsc::Receiver<String> {
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn unreadable(error: impl std::error::Error) -> CliError {
    CliError::new(CliExitCode::Failure, message!("error-input", why = error.to_string()))
}
