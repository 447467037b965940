//! Lines that a person types: with an editor on a terminal, as they come elsewhere.

use std::io::BufRead;

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::error::{CliError, Exit};
use crate::message::message;

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of the input.
    End,
}

/// Where lines come from.
pub(crate) struct Keyboard {
    /// None while a line is being read.
    editor: Option<Box<DefaultEditor>>,
    terminal: bool,
}

impl Keyboard {
    /// An editor on a terminal; else plain lines.
    pub(crate) fn new(terminal: bool) -> Result<Self, CliError> {
        let editor = terminal.then(DefaultEditor::new).transpose().map_err(unreadable)?;
        Ok(Self { editor: editor.map(Box::new), terminal })
    }

    /// The next line.
    pub(crate) async fn line(&mut self, prompt: &str) -> Result<Typed, CliError> {
        self.edit(prompt, "").await
    }

    /// The next line, begun with this text where there is an editor.
    pub(crate) async fn edit(&mut self, prompt: &str, begin: &str) -> Result<Typed, CliError> {
        if !self.terminal {
            return plain().await;
        }
        let Some(mut editor) = self.editor.take() else { return Ok(Typed::End) };
        let (prompt, begin) = (prompt.to_owned(), begin.to_owned());
        let read = tokio::task::spawn_blocking(move || {
            let line = editor.readline_with_initial(&prompt, (&begin, ""));
            if let Ok(line) = &line
                && let Err(error) = editor.add_history_entry(line)
            {
                tracing::debug!(%error, "the line is not added to the history");
            }
            (editor, line)
        });
        let (editor, line) = read.await.map_err(unreadable)?;
        self.editor = Some(editor);
        match line {
            Ok(line) => Ok(Typed::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(unreadable(error)),
        }
    }
}

/// A line of standard input. Ctrl-C ends it: without a terminal, nothing can be asked again.
async fn plain() -> Result<Typed, CliError> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|length| (length > 0).then_some(line))
    });
    tokio::select! {
        _ = tokio::signal::ctrl_c() => Err(CliError::new(Exit::Interrupted, message!("error-interrupted"))),
        line = read => match line.map_err(unreadable)?.map_err(unreadable)? {
            Some(line) => Ok(Typed::Line(line.trim_end_matches(['\r', '\n']).to_owned())),
            None => Ok(Typed::End),
        },
    }
}

/// The lines of standard input as they come. The thread that reads them ends with the process: a line that nobody
/// types cannot be given up.
pub(crate) fn lines() -> tokio::sync::mpsc::Receiver<String> {
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
    CliError::new(Exit::Failure, message!("error-input", why = error.to_string()))
}
