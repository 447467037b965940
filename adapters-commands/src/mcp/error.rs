//! Errors of MCP servers.

use std::sync::Arc;

use entracte_application::ports::SecretError;

use super::login::McpLoginError;
use super::pins::PinError;

/// Why a server was not started, or could not be connected to. No call was sent.
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
    /// An argument is a relative path to something beside the configuration, but the server works in its own folder.
    MisplacedArgument {
        argument: String,
        folder: String,
    },
    /// The server's own folder could not be created.
    Folder {
        folder: String,
        source: std::io::Error,
    },
    /// The program was started without standard streams.
    NoStreams {
        command: String,
    },
    /// The secret of this header contains characters that a header cannot have.
    Header(String),
    /// No HTTP client could be built for this address.
    Http(String),
    Late {
        seconds: u64,
        /// The line of its standard error that says why, if any.
        output: Option<String>,
    },
    Handshake {
        refusal: HandshakeRefusal,
        /// The line of its standard error that says why, if any.
        output: Option<String>,
        /// Whether the other handshake may work.
        other_way: bool,
        /// Whether no byte reached the server.
        never_connected: bool,
    },
    /// The server's protocol version is unsupported; `None` if it reports none.
    Protocol(Option<String>),
    /// The server requires a login: a first one, or a new one.
    Login {
        server: String,
        again: bool,
    },
    /// The stored login cannot be used.
    NoLogin(#[from] McpLoginError),
    List(ToolListError),
    Pins(#[from] PinError),
}

/// How a server refused the handshake.
#[derive(Debug)]
pub(super) enum HandshakeRefusal {
    /// It exited or disconnected.
    Ended,
    /// It requires authorization.
    Unauthorized,
    /// The error of the server or the transport.
    Says(String),
}

/// Why a server's tools could not be listed.
#[derive(Debug)]
pub(super) enum ToolListError {
    Late {
        seconds: u64,
    },
    TooManyTools {
        /// The limit.
        most: usize,
    },
    TooManyPages,
    /// The server answered with an error.
    Answered {
        code: i32,
        message: String,
    },
    /// The error of the connection.
    Says(String),
    /// The server does not know the session any more; with its error text.
    SessionLost(String),
}

impl McpStartError {
    /// Whether a new session may help.
    pub(super) fn is_session_lost(&self) -> bool {
        matches!(self, Self::List(ToolListError::SessionLost(_)))
    }
}

/// A server that cannot be used now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct McpUnavailable {
    /// The server's name in the configuration.
    pub server: String,
    /// The reason.
    pub why: McpProblem,
}

/// Why a server cannot be used; [`McpProblem::message`] renders it.
#[derive(Clone, Debug)]
pub struct McpProblem(pub(super) McpProblemKind);

#[derive(Clone, Debug)]
pub(super) enum McpProblemKind {
    /// The configuration has no server of this name.
    Unconfigured(String),
    /// It did not start, or its tools could not be listed.
    Failed(Arc<McpStartError>),
    /// It exited, or its connection broke.
    Broken,
    /// It refused a call, or the call never reached it; with the error text.
    NotDone(String),
    /// It no longer accepts the login.
    LoginOver,
    /// It failed recently, and may start again only after the backoff.
    Later { before: Option<Arc<McpProblemKind>>, seconds: i64 },
}

impl McpUnavailable {
    /// Whether the server was not reached, so that nothing was sent.
    pub(super) fn is_unreached(&self) -> bool {
        let McpProblemKind::Failed(error) = &self.why.0 else { return false };
        matches!(**error, McpStartError::Handshake { never_connected: true, .. })
    }

    /// Whether a person must log in before the server can be used.
    pub fn needs_login(&self) -> bool {
        self.why.0.needs_login()
    }
}

impl McpProblemKind {
    fn needs_login(&self) -> bool {
        match self {
            Self::Failed(error) => matches!(**error, McpStartError::Login { .. }),
            Self::LoginOver => true,
            Self::Later { before, .. } => before.as_ref().is_some_and(|before| before.needs_login()),
            Self::Unconfigured(_) | Self::Broken | Self::NotDone(_) => false,
        }
    }
}

impl From<McpProblemKind> for McpProblem {
    fn from(problem: McpProblemKind) -> Self {
        Self(problem)
    }
}

/// I/O errors cannot be compared, so two problems are equal if their messages are.
impl PartialEq for McpProblem {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for McpProblem {}
