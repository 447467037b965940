//! A signed POST, as Standard Webhooks 1 says: `webhook-id`, `webhook-timestamp`, `webhook-signature`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entracte_application::ports::Notification;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

use crate::egress::EgressRequest;

/// What a key may begin with.
const PREFIX: &str = "whsec_";
/// How long a key is, in bytes.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The key that a secret holds; none where it is none.
pub(super) fn key(secret: &SecretString) -> Option<hmac::Key> {
    let text = secret.expose_secret().trim();
    let bytes = STANDARD.decode(text.strip_prefix(PREFIX).unwrap_or(text)).ok()?;
    KEY_BYTES.contains(&bytes.len()).then(|| hmac::Key::new(hmac::HMAC_SHA256, &bytes))
}

/// The request; none where the secret is no key.
pub(super) fn request(url: &str, secret: &SecretString, told: &Notification) -> Option<EgressRequest> {
    let seconds = told.at.0.div_euclid(1_000_000).to_string();
    let signed = format!("{}.{seconds}.{}", told.id, told.body);
    let signature = STANDARD.encode(hmac::sign(&key(secret)?, signed.as_bytes()));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let own = [
        ("webhook-id", told.id.clone()),
        ("webhook-timestamp", seconds),
        ("webhook-signature", format!("v1,{signature}")),
    ];
    for (name, value) in own {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?);
    }
    let body = Some(told.body.clone().into_bytes());
    Some(EgressRequest { method: Method::POST, headers, body, ..EgressRequest::get(url) })
}
