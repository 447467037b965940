//! Why there is no login. No variant holds a token, a code or a secret.

use entracte_application::ports::SecretError;

use crate::egress::EgressError;

/// Why there is no login; [`McpLoginError::said`] puts it in words, with how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum McpLoginError {
    /// The server is a program, which nobody logs in to.
    NoAddress,
    /// The configuration gives it its authorization.
    OwnAuthorization,
    /// The server does not say how to log in.
    NotOffered,
    /// The authorization server does not protect the way back from the browser.
    NoPkce,
    /// The authorization server lets nobody register, and no client is configured.
    NoRegistration,
    /// The authorization server did not register us; with what it said.
    NotRegistered(String),
    /// The authorization server gave no tokens; with what it said.
    NotExchanged(String),
    /// None of the authorization servers that the server names can be used.
    NoAuthorizationServer {
        /// Their addresses.
        named: String,
    },
    /// What the server says about itself is about another one.
    OtherResource {
        /// Where it says so.
        url: String,
    },
    /// Another authorization server answered than was asked.
    OtherIssuer {
        /// Who was asked.
        expected: String,
        /// Who answered.
        received: String,
    },
    /// The authorization server does not say who it is.
    NoIssuer {
        /// Who was asked.
        expected: String,
    },
    /// The person said no, or the authorization server did; with what it said.
    Declined(String),
    /// What came back is not from this login.
    OtherLogin,
    /// It is not the address that the browser was sent to.
    NotTheAddress,
    /// A request would not be encrypted although the server's own address is.
    NotEncrypted {
        /// Its host.
        host: String,
    },
    /// The browser would be sent to something that is no web page: a file, a program, an address with a password.
    NotAPage {
        /// The scheme of the address.
        scheme: String,
    },
    /// The configured secret of the client has no configured authorization server that it may be sent to.
    NoConfiguredIssuer,
    /// A token is too short to be taken out of texts.
    ShortToken,
    /// A request has no answer.
    Request(#[from] EgressError),
    /// The secret of the configured client is missing.
    Secret(#[from] SecretError),
    /// Nobody can return to the port.
    Listen {
        /// The port; 0 for any.
        port: u16,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The file of the login cannot be read or written.
    File {
        /// Its path.
        path: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The file of the login is not what was written.
    Damaged {
        /// Its path.
        path: String,
    },
    /// The file is of another version of Entracte.
    Version {
        /// Its path.
        path: String,
        /// Its version.
        found: u32,
    },
    /// Another process has been changing the login for too long.
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// What rmcp said.
    Says(String),
}
