//! Renders MCP errors in each language of the catalogue. `Display` is English, for logs.

use std::fmt;

use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedMessage, LocalizedTexts, say, saying};

use super::error::{
    HandshakeRefusal, McpProblem, McpProblemKind, McpStartError, McpUnavailable, ToolListError,
};
use super::pins::{PinAcceptError, PinError, PinFileDamage, VERSION};
use super::spec::McpToolSpecError;
use super::text::visible;
use super::tool_lister::PAGES_MAX;
use crate::secret;

impl McpStartError {
    pub(super) fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Secret(error) => secret::secret_error_message(error, texts),
            Self::NoProgram { command } => say!(texts, "tools-mcp-no-program", command = command),
            Self::Spawn { command, source } => {
                say!(texts, "tools-mcp-spawn", command = command, why = source.to_string())
            }
            Self::MisplacedArgument { argument, folder } => {
                say!(texts, "tools-mcp-misplaced", argument = argument, folder = folder)
            }
            Self::Folder { folder, source } => {
                say!(texts, "tools-mcp-folder", folder = folder, why = source.to_string())
            }
            Self::NoStreams { command } => say!(texts, "tools-mcp-streams", command = command),
            Self::Header(name) => say!(texts, "tools-mcp-header", name = name),
            Self::Http(why) => say!(texts, "tools-mcp-client", why = why),
            Self::Late { seconds, output: None } => say!(texts, "tools-mcp-late", seconds = *seconds),
            Self::Late { seconds, output: Some(output) } => {
                say!(texts, "tools-mcp-late-output", seconds = *seconds, output = output)
            }
            Self::Handshake { refusal, output: None, .. } => refusal.message(texts),
            Self::Handshake { refusal, output: Some(output), .. } => {
                say!(texts, "tools-mcp-output", why = refusal.message(texts), output = output)
            }
            Self::Protocol(None) => say!(texts, "tools-mcp-protocol-none"),
            Self::Protocol(Some(version)) => {
                say!(texts, "tools-mcp-protocol", version = version, known = known_versions())
            }
            Self::Login { server, again: false } => say!(texts, "login-needed", server = server),
            Self::Login { again: true, .. } => say!(texts, "login-over"),
            Self::NoLogin(error) => error.message(texts),
            Self::List(error) => say!(texts, "tools-mcp-list", why = error.message(texts)),
            Self::Pins(error) => error.message(texts),
        }
    }
}

impl HandshakeRefusal {
    fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Ended => say!(texts, "tools-mcp-ended"),
            Self::Unauthorized => say!(texts, "tools-mcp-unauthorized"),
            Self::Says(text) => text.clone(),
        }
    }
}

impl ToolListError {
    fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Late { seconds } => say!(texts, "tools-mcp-list-late", seconds = *seconds),
            Self::TooManyTools { most } => say!(texts, "tools-mcp-list-tools", most = *most),
            Self::TooManyPages => say!(texts, "tools-mcp-list-pages", most = PAGES_MAX),
            Self::Answered { code, message } => {
                say!(texts, "tools-mcp-error", code = *code, message = message)
            }
            Self::Says(text) | Self::SessionLost(text) => text.clone(),
        }
    }
}

impl McpUnavailable {
    /// The server, the reason and the fix.
    pub fn message(&self, texts: &LocalizedTexts) -> String {
        say!(texts, "tools-mcp-unavailable", server = &self.server, why = self.why.message(texts))
    }
}

impl McpProblem {
    /// The reason and the fix.
    pub fn message(&self, texts: &LocalizedTexts) -> String {
        self.0.message(texts)
    }
}

impl McpProblemKind {
    fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Unconfigured(server) => say!(texts, "tools-mcp-unconfigured", server = server),
            Self::Failed(error) => error.message(texts),
            Self::Broken => say!(texts, "tools-mcp-broken"),
            Self::NotDone(why) => why.clone(),
            Self::LoginOver => say!(texts, "login-over"),
            Self::Later { before: None, seconds } => say!(texts, "tools-mcp-later", seconds = *seconds),
            Self::Later { before: Some(before), seconds } => {
                say!(texts, "tools-mcp-failed-later", why = before.message(texts), seconds = *seconds)
            }
        }
    }
}

impl PinError {
    /// The fault of the file and the fix.
    pub fn message(&self, texts: &LocalizedTexts) -> String {
        self.saying().render(texts)
    }

    /// The fault as a message to be rendered once the language is known.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Unreadable { path, cause } => {
                saying!("tools-pins-unreadable", path = path, why = cause.to_string())
            }
            Self::Unwritable { path, cause } => {
                saying!("tools-pins-unwritable", path = path, why = cause.to_string())
            }
            Self::Damaged { path, problem } => {
                saying!("tools-pins-damaged", path = path, problem = problem.saying())
            }
            Self::Version { path, found } => {
                saying!("tools-pins-newer", path = path, found = *found, known = VERSION)
            }
        }
    }
}

impl PinFileDamage {
    fn saying(&self) -> LocalizedMessage {
        match self {
            Self::NoVersion => saying!("tools-pins-no-version"),
            Self::Hash { tool } => saying!("tools-pins-hash", tool = tool),
            Self::Unreadable(why) => saying!("fault-words", words = why),
        }
    }
}

impl PinAcceptError {
    /// Why the tool was not accepted, and what to do instead.
    pub fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Unknown(tool) => say!(texts, "tools-accept-unknown", tool = tool),
            Self::Nothing(tool) => say!(texts, "tools-accept-nothing", tool = tool),
            Self::Refused { tool, why } => {
                say!(texts, "bounds-tool-not-accepted", tool = tool, why = why.message(texts))
            }
            Self::Changed(tool) => say!(texts, "tools-accept-changed", tool = tool),
            Self::Pins(error) => error.message(texts),
        }
    }
}

impl McpToolSpecError {
    pub(super) fn message(&self, texts: &LocalizedTexts) -> String {
        let why = self.cause(texts);
        match self.argument() {
            Some(argument) => say!(texts, "bounds-in-argument", argument = visible(argument), why = why),
            None => why,
        }
    }

    /// The path of the argument that is the reason; `None` if it is no single argument.
    pub(super) fn argument(&self) -> Option<&str> {
        match self {
            Self::Schema { argument, .. } => argument.as_deref(),
            Self::TooLarge(_) | Self::NoObject | Self::Type(_) => None,
        }
    }

    /// The reason, without the argument.
    pub(super) fn cause(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::TooLarge(large) => large.message(texts),
            Self::NoObject => say!(texts, "tools-spec-no-object"),
            Self::Type(kind) => say!(texts, "tools-spec-type", kind = kind),
            Self::Schema { why, .. } => why.describe(texts),
        }
    }
}

macro_rules! in_english {
    ($($error:ty),*) => {$(
        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.message(LocalizedTexts::for_language(Language::En)))
            }
        }
    )*};
}
in_english!(McpStartError, McpUnavailable, McpProblem, PinError, PinAcceptError, McpToolSpecError);

fn known_versions() -> String {
    let known: Vec<&str> = rmcp::model::ProtocolVersion::KNOWN_VERSIONS.iter().map(|v| v.as_str()).collect();
    known.join(", ")
}
