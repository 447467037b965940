//! The script of a rehearsal: turns, read from TOML; every mistake is told with its line.

use std::path::Path;

use entracte_application::ports::{NativeCall, ReplyEnd, ScriptedReply};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use super::script_entry::ScriptFile;

/// What a rehearsal plays.
#[derive(Clone, Debug, PartialEq)]
pub struct RehearsalScript {
    /// Its turns in order.
    pub turns: Vec<ScriptTurn>,
}

/// One turn of the “model”.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptTurn {
    /// What the system prompt or the last user turn must hold.
    pub expect: Vec<String>,
    /// What it says; the envelope's JSON when there is one.
    pub text: String,
    /// `text` is plain words, neither an envelope nor broken on purpose.
    pub plain: bool,
    /// Its native calls.
    pub calls: Vec<NativeCall>,
    /// How the answer ends.
    pub end: ReplyEnd,
    /// Tokens, when the script tells them.
    pub usage: Option<Usage>,
    /// How long it thinks before its first word.
    pub delay: Millis,
    /// How long it waits between words.
    pub word_delay: Millis,
    /// How it fails, if it does.
    pub fault: Option<ScriptFailure>,
    /// How often it fails before it answers; none = always.
    pub times: Option<u32>,
}

/// How a turn fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptFailure {
    /// At once, as this class.
    Class {
        /// The class.
        class: FailureClass,
        /// When the provider says to come back.
        retry_after: Option<Millis>,
    },
    /// Its stream is cut after that many characters of its text.
    CutAfter(usize),
}

/// Why a script cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("the script {path} cannot be read: {source}")]
    Unreadable {
        /// Its path.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// It is not TOML of the right shape.
    #[error("line {line}, column {column}: {problem}")]
    Invalid {
        /// Its line in the script, from 1.
        line: usize,
        /// Its column in characters, from 1.
        column: usize,
        /// What is wrong.
        problem: String,
    },
    /// A turn makes no sense.
    #[error("line {line}, turn {turn}: {problem}")]
    Turn {
        /// Its line in the script.
        line: usize,
        /// Its number, from 1.
        turn: usize,
        /// What is wrong, and how to fix it.
        problem: String,
    },
    /// The content of the file is not a script.
    #[error("the script {path}, {fault}")]
    InFile {
        /// Its path.
        path: String,
        /// What is wrong, and where.
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
    /// Reads a script from TOML.
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

    /// Reads a script from a file.
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

/// Line and column of a place in a text, from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
