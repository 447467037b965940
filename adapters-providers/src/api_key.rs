//! The key of a provider: where it is kept, the header that carries it, and its removal from everything shown.

use std::sync::Arc;

use entracte_application::ports::{SecretError, SecretReference, SecretStore};
use entracte_application::system::SecretScrubber;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::profiles::KeyHeader;

/// Where a key is kept and how it is sent. Holds no secret.
#[derive(Clone)]
pub(crate) struct ApiKeySource {
    /// The store.
    pub(crate) secrets: Arc<dyn SecretStore>,
    /// Its reference; none when no key is sent.
    pub(crate) reference: Option<SecretReference>,
    /// The header.
    pub(crate) header: KeyHeader,
}

impl ApiKeySource {
    /// The key as it is now; it is read at every call, so a renewed key needs no restart.
    pub(crate) fn key(&self) -> Result<Option<SecretString>, SecretError> {
        self.reference.as_ref().map(|reference| self.secrets.secret(reference)).transpose()
    }

    /// The header that carries it; none when it cannot be put into one.
    pub(crate) fn header(&self, key: &SecretString) -> Option<(HeaderName, HeaderValue)> {
        let (name, text) = match self.header {
            KeyHeader::XApiKey => (HeaderName::from_static("x-api-key"), key.expose_secret().to_owned()),
            KeyHeader::ApiKey => (HeaderName::from_static("api-key"), key.expose_secret().to_owned()),
            KeyHeader::Bearer => (AUTHORIZATION, format!("Bearer {}", key.expose_secret())),
        };
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    }

    /// Where it is kept, for people.
    pub(crate) fn describe(&self, entry: &str) -> String {
        match &self.reference {
            Some(SecretReference::Environment(name)) => {
                format!("the variable {name} (providers.{entry}.api_key_env)")
            }
            Some(SecretReference::File(path)) => format!("the file {path} (providers.{entry}.api_key_file)"),
            Some(SecretReference::Command(program)) => {
                format!("what {} prints (providers.{entry}.api_key_command)", program.name())
            }
            None => format!("none is set; if it needs one, set providers.{entry}.api_key_env"),
        }
    }
}

/// The text without the key, should a server have echoed it, in whichever way.
pub(crate) fn scrub_key(text: &str, key: Option<&SecretString>) -> String {
    SecretScrubber::new(key.cloned().into_iter().collect()).scrub_owned(text.to_owned())
}
