//! The API key of a provider: its source, the header that carries it, and its removal from everything shown.

use std::sync::Arc;

use entracte_application::ports::{SecretError, SecretReference, SecretStore};
use entracte_application::system::SecretScrubber;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::profiles::KeyHeader;

/// Source of a key and how the key is sent. Holds no secret.
#[derive(Clone)]
pub(crate) struct ApiKeySource {
    /// The store that resolves the reference.
    pub(crate) secrets: Arc<dyn SecretStore>,
    /// The reference to the key; `None` if no key is sent.
    pub(crate) reference: Option<SecretReference>,
    /// The header that carries the key.
    pub(crate) header: KeyHeader,
}

impl ApiKeySource {
    /// The current key. It is read at every call, so a renewed key needs no restart.
    pub(crate) fn key(&self) -> Result<Option<SecretString>, SecretError> {
        self.reference.as_ref().map(|reference| self.secrets.secret(reference)).transpose()
    }

    /// The header with the key; `None` if the key is not a valid header value.
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

    /// Describes the source of the key, for people.
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

/// The text without the key, in case a server echoed it in any encoding.
pub(crate) fn scrub_key(text: &str, key: Option<&SecretString>) -> String {
    SecretScrubber::new(key.cloned().into_iter().collect()).scrub_owned(text.to_owned())
}
