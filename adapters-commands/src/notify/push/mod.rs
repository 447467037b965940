//! A message to a browser through the push service of its maker (RFC 8030), encrypted for that browser alone.

mod encryption;
mod vapid;

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::Notification;
use entracte_application::system::sha256;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use self::encryption::{SubscriptionKeys, encrypt};
pub use self::vapid::VapidKey;
use crate::egress::{EgressRequest, parse_url};

/// The most characters of the header `Topic`.
const TOPIC_CHARS: usize = 32;

/// Where the private key of this server is kept.
pub trait VapidKeyStore: Send + Sync {
    /// The key; `None` before the first browser subscribed.
    ///
    /// # Errors
    /// Why it cannot be read, in a text without its content.
    fn find(&self) -> Result<Option<VapidKey>, String>;

    /// The key, which is made if there is none. Of several processes that ask at once, all get the same.
    ///
    /// # Errors
    /// Why it cannot be read or written, in a text without its content.
    fn find_or_create(&self) -> Result<VapidKey, String>;
}

/// How messages go to browsers.
#[derive(Clone)]
pub struct PushPolicy {
    /// The key by which push services know this server.
    pub keys: Arc<dyn VapidKeyStore>,
    /// Where the operator of a push service can reach that of this server: `mailto:…` or `https://…`.
    pub contact: Option<String>,
    /// How long a push service keeps a message for a browser that is off.
    pub ttl: Duration,
}

/// A push subscription of a browser, as a target stores it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PushSubscription<'a> {
    pub(super) endpoint: &'a str,
    pub(super) key: &'a str,
    pub(super) auth: &'a str,
}

impl PushSubscription<'_> {
    /// Whether its keys are those of a browser.
    pub(super) fn has_keys(&self) -> bool {
        SubscriptionKeys::read(self.key, self.auth).is_some()
    }
}

/// The request that sends a notification to a browser.
///
/// # Errors
/// Why there is none, in English, like a log.
pub(super) fn request(
    policy: &PushPolicy,
    subscription: PushSubscription<'_>,
    told: &Notification,
) -> Result<EgressRequest, String> {
    let keys = SubscriptionKeys::read(subscription.key, subscription.auth);
    let keys = keys.ok_or("the subscription has no valid keys")?;
    let endpoint = parse_url(subscription.endpoint).map_err(|error| error.to_string())?;
    let own = policy.keys.find().map_err(|why| {
        // The path is of the machine, and what this returns is shown to readers of the workspace.
        tracing::warn!(%why, "the key file of push messages cannot be used");
        "the key file of push messages cannot be used"
    })?;
    let own = own.ok_or("the key file of push messages is missing")?;
    let body = encrypt(&keys, told.body.as_bytes()).ok_or("it cannot be encrypted")?;
    let authorization = own.authorization(&endpoint, told.at, policy.contact.as_deref());
    let authorization = authorization.ok_or("it cannot be signed")?;
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, authorization);
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("aes128gcm"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(HeaderName::from_static("ttl"), HeaderValue::from(policy.ttl.as_secs()));
    // A person is waited for: the device wakes up for it.
    headers.insert(HeaderName::from_static("urgency"), HeaderValue::from_static("high"));
    // Of two attempts that the push service still keeps, only the later one is delivered.
    let topic: String = sha256(told.id.as_bytes()).as_str().chars().take(TOPIC_CHARS).collect();
    let topic = HeaderValue::from_str(&topic).map_err(|error| error.to_string())?;
    headers.insert(HeaderName::from_static("topic"), topic);
    Ok(EgressRequest { method: Method::POST, headers, body: Some(body), ..EgressRequest::get(endpoint) })
}

#[cfg(test)]
pub(super) mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use entracte_domain::time::Timestamp;
    use ring::agreement::{ECDH_P256, EphemeralPrivateKey};
    use ring::rand::SystemRandom;
    use secrecy::SecretString;

    use super::encryption::tests::decrypt;
    use super::*;

    /// The secret that the browser of these tests shares.
    const AUTH: [u8; 16] = [7; 16];

    /// A key file with this text, or none.
    struct FixedVapidKey(Option<SecretString>);

    impl VapidKeyStore for FixedVapidKey {
        fn find(&self) -> Result<Option<VapidKey>, String> {
            Ok(self.0.as_ref().and_then(VapidKey::read))
        }

        fn find_or_create(&self) -> Result<VapidKey, String> {
            self.find()?.ok_or_else(|| "/data/push-key.pem: it cannot be written".to_owned())
        }
    }

    /// How messages go to browsers in tests: with a new key, or with none.
    pub(crate) fn policy(has_key: bool) -> PushPolicy {
        let key = VapidKey::generate().filter(|_| has_key);
        PushPolicy { keys: Arc::new(FixedVapidKey(key)), contact: None, ttl: Duration::from_secs(3600) }
    }

    /// The keys of a browser, as its subscription shows them, with its private key.
    pub(crate) fn browser_keys() -> (EphemeralPrivateKey, String, String) {
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let key = URL_SAFE_NO_PAD.encode(private.compute_public_key().unwrap());
        (private, key, URL_SAFE_NO_PAD.encode(AUTH))
    }

    fn told(id: &str) -> Notification {
        Notification {
            id: id.into(),
            at: Timestamp(1_795_312_800_000_000),
            title: String::new(),
            text: String::new(),
            click: None,
            actions: Vec::new(),
            body: r#"{"id":"ntf_1","count":1,"page":"/inbox/apr_1?w=ann%3Ahome","test":false}"#.into(),
        }
    }

    /// Input: a notification; expected: a request that only its browser can read, signed for its push service, that the
    /// service keeps for an hour, and replaces when it is sent again.
    #[test]
    fn request_is_encrypted_and_signed() {
        let (private, key, auth) = browser_keys();
        let endpoint = "https://push.example/send/capability";
        let subscription = PushSubscription { endpoint, key: &key, auth: &auth };
        let request = request(&policy(true), subscription, &told("ntf_1")).unwrap();
        assert_eq!((request.method.as_str(), request.url.as_str()), ("POST", endpoint));
        let header = |name: &str| request.headers[name].to_str().unwrap().to_owned();
        assert!(header("authorization").starts_with("vapid t="), "{}", header("authorization"));
        assert_eq!((header("content-encoding"), header("ttl")), ("aes128gcm".into(), "3600".into()));
        assert_eq!(header("topic").len(), TOPIC_CHARS);
        let body = request.body.unwrap();
        assert!(!String::from_utf8_lossy(&body).contains("inbox"));
        assert_eq!(decrypt(private, &AUTH, &body), told("ntf_1").body.as_bytes());

        let (_, key, auth) = browser_keys();
        let subscription = PushSubscription { endpoint, key: &key, auth: &auth };
        let topic = |id: &str| {
            super::request(&policy(true), subscription, &told(id)).unwrap().headers["topic"].clone()
        };
        assert_eq!(topic("ntf_1"), header("topic").as_str());
        assert_ne!(topic("ntf_2"), header("topic").as_str());
    }

    /// Input: wrong keys, and no key file; expected: the reason, and no request.
    #[test]
    fn what_cannot_be_sent_says_why() {
        let (_, key, auth) = browser_keys();
        let endpoint = "https://push.example/send/capability";
        let sent = |policy: PushPolicy, key: &str| {
            let subscription = PushSubscription { endpoint, key, auth: &auth };
            super::request(&policy, subscription, &told("ntf_1")).unwrap_err()
        };
        assert!(sent(policy(true), "BA").contains("valid keys"));
        assert!(sent(policy(false), &key).contains("key file"));
    }
}
