//! The script of a rehearsal, parsed from TOML; every error names its line.

use std::path::Path;

use entracte_application::ports::{NativeCall, ReplyEnd, ScriptedReply};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use super::script_entry::ScriptFile;

/// Script of a rehearsal.
#[derive(Clone, Debug, PartialEq)]
pub struct RehearsalScript {
    /// The turns in order.
    pub turns: Vec<ScriptTurn>,
}

/// One answer of the simulated model.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptTurn {
    /// Texts that the system prompt or the last user turn must contain.
    pub expect: Vec<String>,
    /// Text of the answer; the JSON of the envelope if there is one.
    pub text: String,
    /// Whether `text` is plain, that is neither an envelope nor malformed on purpose.
    pub plain: bool,
    /// The native calls of the answer.
    pub calls: Vec<NativeCall>,
    /// How the answer ends.
    pub end: ReplyEnd,
    /// Token usage, if the script sets it.
    pub usage: Option<Usage>,
    /// Delay before the first word.
    pub delay: Millis,
    /// Delay between words.
    pub word_delay: Millis,
    /// The failure of the turn, if any.
    pub fault: Option<ScriptFailure>,
    /// Number of failures before the turn answers; `None` means it always fails.
    pub times: Option<u32>,
}

/// Failure of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptFailure {
    /// Fails immediately with a failure class.
    Class {
        /// Failure class.
        class: FailureClass,
        /// Retry delay that the provider requests.
        retry_after: Option<Millis>,
    },
    /// The stream is cut after this number of characters of the text.
    CutAfter(usize),
}

/// Error in a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("the script {path} cannot be read: {source}")]
    Unreadable {
        /// Path of the file.
        path: String,
        /// Cause of the failure.
        source: std::io::Error,
    },
    /// The text is not TOML of the right structure.
    #[error("line {line}, column {column}: {problem}")]
    Invalid {
        /// Line in the script, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Description of the error.
        problem: String,
    },
    /// A turn is invalid.
    #[error("line {line}, turn {turn}: {problem}")]
    Turn {
        /// Line of the turn in the script, from 1.
        line: usize,
        /// Number of the turn, from 1.
        turn: usize,
        /// Description of the error, and the fix.
        problem: String,
    },
    /// The content of the file is not a script.
    #[error("the script {path}, {fault}")]
    InFile {
        /// Path of the file.
        path: String,
        /// The error, with its position.
        fault: Box<ScriptError>,
    },
}

impl From<ScriptedReply> for ScriptTurn {
    fn from(played: ScriptedReply) -> Self {
        Self {
            expect: Vec::new(),
            text: played.text,
            plain: true,
            calls: played.calls,
            end: ReplyEnd::Done,
            usage: None,
            delay: Millis(0),
            word_delay: Millis(0),
            fault: None,
            times: None,
        }
    }
}

impl RehearsalScript {
    /// Parses a script from TOML.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if the text is not TOML of a script; it names the line.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let file: ScriptFile = toml::from_str(text).map_err(|error| invalid(text, &error))?;
        let turns = file.turn.into_iter().enumerate().map(|(index, turn)| {
            let at = turn.span().start;
            turn.into_inner().turn(index).map_err(|problem| ScriptError::Turn {
                line: position(text, at).0,
                turn: index + 1,
                problem,
            })
        });
        Ok(Self { turns: turns.collect::<Result<_, _>>()? })
    }

    /// Reads and parses a script file.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if the file cannot be read, or its text does not parse.
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Unreadable { path: path.display().to_string(), source })?;
        Self::parse(&text)
            .map_err(|fault| ScriptError::InFile { path: path.display().to_string(), fault: Box::new(fault) })
    }
}

fn invalid(text: &str, error: &toml::de::Error) -> ScriptError {
    let (line, column) = position(text, error.span().map_or(0, |span| span.start));
    let problem = error.message().lines().map(str::trim).collect::<Vec<_>>().join(", ");
    ScriptError::Invalid { line, column, problem }
}

/// Line and column of a byte offset in a text, both from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
