//! Lines that a person types: with an editor on a terminal, as they come elsewhere.

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

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineInput {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of the input.
    End,
}

/// A line, or what came before it was there.
#[derive(Debug)]
pub(crate) enum LineOrEvent<T> {
    /// A line.
    Typed(LineInput),
    /// The news, and what was typed until then.
    News(T, String),
}

/// What a person is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputPurpose {
    /// A message: the arrow keys find earlier ones.
    Message,
    /// An answer to something that was asked: no earlier line is offered, and it is not kept.
    Answer,
}

/// Where the lines of earlier talks are kept.
pub(crate) struct LineHistory {
    /// The file; made when there is none.
    pub(crate) file: PathBuf,
    /// How many are kept.
    pub(crate) most: usize,
}

/// Where lines come from.
pub(crate) struct LineReader {
    terminal: bool,
    colour: bool,
    messages: LineEditor,
    answers: LineEditor,
    /// A line of plain input that was asked for and has not come.
    pending: Option<JoinHandle<std::io::Result<Option<String>>>>,
}

/// An editor of lines; none while a line is being read.
struct LineEditor {
    reader: Option<Box<Reedline>>,
    stops: Arc<AtomicBool>,
}

impl LineReader {
    /// An editor on a terminal; else plain lines.
    pub(crate) fn new(terminal: bool) -> Self {
        let (messages, answers) = (LineEditor::new(terminal), LineEditor::new(terminal));
        Self { terminal, colour: false, messages, answers, pending: None }
    }

    /// The same with prompts in colour.
    pub(crate) fn with_colour(self, colour: bool) -> Self {
        Self { colour, ..self }
    }

    /// The same with the messages of earlier talks behind the arrow keys. That they cannot be read breaks nothing off.
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

    /// The next line.
    pub(crate) async fn read_message_line(&mut self, prompt: &str) -> Result<LineInput, CliError> {
        self.read_prefilled_line(prompt, "").await
    }

    /// The next line, begun with this text where there is an editor.
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

    /// The next line, unless there are news before it; then the prompt is gone from the screen, and what was typed is
    /// given back for the next one.
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

    /// A line of standard input. Ctrl-C ends it: without a terminal, nothing can be asked again.
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
        // What later versions may add asks for nothing that we know.
        _ => LineInput::Interrupted,
    }
}

/// What was typed when the news came. A line that was ended in that moment was meant for what was asked before.
fn text_from_signal(signal: Signal) -> String {
    match input_from_signal(signal) {
        LineInput::Line(line) => line,
        LineInput::Interrupted | LineInput::End => String::new(),
    }
}

/// Takes a prompt that was broken off from the screen.
fn erase(prompt: &str, reader: &Reedline) {
    let before = reader.current_buffer_contents().get(..reader.current_insertion_point()).unwrap_or_default();
    let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(1));
    let text = format!("{prompt}{before}");
    let rows = |line: &str| 1 + textwrap::core::display_width(line).saturating_sub(1) / columns;
    let up = text.split('\n').map(rows).sum::<usize>().saturating_sub(1);
    let mut out = std::io::stdout();
    let up = u16::try_from(up).unwrap_or(u16::MAX);
    // Nobody can be told that standard output is gone.
    let _ = match up {
        0 => crossterm::execute!(out, MoveToColumn(0), Clear(ClearType::FromCursorDown)),
        up => crossterm::execute!(out, MoveToColumn(0), MoveUp(up), Clear(ClearType::FromCursorDown)),
    };
    let _ = out.flush();
}

/// The messages of earlier talks, in a file that only this person may read.
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

/// A prompt: our words before what is typed.
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

/// The lines of standard input as they come. The thread that reads them ends with the process: a line that nobody
/// types cannot be given up.
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
