//! Errors of the egress client. No variant contains a header, a body, or more of a URL than its host.

use std::net::IpAddr;
use std::time::Duration;

use super::address::AddressClass;

/// Why a request has no answer. [`EgressError::message`] renders it with the host and the fix.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// The text is not a URL that may be called.
    Url {
        /// The fault of the URL.
        problem: UrlProblem,
    },
    /// The host is neither public nor allowed by name.
    Refused {
        /// The host, with its port if the URL has one.
        host: String,
        /// The refused address; `None` if the name itself is refused.
        address: Option<IpAddr>,
        /// The class of the address.
        class: AddressClass,
    },
    /// The host name could not be resolved.
    Unresolved {
        /// The host of the request.
        host: String,
        /// The resolver's error; `None` if the name exists but has no address.
        cause: Option<String>,
    },
    /// No connection could be made; nothing was sent.
    Unreachable {
        /// The host of the request.
        host: String,
        /// The system's error; `None` if the connect time-out passed.
        cause: Option<String>,
    },
    /// The request could not be built; nothing was sent.
    Unwritable {
        /// The host of the request.
        host: String,
        /// The fault.
        cause: String,
    },
    /// The connection broke before the whole answer arrived.
    Cut {
        /// The host of the request.
        host: String,
        /// The system's error.
        cause: String,
    },
    /// The time limit passed; the connection was closed.
    TimedOut {
        /// The host of the first URL.
        host: String,
        /// The time-out.
        after: Duration,
        /// Whether the request may have been sent.
        sent: bool,
    },
    /// The answer exceeds the size limit; the connection was closed.
    TooLarge {
        /// The host of the request.
        host: String,
        /// The status of the answer.
        status: u16,
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// More redirects than the limit.
    TooManyRedirects {
        /// The last host.
        host: String,
        /// The limit.
        most: usize,
    },
    /// A redirect to a URL that this request called already.
    RedirectLoop {
        /// The last host.
        host: String,
    },
    /// A redirect that the client does not follow.
    RedirectRefused {
        /// The host of the request.
        host: String,
        /// The status of the redirect.
        status: u16,
        /// The host it redirects to.
        to: String,
        /// Why the client does not follow it.
        problem: RedirectProblem,
    },
    /// An error after a redirect.
    Redirected {
        /// The host that redirected.
        from: String,
        /// The error at the target.
        source: Box<EgressError>,
    },
}

/// Why a URL cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlProblem {
    /// It exceeds the length limit.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// It is not a URL; with the parser's error.
    Unreadable(String),
    /// Its scheme is neither http nor https.
    Scheme(String),
    /// It contains a user name or a password.
    User,
    /// It has no host.
    NoHost,
    /// A redirect target that is not a URL; with the parser's error.
    RedirectUnreadable(String),
    /// A redirect target that is not UTF-8.
    RedirectNotUtf8,
}

/// Why the client does not follow a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectProblem {
    /// Following it would repeat an action.
    Action,
    /// It leads from https to http.
    NotEncrypted,
}

impl EgressError {
    /// Whether a peer may have carried out the request.
    pub fn may_have_been_processed(&self) -> bool {
        match self {
            Self::Url { .. }
            | Self::Refused { .. }
            | Self::Unresolved { .. }
            | Self::Unreachable { .. }
            | Self::Unwritable { .. } => false,
            // Only 307 and 308 ask to repeat the same request elsewhere. A server that has carried out a form may
            // answer with one of the others to show where to look next (RFC 9110, 15.4).
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
