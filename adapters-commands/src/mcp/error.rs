//! Why a server cannot be used.

use std::sync::Arc;

use entracte_application::ports::SecretError;

use super::login::McpLoginError;
use super::pins::PinError;

/// Why a server was not started, or could not be connected to. Nothing of any call was sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum McpStartError {
    Secret(#[from] SecretError),
    NoProgram {
        command: String,
    },
    Spawn {
        command: String,
        source: std::io::Error,
    },
    /// The program was started without standard streams.
    NoStreams {
        command: String,
    },
    /// The secret of this header cannot be sent in a header.
    Header(String),
    /// There is no HTTP client for this address.
    Http(String),
    Late {
        seconds: u64,
        /// What it wrote last to its standard error.
        output: Option<String>,
    },
    Handshake {
        refusal: HandshakeRefusal,
        /// What it wrote last to its standard error.
        output: Option<String>,
        /// Whether another way to begin may work.
        other_way: bool,
    },
    /// It speaks this version of the protocol, or does not say which.
    Protocol(Option<String>),
    /// It wants a login: the first one, or a new one.
    Login {
        server: String,
        again: bool,
    },
    /// The login cannot be used.
    NoLogin(#[from] McpLoginError),
    List(ToolListError),
    Pins(#[from] PinError),
}

/// How a server refused to begin.
#[derive(Debug)]
pub(super) enum HandshakeRefusal {
    /// It ended.
    Ended,
    /// It requires authorization.
    Unauthorized,
    /// The error that it or the transport gave.
    Says(String),
}

/// Why the list of a server's tools was not read.
#[derive(Debug)]
pub(super) enum ToolListError {
    Late {
        seconds: u64,
    },
    TooManyTools {
        /// The most that it may have.
        most: usize,
    },
    TooManyPages,
    /// The error that the server answered with.
    Answered {
        code: i32,
        message: String,
    },
    /// The error of the connection.
    Says(String),
}

/// A server that cannot be used now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct McpUnavailable {
    /// Its name in the configuration.
    pub server: String,
    /// Why, and how to fix it.
    pub why: McpProblem,
}

/// Why a server cannot be used; [`McpProblem::said`] puts it in words.
#[derive(Clone, Debug)]
pub struct McpProblem(pub(super) McpProblemKind);

#[derive(Clone, Debug)]
pub(super) enum McpProblemKind {
    /// The configuration has no server of this name.
    Unconfigured(String),
    /// It did not start, or its tools were not read.
    Failed(Arc<McpStartError>),
    /// It ended, or its connection broke.
    Broken,
    /// It turned a call away, or the call never reached it; with what was said.
    Unsent(String),
    /// It no longer accepts the login.
    LoginOver(String),
    /// It failed a moment ago and may not be started yet.
    Later { before: Option<Arc<McpProblemKind>>, seconds: i64 },
}

impl McpUnavailable {
    /// Whether a person must log in before it can be used.
    pub fn needs_login(&self) -> bool {
        self.why.0.needs_login()
    }
}

impl McpProblemKind {
    fn needs_login(&self) -> bool {
        match self {
            Self::Failed(error) => matches!(**error, McpStartError::Login { .. }),
            Self::LoginOver(_) => true,
            Self::Later { before, .. } => before.as_ref().is_some_and(|before| before.needs_login()),
            Self::Unconfigured(_) | Self::Broken | Self::Unsent(_) => false,
        }
    }
}

impl From<McpProblemKind> for McpProblem {
    fn from(problem: McpProblemKind) -> Self {
        Self(problem)
    }
}

/// Errors of the system cannot be compared, so two problems are equal when they say the same.
impl PartialEq for McpProblem {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for McpProblem {}
