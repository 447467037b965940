//! Prints everything: data to standard output, messages to standard error. Texts of models and data are sanitized
//! before they come here (`render::text`).

use std::io::{ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::error::CliError;
use crate::user_text::message;

/// The style of drawn lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OutputStyle {
    /// Whether colours are used.
    pub(crate) colour: bool,
    /// The columns at which lines are cut; `None` for never.
    pub(crate) width: Option<usize>,
}

/// Standard output and standard error.
pub(crate) struct TerminalOutput {
    out: Mutex<Box<dyn Write + Send>>,
    err: Mutex<Box<dyn Write + Send>>,
    /// The transient lines, when both streams are the same terminal.
    screen: Mutex<TerminalState>,
    /// Whether data is printed as JSON.
    pub(crate) json: bool,
    /// Whether all messages but errors are suppressed.
    pub(crate) quiet: bool,
    /// Whether progress is shown, because a person watches.
    pub(crate) watched: bool,
    /// The style of data.
    pub(crate) style: OutputStyle,
    /// The style of messages.
    pub(crate) message_style: OutputStyle,
}

/// The current state of the terminal.
#[derive(Debug, Default)]
struct TerminalState {
    /// The number of transient rows at the cursor; the next output replaces them.
    passing: usize,
    /// Whether the terminal is in raw mode, and does not translate line ends.
    raw: bool,
}

impl TerminalOutput {
    /// The process's standard streams, without colours.
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

    /// Writes a line of data.
    pub(crate) fn write_data_line(&self, line: &str) -> Result<(), CliError> {
        self.write(&self.out, &format!("{line}\n"))
    }

    /// Writes data without a line end, and flushes it.
    pub(crate) fn write_data_fragment(&self, text: &str) -> Result<(), CliError> {
        self.write(&self.out, text)
    }

    /// Writes exactly these bytes.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<(), CliError> {
        write(&self.out, bytes)
    }

    /// Writes a JSON object on one line.
    pub(crate) fn write_json_line(&self, object: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string(object)
            .map_err(|error| CliError::new(crate::error::CliExitCode::Failure, error.to_string()))?;
        self.write_data_line(&text)
    }

    /// Writes a message for people.
    pub(crate) fn write_notice(&self, line: &str) {
        if !self.quiet {
            self.write_warning(line);
        }
    }

    /// Writes a line of progress if a person watches.
    pub(crate) fn progress(&self, line: &str) {
        if self.is_watched() {
            self.write_warning(line);
        }
    }

    /// Whether a person watches and wants progress.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched && !self.quiet
    }

    /// Writes a message that no option suppresses.
    pub(crate) fn write_warning(&self, line: &str) {
        // A closed standard error cannot be reported.
        let _ = self.write(&self.err, &format!("{line}\n"));
    }

    /// Draws lines below all others until the next output or drawing replaces them. Each must fit on one row, and all
    /// of them on the terminal.
    pub(crate) fn draw_transient_lines(&self, lines: &[String]) {
        let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = screen.clear_sequence();
        if text.is_empty() && lines.is_empty() {
            return;
        }
        text.push_str(&screen.with_line_endings(&lines.join("\n")));
        screen.passing = lines.len();
        // A closed standard error cannot be reported.
        let _ = write(&self.err, text.as_bytes());
    }

    /// Records whether the terminal is in raw mode from now on.
    pub(crate) fn set_raw_mode(&self, raw: bool) {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner).raw = raw;
    }

    fn write(&self, stream: &Mutex<Box<dyn Write + Send>>, text: &str) -> Result<(), CliError> {
        let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let wiped = screen.clear_sequence();
        screen.passing = 0;
        write(stream, format!("{wiped}{}", screen.with_line_endings(text)).as_bytes())
    }

    /// Writes an error for people, and as an object in JSON mode.
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

    /// Writes an error for people when the data already contains it.
    pub(crate) fn write_error_text(&self, error: &CliError) {
        let label = error.label.as_deref().unwrap_or("error:");
        let label = crate::colour::paint(label, "31;1", self.message_style.colour);
        let message = crate::render::text::block(&error.message);
        self.write_warning(&format!("{label} {message}\n  {}", crate::render::text::one_line(&error.next)));
    }
}

impl TerminalState {
    /// The control sequence that removes the transient lines.
    fn clear_sequence(&self) -> String {
        match self.passing {
            0 => String::new(),
            1 => "\r\x1b[J".to_owned(),
            rows => format!("\r\x1b[{}A\x1b[J", rows - 1),
        }
    }

    /// The text with the line ends that the terminal's mode needs.
    fn with_line_endings(&self, text: &str) -> String {
        if self.raw { text.replace('\n', "\r\n") } else { text.to_owned() }
    }
}

fn write(stream: &Mutex<Box<dyn Write + Send>>, bytes: &[u8]) -> Result<(), CliError> {
    let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
    let written = stream.write_all(bytes).and_then(|()| stream.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => CliError::closed_pipe(),
        // The full disk need not be that of the database.
        _ => CliError::new(
            crate::error::CliExitCode::Failure,
            message!("error-output", why = error.to_string()),
        )
        .or_next("entracte doctor"),
    })
}
