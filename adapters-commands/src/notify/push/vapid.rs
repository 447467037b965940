//! The key by which push services know this server, and what it signs for them (VAPID, RFC 8292).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use entracte_domain::time::Timestamp;
use reqwest::header::HeaderValue;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use url::Url;

/// The first and the last line of a private key.
const PEM: (&str, &str) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
/// Characters of a line between them.
const PEM_LINE: usize = 64;
/// How long a signed token is valid, in seconds; a push service accepts 24 hours at most.
const TOKEN_LASTS: i64 = 12 * 60 * 60;

/// A private key of P-256, by which push services know this server.
#[derive(Debug)]
pub struct VapidKey(EcdsaKeyPair);

impl VapidKey {
    /// A new key, as the text of its file: PKCS #8 in PEM. `None` if the machine provides no random numbers.
    pub fn generate() -> Option<SecretString> {
        let made =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).ok()?;
        let encoded = STANDARD.encode(made);
        let (mut text, mut rest) = (format!("{}\n", PEM.0), encoded.as_str());
        while !rest.is_empty() {
            let (line, after) = rest.split_at(PEM_LINE.min(rest.len()));
            text = format!("{text}{line}\n");
            rest = after;
        }
        Some(SecretString::from(format!("{text}{}\n", PEM.1)))
    }

    /// Reads a key from the text of its file; `None` if it is not one.
    pub fn read(text: &SecretString) -> Option<Self> {
        let inner = text.expose_secret().trim().strip_prefix(PEM.0)?.strip_suffix(PEM.1)?;
        let encoded: String = inner.split_whitespace().collect();
        let bytes = STANDARD.decode(encoded).ok()?;
        let random = SystemRandom::new();
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &random).ok().map(Self)
    }

    /// The public key by which browsers subscribe: uncompressed, in base64url.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// The header by which this server is known to the push service of an address; `None` if it cannot be signed.
    /// `contact` is where the operator of a push service can reach that of this server.
    pub(super) fn authorization(
        &self,
        endpoint: &Url,
        at: Timestamp,
        contact: Option<&str>,
    ) -> Option<HeaderValue> {
        let expires = at.0.div_euclid(1_000_000).saturating_add(TOKEN_LASTS);
        let mut claims = json!({ "aud": endpoint.origin().ascii_serialization(), "exp": expires });
        if let Some(contact) = contact {
            claims["sub"] = json!(contact);
        }
        let head = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature));
        let mut value = HeaderValue::from_str(&format!("vapid t={token}, k={}", self.public())).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use serde_json::Value;

    use super::*;

    const NOON: Timestamp = Timestamp(1_795_176_000_000_000);

    /// Input: a new key, read back from its text; expected: a token for the push service alone, for 12 hours, that the
    /// public key verifies.
    #[test]
    fn token_is_signed_for_one_push_service() {
        let key = VapidKey::read(&VapidKey::generate().unwrap()).unwrap();
        let endpoint = Url::parse("https://push.example:8443/send/secret-path").unwrap();
        let header = key.authorization(&endpoint, NOON, Some("mailto:ann@example.org")).unwrap();
        assert!(header.is_sensitive());
        let header = header.to_str().unwrap();
        let (token, public) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(public, key.public());
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let verifier = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, bytes(public));
        verifier.verify(signed.as_bytes(), &bytes(signature)).unwrap();
        let (head, claims) = signed.split_once('.').unwrap();
        let parsed = |text: &str| serde_json::from_slice::<Value>(&bytes(text)).unwrap();
        assert_eq!(parsed(head), json!({ "typ": "JWT", "alg": "ES256" }));
        let expected = json!({
            "aud": "https://push.example:8443", "exp": 1_795_176_000 + 43_200, "sub": "mailto:ann@example.org",
        });
        assert_eq!(parsed(claims), expected);
        let silent = key.authorization(&endpoint, NOON, None).unwrap();
        let claims = silent.to_str().unwrap().split('.').nth(1).unwrap();
        assert_eq!(parsed(claims).get("sub"), None);
    }

    #[test]
    fn only_a_private_key_is_read() {
        let text = VapidKey::generate().unwrap();
        let text = text.expose_secret();
        assert!(text.lines().all(|line| line.len() <= PEM_LINE), "{}", text.lines().count());
        for wrong in ["", "secret", PEM.0, &text.replace("PRIVATE", "PUBLIC"), &text.replacen('M', "A", 1)] {
            assert!(VapidKey::read(&SecretString::from(wrong)).is_none());
        }
        assert!(VapidKey::read(&SecretString::from(format!("\n{text}\r\n"))).is_some());
    }
}
