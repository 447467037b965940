//! Renders login errors in each language of the catalogue. `Display` is English, for logs.

use std::fmt;

use entracte_application::ports::SECRET_LEAST_CHARS;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};

use super::error::McpLoginError;
use super::file::VERSION;
use crate::secret;

impl McpLoginError {
    /// Why there is no login, and the fix.
    pub fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::NoAddress => say!(texts, "login-no-address"),
            Self::OwnAuthorization => say!(texts, "login-own-authorization"),
            Self::NotOffered => say!(texts, "login-not-offered"),
            Self::NoPkce => say!(texts, "login-no-pkce"),
            Self::NoRegistration => say!(texts, "login-no-registration"),
            Self::NotRegistered(why) => say!(texts, "login-not-registered", why = why),
            Self::NotExchanged(why) => say!(texts, "login-not-exchanged", why = why),
            Self::NoAuthorizationServer { named } => say!(texts, "login-no-server", named = named),
            Self::OtherResource { url } => say!(texts, "login-other-resource", url = url),
            Self::OtherIssuer { expected, received } => {
                say!(texts, "login-other-issuer", expected = expected, received = received)
            }
            Self::NoIssuer { expected } => say!(texts, "login-no-issuer", expected = expected),
            Self::Declined(why) => say!(texts, "login-declined", why = why),
            Self::OtherLogin => say!(texts, "login-other-login"),
            Self::NotTheAddress => say!(texts, "login-not-the-address"),
            Self::NotEncrypted { host } => say!(texts, "login-not-encrypted", host = host),
            Self::NotAPage { scheme } => say!(texts, "login-not-a-page", scheme = scheme),
            Self::NoConfiguredIssuer => say!(texts, "login-no-configured-issuer"),
            Self::ShortToken => say!(texts, "login-short-token", least = SECRET_LEAST_CHARS),
            Self::Request(error) => error.message_for_setting(texts, "oauth.allow"),
            Self::Secret(error) => secret::secret_error_message(error, texts),
            Self::Listen { port, cause } => {
                say!(texts, "login-listen", port = port.to_string(), why = cause.to_string())
            }
            Self::File { path, cause } => say!(texts, "login-file", path = path, why = cause.to_string()),
            Self::Damaged { path } => say!(texts, "login-damaged", path = path),
            Self::Version { path, found } => {
                say!(texts, "login-version", path = path, found = *found, known = VERSION)
            }
            Self::Busy { seconds } => say!(texts, "login-busy", seconds = *seconds),
            Self::Says(why) => why.clone(),
        }
    }
}

impl fmt::Display for McpLoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(LocalizedTexts::for_language(Language::En)))
    }
}
