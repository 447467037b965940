//! Errors of logins. No variant contains a token, a code or a secret.

use entracte_application::ports::SecretError;

use crate::egress::EgressError;

/// Why there is no login; [`McpLoginError::message`] renders it with the fix.
#[derive(Debug, thiserror::Error)]
pub enum McpLoginError {
    /// The server is a local program, which has no login.
    NoAddress,
    /// The configuration already provides its authorization.
    OwnAuthorization,
    /// The server does not advertise a login.
    NotOffered,
    /// The authorization server does not support PKCE, which protects the redirect.
    NoPkce,
    /// The authorization server supports no client registration, and no client is configured.
    NoRegistration,
    /// Client registration was refused; with the server's error.
    NotRegistered(String),
    /// The token exchange was refused; with the server's error.
    NotExchanged(String),
    /// None of the authorization servers that the server names can be used.
    NoAuthorizationServer {
        /// Their addresses.
        named: String,
    },
    /// The server's resource metadata describes another resource.
    OtherResource {
        /// The resource it describes.
        url: String,
    },
    /// The callback came from another authorization server than expected.
    OtherIssuer {
        /// The expected issuer.
        expected: String,
        /// The received issuer.
        received: String,
    },
    /// The callback does not name its issuer.
    NoIssuer {
        /// The expected issuer.
        expected: String,
    },
    /// The person or the authorization server declined; with the server's error.
    Declined(String),
    /// The callback does not belong to this login.
    OtherLogin,
    /// The pasted address is not the redirect address.
    NotTheAddress,
    /// A request would not be encrypted although the server's own address is https.
    NotEncrypted {
        /// Its host.
        host: String,
    },
    /// The browser would be sent to something other than a web page: a file, a program, an address with a password.
    NotAPage {
        /// The scheme of the address.
        scheme: String,
    },
    /// A client secret is configured without the authorization server that may receive it.
    NoConfiguredIssuer,
    /// A token is too short to be scrubbed from texts.
    ShortToken,
    /// A request has no answer.
    Request(#[from] EgressError),
    /// The secret of the configured client is missing.
    Secret(#[from] SecretError),
    /// The callback listener could not open the port.
    Listen {
        /// The port; 0 for any.
        port: u16,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The login file cannot be read or written.
    File {
        /// Its path.
        path: String,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The login file is damaged.
    Damaged {
        /// Its path.
        path: String,
    },
    /// The login file was written by another version of Entracte.
    Version {
        /// Its path.
        path: String,
        /// Its format version.
        found: u32,
    },
    /// Another process holds the lock of the login for too long.
    Busy {
        /// How long this process waited, in seconds.
        seconds: u64,
    },
    /// An error text of rmcp.
    Says(String),
}
