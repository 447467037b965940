//! The header of a bearer token.

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};

/// The value of `Authorization` for a token, marked as secret; `None` if the token cannot be a header.
pub(crate) fn bearer_header(token: &SecretString) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret().trim())).ok()?;
    value.set_sensitive(true);
    Some(value)
}
