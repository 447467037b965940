//! Why a request has no answer. No variant holds a header, a body, or more of an address than its host.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use super::address::AddressClass;

/// Why a request has no answer, with the host and the mend.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// The text is no address that may be called.
    #[error("the address cannot be used: {problem}; {mend}")]
    Url {
        /// What is wrong.
        problem: String,
        /// What to do.
        mend: &'static str,
    },
    /// The host is not public, and not allowed by name.
    #[error("“{host}” is not called: {} is {class}; {}", Place(*address), mend(host, *class, *address))]
    Refused {
        /// The host, with its port when the address names one.
        host: String,
        /// The address that was refused; none when the name itself is.
        address: Option<IpAddr>,
        /// What it is.
        class: AddressClass,
    },
    /// The host has no address.
    #[error("the name “{host}” cannot be resolved: {cause}; check its spelling and the network")]
    Unresolved {
        /// The host.
        host: String,
        /// Why.
        cause: String,
    },
    /// There is no connection; nothing was sent.
    #[error("“{host}” cannot be reached: {cause}")]
    Unreachable {
        /// The host.
        host: String,
        /// Why.
        cause: String,
    },
    /// The request cannot be written; nothing was sent.
    #[error("the request to “{host}” cannot be written: {cause}")]
    Unwritable {
        /// The host.
        host: String,
        /// Why.
        cause: String,
    },
    /// The connection broke before the whole answer was there.
    #[error("the connection to “{host}” broke before the whole answer was there: {cause}")]
    Cut {
        /// The host.
        host: String,
        /// Why.
        cause: String,
    },
    /// The time is over; the connection was closed.
    #[error("no whole answer of “{host}” within {} s", after.as_secs_f64())]
    TimedOut {
        /// The host of the first address.
        host: String,
        /// The time allowed.
        after: Duration,
        /// The request may have been sent.
        sent: bool,
    },
    /// The answer is too large; the connection was closed.
    #[error(
        "the answer of “{host}” (status {status}) is larger than {limit_bytes} bytes; \
             ask for less, or raise the limit"
    )]
    TooLarge {
        /// The host.
        host: String,
        /// The status it began with.
        status: u16,
        /// The limit.
        limit_bytes: usize,
    },
    /// More redirects than are followed.
    #[error("“{host}” sends on more than {most} times; use the address where it ends")]
    TooManyRedirects {
        /// The last host.
        host: String,
        /// How many are followed.
        most: usize,
    },
    /// A redirect back to where it came from.
    #[error("“{host}” sends on in a circle")]
    RedirectLoop {
        /// The last host.
        host: String,
    },
    /// A redirect that is not followed: it would repeat the action, or leave the encrypted way.
    #[error(
        "“{host}” answered {status} and sends on to “{to}”: {problem}; \
             if that address is right, use it in the first place"
    )]
    RedirectRefused {
        /// The host.
        host: String,
        /// The status.
        status: u16,
        /// The host it sends on to.
        to: String,
        /// Why it is not followed.
        problem: &'static str,
    },
    /// Something behind a redirect.
    #[error("“{from}” sends on, and then: {source}")]
    Redirected {
        /// Who sent on.
        from: String,
        /// What went wrong there.
        source: Box<EgressError>,
    },
}

impl EgressError {
    /// Whether a peer may have carried the request out.
    pub fn may_have_happened(&self) -> bool {
        match self {
            Self::Url { .. }
            | Self::Refused { .. }
            | Self::Unresolved { .. }
            | Self::Unreachable { .. }
            | Self::Unwritable { .. }
            // The peer said that it is elsewhere.
            | Self::RedirectRefused { .. } => false,
            Self::TimedOut { sent, .. } => *sent,
            Self::Cut { .. }
            | Self::TooLarge { .. }
            | Self::TooManyRedirects { .. }
            | Self::RedirectLoop { .. }
            | Self::Redirected { .. } => true,
        }
    }

    /// Whether the same request may have an answer later.
    pub fn may_pass(&self) -> bool {
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
            Self::Redirected { source, .. } => source.may_pass(),
        }
    }
}

/// The address, or the name when that alone was enough.
struct Place(Option<IpAddr>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => write!(f, "its address {address}"),
            None => f.write_str("the name"),
        }
    }
}

/// A network never opens the metadata of the machine, so its mend is the address.
fn mend(host: &str, class: AddressClass, address: Option<IpAddr>) -> String {
    let name = match (class, address) {
        (AddressClass::Metadata, Some(address)) => address.to_string(),
        _ => host.to_owned(),
    };
    format!("if it is meant, allow it by name: tools.http.allow = [\"{name}\"]")
}
