//! Why a request has no answer. No variant holds a header, a body, or more of an address than its host.

use std::net::IpAddr;
use std::time::Duration;

use super::address::AddressClass;

/// Why a request has no answer. [`EgressError::said`] puts it in words, with the host and how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// The text is not an address that may be called.
    Url {
        /// What is wrong.
        problem: UrlProblem,
    },
    /// The host is not public, and not allowed by name.
    Refused {
        /// The host, with its port when the address names one.
        host: String,
        /// The address that was refused; none when the name itself is.
        address: Option<IpAddr>,
        /// The class of the address.
        class: AddressClass,
    },
    /// The host name was not resolved.
    Unresolved {
        /// The host.
        host: String,
        /// What the resolver said; none when it knows the name without an address.
        cause: Option<String>,
    },
    /// No connection was made; nothing was sent.
    Unreachable {
        /// The host.
        host: String,
        /// What the system said; none when the time for connecting ran out.
        cause: Option<String>,
    },
    /// The request cannot be built; nothing was sent.
    Unwritable {
        /// The host.
        host: String,
        /// What is wrong with it.
        cause: String,
    },
    /// The connection broke before the whole answer arrived.
    Cut {
        /// The host.
        host: String,
        /// What the system said.
        cause: String,
    },
    /// The time limit passed; the connection was closed.
    TimedOut {
        /// The host of the first address.
        host: String,
        /// The time allowed.
        after: Duration,
        /// The request may have been sent.
        sent: bool,
    },
    /// The answer is too large; the connection was closed.
    TooLarge {
        /// The host.
        host: String,
        /// The status that the answer began with.
        status: u16,
        /// The limit.
        limit_bytes: usize,
    },
    /// More redirects than are followed.
    TooManyRedirects {
        /// The last host.
        host: String,
        /// How many are followed.
        most: usize,
    },
    /// A redirect to an address that was already called.
    RedirectLoop {
        /// The last host.
        host: String,
    },
    /// A redirect that is not followed.
    RedirectRefused {
        /// The host.
        host: String,
        /// The status.
        status: u16,
        /// The host it redirects to.
        to: String,
        /// Why it is not followed.
        problem: RedirectProblem,
    },
    /// An error behind a redirect.
    Redirected {
        /// The host that redirected.
        from: String,
        /// What went wrong there.
        source: Box<EgressError>,
    },
}

/// Why an address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlProblem {
    /// Longer than any address that is read.
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It is not a URL; with what the parser said.
    Unreadable(String),
    /// Another scheme than http and https.
    Scheme(String),
    /// It contains a user name or a password.
    User,
    /// It has no host.
    NoHost,
    /// A redirect led to text that is not a URL; with what the parser said.
    RedirectUnreadable(String),
    /// A redirect led to bytes that are not text.
    RedirectNotUtf8,
}

/// Why a redirect is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectProblem {
    /// It would repeat an action.
    Action,
    /// It leads from https to http.
    NotEncrypted,
}

impl EgressError {
    /// Whether a peer may have carried the request out.
    pub fn may_have_been_processed(&self) -> bool {
        match self {
            Self::Url { .. }
            | Self::Refused { .. }
            | Self::Unresolved { .. }
            | Self::Unreachable { .. }
            | Self::Unwritable { .. } => false,
            // Only these say that the same request is to be made elsewhere. What has carried a form out also answers
            // with one of the others, and shows by it where to look next (RFC 9110, 15.4).
            Self::RedirectRefused { status, .. } => !matches!(status, 307 | 308),
            Self::TimedOut { sent, .. } => *sent,
            Self::Cut { .. }
            | Self::TooLarge { .. }
            | Self::TooManyRedirects { .. }
            | Self::RedirectLoop { .. }
            | Self::Redirected { .. } => true,
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unresolved { .. } | Self::Unreachable { .. } | Self::Cut { .. } | Self::TimedOut { .. } => {
                true
            }
            Self::Url { .. }
            | Self::Refused { .. }
            | Self::Unwritable { .. }
            | Self::TooLarge { .. }
            | Self::TooManyRedirects { .. }
            | Self::RedirectLoop { .. }
            | Self::RedirectRefused { .. } => false,
            Self::Redirected { source, .. } => source.is_retryable(),
        }
    }
}
