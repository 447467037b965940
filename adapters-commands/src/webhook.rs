//! Messages signed as Standard Webhooks 1 defines: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
//!
//! The signature is an HMAC-SHA256 of `id.timestamp.body`, over the body as sent. Callers pass the time: this module
//! reads no clock, so its result is reproducible.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entracte_application::ports::SignedMessage;
use entracte_domain::time::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

/// The optional prefix of a key.
const PREFIX: &str = "whsec_";
/// The allowed key length, in bytes.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// The most seconds by which the timestamp may differ from the current time.
const TOLERANCE_SECONDS: i64 = 5 * 60;
/// The most signatures checked in a message; during a key rotation one is sent for each key.
const SIGNATURES_MAX: usize = 8;

/// A signing key.
#[derive(Debug)]
pub(crate) struct WebhookSigningKey(hmac::Key);

impl WebhookSigningKey {
    /// The key in a secret, in base64 with or without the prefix `whsec_`; `None` if it is not a key.
    pub(crate) fn read(secret: &SecretString) -> Option<Self> {
        let text = secret.expose_secret().trim();
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX).unwrap_or(text)).ok()?;
        KEY_BYTES.contains(&bytes.len()).then(|| Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    /// A fixed placeholder key: verifying with it takes as long as with a real one. Its result must not be used.
    pub(crate) fn dummy() -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, &[0x5a; 32]))
    }

    /// The headers of a message with this body; `None` if the id cannot be a header.
    pub(crate) fn headers(&self, id: &str, at: Timestamp, body: &[u8]) -> Option<HeaderMap> {
        let seconds = seconds(at).to_string();
        let signature = STANDARD.encode(hmac::sign(&self.0, &sign(id, &seconds, body)));
        let own = [
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", seconds),
            ("webhook-signature", format!("v1,{signature}")),
        ];
        let mut headers = HeaderMap::new();
        for (name, value) in own {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?);
        }
        Some(headers)
    }
}

/// Whether one of the keys signed the message, with a timestamp near `now`. Compares every signature with every key
/// in constant time, so that timing does not reveal which of them nearly matched.
pub(crate) fn verify_signature(keys: &[WebhookSigningKey], message: &SignedMessage, now: Timestamp) -> bool {
    let given = sign(&message.id, &message.timestamp, &message.body);
    let signatures = message.signature.split(' ').filter_map(|one| one.strip_prefix("v1,"));
    let mut is_signed = false;
    for signature in signatures.take(SIGNATURES_MAX) {
        let bytes = STANDARD.decode(signature).unwrap_or_default();
        for key in keys {
            is_signed |= hmac::verify(&key.0, &given, &bytes).is_ok();
        }
    }
    is_signed && is_recent(&message.timestamp, now)
}

fn is_recent(timestamp: &str, now: Timestamp) -> bool {
    let is_plain = !timestamp.is_empty() && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let said = timestamp.parse::<i64>().ok().filter(|_| is_plain);
    said.is_some_and(|said| seconds(now).abs_diff(said) <= TOLERANCE_SECONDS.unsigned_abs())
}

fn seconds(at: Timestamp) -> i64 {
    at.0.div_euclid(1_000_000)
}

fn sign(id: &str, seconds: &str, body: &[u8]) -> Vec<u8> {
    let mut all = format!("{id}.{seconds}.").into_bytes();
    all.extend_from_slice(body);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const NOW: Timestamp = Timestamp(1_795_312_800_000_000);

    fn key(secret: &str) -> WebhookSigningKey {
        WebhookSigningKey::read(&SecretString::from(secret)).unwrap()
    }

    fn message(key: &WebhookSigningKey, at: Timestamp, body: &str) -> SignedMessage {
        let headers = key.headers("msg_1", at, body.as_bytes()).unwrap();
        let text = |name: &str| headers[name].to_str().unwrap().to_owned();
        SignedMessage {
            id: text("webhook-id"),
            timestamp: text("webhook-timestamp"),
            signature: text("webhook-signature"),
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn signature_matches_standard_webhooks_vector() {
        let library = standardwebhooks::Webhook::new(SECRET).unwrap();
        let theirs = library.sign("msg_1", 1_795_312_800, br#"{"a":1}"#).unwrap();
        assert_eq!(message(&key(SECRET), NOW, r#"{"a":1}"#).signature, theirs);
    }

    #[test]
    fn only_recent_message_signed_by_known_key_verifies() {
        let (old, new) = (key(SECRET), key("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
        let good = message(&new, NOW, "{}");
        let change = |change: &dyn Fn(&mut SignedMessage)| {
            let mut changed = good.clone();
            change(&mut changed);
            changed
        };
        let seconds = |count: i64| Timestamp(NOW.0 + count * 1_000_000);
        let both = [old, new];
        let cases = [
            ("as it was sent", good.clone(), true),
            ("beside another signature", change(&|m| m.signature = format!("v1,AAAA {}", m.signature)), true),
            ("300 s old", message(&both[1], seconds(-300), "{}"), true),
            ("301 s old", message(&both[1], seconds(-301), "{}"), false),
            ("301 s ahead", message(&both[1], seconds(301), "{}"), false),
            ("another body", change(&|m| m.body = b"{ }".to_vec()), false),
            ("another id", change(&|m| m.id = "msg_2".into()), false),
            ("another instant", change(&|m| m.timestamp = "1795312801".into()), false),
            ("an instant with a sign", change(&|m| m.timestamp = "+1795312800".into()), false),
            ("no signature", change(&|m| m.signature = String::new()), false),
            ("another version", change(&|m| m.signature = m.signature.replace("v1,", "v1a,")), false),
            ("the key of nobody", message(&WebhookSigningKey::dummy(), NOW, "{}"), false),
        ];
        for (what, message, expected) in cases {
            assert_eq!(verify_signature(&both, &message, NOW), expected, "{what}");
        }
        assert!(!verify_signature(&both[..1], &good, NOW), "the key of somebody else");
        assert!(!verify_signature(&[], &good, NOW), "no key");
    }

    #[test]
    fn secret_that_is_not_key_is_none() {
        for wrong in ["", "whsec_", "whsec_short", "not base64 at all !!!!!!!!!!!!!!!!!!"] {
            assert!(WebhookSigningKey::read(&SecretString::from(wrong)).is_none(), "{wrong}");
        }
        assert!(WebhookSigningKey::read(&SecretString::from(SECRET.trim_start_matches(PREFIX))).is_some());
    }
}
