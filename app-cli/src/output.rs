//! Everything that is printed goes through here: data to standard output, messages to standard error. What a
//! model or the data said is made harmless before it comes here (`render::text`).

use std::io::{ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::error::CliError;
use crate::user_text::message;

/// How lines are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OutputStyle {
    /// With colours.
    pub(crate) colour: bool,
    /// Cut at that many columns; none = never.
    pub(crate) width: Option<usize>,
}

/// Standard output and standard error.
pub(crate) struct TerminalOutput {
    out: Mutex<Box<dyn Write + Send>>,
    err: Mutex<Box<dyn Write + Send>>,
    /// Where both are the same terminal.
    screen: Mutex<TerminalState>,
    /// Data as JSON.
    pub(crate) json: bool,
    /// No messages but errors.
    pub(crate) quiet: bool,
    /// Progress is shown: somebody watches.
    pub(crate) watched: bool,
    /// How data is drawn.
    pub(crate) style: OutputStyle,
    /// How messages are drawn.
    pub(crate) message_style: OutputStyle,
}

/// What stands on the terminal for the moment.
#[derive(Debug, Default)]
struct TerminalState {
    /// Rows of passing lines at the cursor; whatever is printed takes their place.
    passing: usize,
    /// The terminal makes no line of an end of line: it gives every key at once.
    raw: bool,
}

impl TerminalOutput {
    /// The process's own streams, plain.
    pub(crate) fn plain() -> Self {
        Self {
            out: Mutex::new(Box::new(std::io::stdout())),
            err: Mutex::new(Box::new(std::io::stderr())),
            screen: Mutex::default(),
            json: false,
            quiet: false,
            watched: false,
            style: OutputStyle::default(),
            message_style: OutputStyle::default(),
        }
    }

    /// A line of data.
    pub(crate) fn write_data_line(&self, line: &str) -> Result<(), CliError> {
        self.write(&self.out, &format!("{line}\n"))
    }

    /// A piece of data without an end of line, shown at once.
    pub(crate) fn write_data_fragment(&self, text: &str) -> Result<(), CliError> {
        self.write(&self.out, text)
    }

    /// Exactly these bytes.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<(), CliError> {
        write(&self.out, bytes)
    }

    /// One JSON object on a line.
    pub(crate) fn write_json_line(&self, object: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string(object)
            .map_err(|error| CliError::new(crate::error::CliExitCode::Failure, error.to_string()))?;
        self.write_data_line(&text)
    }

    /// A message for people.
    pub(crate) fn write_notice(&self, line: &str) {
        if !self.quiet {
            self.write_warning(line);
        }
    }

    /// A line of progress: only where somebody watches.
    pub(crate) fn progress(&self, line: &str) {
        if self.is_watched() {
            self.write_warning(line);
        }
    }

    /// Whether somebody watches who wants to hear of progress.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched && !self.quiet
    }

    /// A message that is shown whatever was asked.
    pub(crate) fn write_warning(&self, line: &str) {
        // Nobody can be told that standard error is gone.
        let _ = self.write(&self.err, &format!("{line}\n"));
    }

    /// Lines that stand below all others until something is printed, or others take their place. Each has to fit on one row
    /// of the terminal, and all of them on it.
    pub(crate) fn draw_transient_lines(&self, lines: &[String]) {
        let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = screen.clear_sequence();
        if text.is_empty() && lines.is_empty() {
            return;
        }
        text.push_str(&screen.with_line_endings(&lines.join("\n")));
        screen.passing = lines.len();
        // Nobody can be told that standard error is gone.
        let _ = write(&self.err, text.as_bytes());
    }

    /// Whether the terminal gives every key at once from now on, and makes no lines by itself.
    pub(crate) fn set_raw_mode(&self, raw: bool) {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner).raw = raw;
    }

    fn write(&self, stream: &Mutex<Box<dyn Write + Send>>, text: &str) -> Result<(), CliError> {
        let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let wiped = screen.clear_sequence();
        screen.passing = 0;
        write(stream, format!("{wiped}{}", screen.with_line_endings(text)).as_bytes())
    }

    /// An error: for people, and as an object where JSON was asked for.
    pub(crate) fn error(&self, error: &CliError) {
        if error.quiet {
            return;
        }
        self.write_error_text(error);
        if self.json {
            let _ = self.write_json_line(&serde_json::json!({
                "schema": "entracte.error/1",
                "code": error.exit.word(),
                "message": error.bare_message(),
                "next": error.next,
            }));
        }
    }

    /// An error for people, beside data that tell the same.
    pub(crate) fn write_error_text(&self, error: &CliError) {
        let label = error.label.as_deref().unwrap_or("error:");
        let label = crate::colour::paint(label, "31;1", self.message_style.colour);
        let message = crate::render::text::block(&error.message);
        self.write_warning(&format!("{label} {message}\n  {}", crate::render::text::one_line(&error.next)));
    }
}

impl TerminalState {
    /// What takes the passing lines away.
    fn clear_sequence(&self) -> String {
        match self.passing {
            0 => String::new(),
            1 => "\r\x1b[J".to_owned(),
            rows => format!("\r\x1b[{}A\x1b[J", rows - 1),
        }
    }

    /// The text with the ends of line that the terminal needs now.
    fn with_line_endings(&self, text: &str) -> String {
        if self.raw { text.replace('\n', "\r\n") } else { text.to_owned() }
    }
}

fn write(stream: &Mutex<Box<dyn Write + Send>>, bytes: &[u8]) -> Result<(), CliError> {
    let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
    let written = stream.write_all(bytes).and_then(|()| stream.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => CliError::closed_pipe(),
        // The database is not what is full.
        _ => CliError::new(
            crate::error::CliExitCode::Failure,
            message!("error-output", why = error.to_string()),
        )
        .or_next("entracte doctor"),
    })
}
