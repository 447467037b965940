//! Why a server cannot be used.

use entracte_application::ports::SecretError;

use super::pins::PinError;

/// Why a server was not started, or not spoken to. Nothing that a session asked for was sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("a secret of its configuration cannot be had: {0}")]
    Secret(#[from] SecretError),
    #[error("the program “{command}” is not found in PATH; install it, or give its whole path as command")]
    NoProgram { command: String },
    #[error("the program “{command}” cannot be started: {source}")]
    Spawn { command: String, source: std::io::Error },
    #[error("the secret of the header {0} cannot be a header's value; it must be one line of text")]
    Header(String),
    #[error("the connection cannot be prepared: {0}")]
    Http(String),
    #[error("it was not ready within {seconds} s{words}; raise start_timeout_seconds if it needs longer")]
    Late { seconds: u64, words: String },
    #[error("{says}{words}")]
    Handshake {
        says: String,
        /// What it wrote last to its standard error.
        words: String,
        /// Whether another way to begin may work.
        other_way: bool,
    },
    #[error("it speaks the protocol “{0}”, which is not one of: {known}", known = known_versions())]
    Protocol(String),
    #[error("its list of tools cannot be had: {0}")]
    List(String),
    #[error(transparent)]
    Pins(#[from] PinError),
}

/// A server that cannot be used now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the MCP server {server} cannot be used: {why}")]
pub struct McpUnavailable {
    /// Its name in the configuration.
    pub server: String,
    /// Why, and the mend.
    pub why: String,
}

fn known_versions() -> String {
    let known: Vec<&str> = rmcp::model::ProtocolVersion::KNOWN_VERSIONS.iter().map(|v| v.as_str()).collect();
    known.join(", ")
}
