//! Renders egress errors in each language of the catalogue.

use std::fmt;
use std::net::IpAddr;

use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedMessage, LocalizedTexts, say, saying};

use super::address::AddressClass;
use super::endpoint_check::URL_MAX_BYTES;
use super::error::{EgressError, RedirectProblem, UrlProblem};

impl EgressError {
    /// The error and its fix, in the language of `texts`.
    pub fn message(&self, texts: &LocalizedTexts) -> String {
        self.message_for_setting(texts, "tools.http.allow")
    }

    /// Like [`EgressError::message`], naming `setting` as the setting that allows hosts.
    pub(crate) fn message_for_setting(&self, texts: &LocalizedTexts, setting: &str) -> String {
        match self {
            Self::Url { problem } => say!(texts, "tools-url", problem = problem.message(texts)),
            Self::Refused { host, address, class } => refused(texts, host, *address, *class, setting),
            Self::Unresolved { host, cause } => {
                let why = cause.clone().unwrap_or_else(|| say!(texts, "tools-no-address"));
                say!(texts, "tools-unresolved", host = host, why = why)
            }
            Self::Unreachable { host, cause } => {
                let why = cause.clone().unwrap_or_else(|| say!(texts, "tools-connect-timeout"));
                say!(texts, "tools-unreachable", host = host, why = why)
            }
            Self::Unwritable { host, cause } => say!(texts, "tools-unwritable", host = host, why = cause),
            Self::Cut { host, cause } => say!(texts, "tools-cut", host = host, why = cause),
            Self::TimedOut { host, after, .. } => {
                say!(texts, "tools-timed-out", host = host, seconds = after.as_secs_f64().to_string())
            }
            Self::TooLarge { host, status, limit_bytes } => {
                let status = u32::from(*status);
                say!(texts, "tools-too-large", host = host, status = status, limit = *limit_bytes)
            }
            Self::TooManyRedirects { host, most } => {
                say!(texts, "tools-too-many-redirects", host = host, most = *most)
            }
            Self::RedirectLoop { host } => say!(texts, "tools-redirect-loop", host = host),
            Self::RedirectRefused { host, status, to, problem } => {
                let (status, why) = (u32::from(*status), problem.message(texts));
                say!(texts, "tools-redirect-refused", host = host, status = status, to = to, why = why)
            }
            Self::Redirected { from, source } => {
                say!(texts, "tools-redirected", from = from, why = source.message_for_setting(texts, setting))
            }
        }
    }
}

/// English, for logs; people and models get [`EgressError::message`].
impl fmt::Display for EgressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(LocalizedTexts::for_language(Language::En)))
    }
}

/// A network in the settings never allows instance metadata, so the fix names its own address.
fn refused(
    texts: &LocalizedTexts,
    host: &str,
    address: Option<IpAddr>,
    class: AddressClass,
    setting: &str,
) -> String {
    let what = match address {
        Some(address) => say!(texts, "tools-refused-address", address = address.to_string()),
        None => say!(texts, "tools-refused-name"),
    };
    let name = match (class, address) {
        (AddressClass::Metadata, Some(address)) => address.to_string(),
        _ => host.to_owned(),
    };
    let class = say!(texts, "tools-class", class = word(class));
    say!(texts, "tools-refused", host = host, what = what, class = class, setting = setting, name = name)
}

/// The catalogue key of a class.
fn word(class: AddressClass) -> &'static str {
    match class {
        AddressClass::Loopback => "loopback",
        AddressClass::Private => "private",
        AddressClass::LinkLocal => "link-local",
        AddressClass::UniqueLocal => "unique-local",
        AddressClass::Shared => "shared",
        AddressClass::Multicast => "multicast",
        AddressClass::Broadcast => "broadcast",
        AddressClass::Unspecified => "unspecified",
        AddressClass::Documentation => "documentation",
        AddressClass::Benchmarking => "benchmarking",
        AddressClass::Metadata => "metadata",
        AddressClass::Reserved => "reserved",
    }
}

impl UrlProblem {
    fn message(&self, texts: &LocalizedTexts) -> String {
        self.saying().render(texts)
    }

    /// The fault as a message to be rendered once the language is known.
    pub(crate) fn saying(&self) -> LocalizedMessage {
        match self {
            Self::TooLong { bytes } => saying!("tools-url-long", bytes = *bytes, most = URL_MAX_BYTES),
            Self::Unreadable(why) => saying!("tools-url-unreadable", why = why),
            Self::Scheme(scheme) => saying!("tools-url-scheme", scheme = scheme),
            Self::User => saying!("tools-url-user"),
            Self::NoHost => saying!("tools-url-no-host"),
            Self::RedirectUnreadable(why) => saying!("tools-url-redirect", why = why),
            Self::RedirectNotUtf8 => saying!("tools-url-not-utf8"),
        }
    }
}

impl RedirectProblem {
    fn message(self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Action => say!(texts, "tools-redirect-action"),
            Self::NotEncrypted => say!(texts, "tools-redirect-plain"),
        }
    }
}
