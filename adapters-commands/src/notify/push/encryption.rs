//! Encrypts a message for one browser, so that its push service carries what it cannot read (RFC 8291 over RFC 8188).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

/// The length of a public key of P-256, uncompressed, in bytes.
const PUBLIC_BYTES: usize = 65;
/// The first byte of such a key.
const UNCOMPRESSED: u8 = 4;
/// The length of the secret that a browser shares with its subscribers, in bytes.
const AUTH_BYTES: usize = 16;
/// The length of the salt of a message, in bytes.
const SALT_BYTES: usize = 16;
/// The length of a content encryption key, in bytes.
const CONTENT_KEY_BYTES: usize = 16;
/// The length of the derived input key, in bytes.
const INPUT_KEY_BYTES: usize = 32;
/// The record size that a message declares. A push service must accept messages up to it, in bytes.
const RECORD_BYTES: u32 = 4096;
/// The length of the header of a message, in bytes: its salt, the record size, the length of the key, and the key.
const HEADER_BYTES: usize = SALT_BYTES + size_of::<u32>() + 1 + PUBLIC_BYTES;
/// The length of the tag behind an encrypted record, in bytes.
const TAG_BYTES: usize = 16;
/// Marks the end of the last record, in one byte.
const LAST_RECORD: u8 = 2;
/// The longest text of a message that has the record size: without the header, the tag and the mark, in bytes.
pub(super) const TEXT_MAX_BYTES: usize = RECORD_BYTES as usize - HEADER_BYTES - TAG_BYTES - 1;
/// What the input key is derived for, before both public keys.
const INPUT_KEY_INFO: &[u8] = b"WebPush: info\0";
/// What the content encryption key is derived for.
const CONTENT_KEY_INFO: &[u8] = b"Content-Encoding: aes128gcm\0";
/// What the nonce is derived for.
const NONCE_INFO: &[u8] = b"Content-Encoding: nonce\0";

/// The keys of a subscription, as its browser made them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SubscriptionKeys {
    public: [u8; PUBLIC_BYTES],
    auth: [u8; AUTH_BYTES],
}

impl SubscriptionKeys {
    /// Reads the keys `p256dh` and `auth` of a subscription, in base64url; `None` if they are not such keys.
    pub(super) fn read(public: &str, auth: &str) -> Option<Self> {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let public: [u8; PUBLIC_BYTES] = bytes(public)?.try_into().ok()?;
        let auth: [u8; AUTH_BYTES] = bytes(auth)?.try_into().ok()?;
        (public[0] == UNCOMPRESSED).then_some(Self { public, auth })
    }
}

/// Encrypts a text for a subscription; `None` if it is too long, or its public key is not on the curve.
///
/// Key and salt are new for each message. `ring` draws the key itself: it accepts no other source of randomness.
pub(super) fn encrypt(keys: &SubscriptionKeys, text: &[u8]) -> Option<Vec<u8>> {
    let random = SystemRandom::new();
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &random).ok()?;
    let own_public: [u8; PUBLIC_BYTES] = own.compute_public_key().ok()?.as_ref().try_into().ok()?;
    let mut salt = [0; SALT_BYTES];
    random.fill(&mut salt).ok()?;
    let sender = MessageKeys { own_public, salt };
    let peer = UnparsedPublicKey::new(&ECDH_P256, keys.public);
    agree_ephemeral(own, &peer, |shared| seal(keys, &sender, shared, text)).ok()?
}

/// The public key and the salt of one message, which its header contains.
struct MessageKeys {
    own_public: [u8; PUBLIC_BYTES],
    salt: [u8; SALT_BYTES],
}

/// The message: the header, and one encrypted record.
fn seal(keys: &SubscriptionKeys, sender: &MessageKeys, shared: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    if text.len() > TEXT_MAX_BYTES {
        return None;
    }
    let mut input = [0; INPUT_KEY_BYTES];
    derive(&keys.auth, shared, &[INPUT_KEY_INFO, &keys.public, &sender.own_public], &mut input)?;
    let mut content_key = [0; CONTENT_KEY_BYTES];
    derive(&sender.salt, &input, &[CONTENT_KEY_INFO], &mut content_key)?;
    let mut nonce = [0; NONCE_LEN];
    derive(&sender.salt, &input, &[NONCE_INFO], &mut nonce)?;

    let mut record = text.to_vec();
    record.push(LAST_RECORD);
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &content_key).ok()?);
    // The key is of this message alone, so its nonce is used once.
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record).ok()?;

    let mut message = sender.salt.to_vec();
    message.extend_from_slice(&RECORD_BYTES.to_be_bytes());
    message.push(u8::try_from(PUBLIC_BYTES).ok()?);
    message.extend_from_slice(&sender.own_public);
    message.extend_from_slice(&record);
    Some(message)
}

/// Fills `out` with the HKDF-SHA256 of a key.
fn derive(salt: &[u8], key: &[u8], info: &[&[u8]], out: &mut [u8]) -> Option<()> {
    let extracted = Salt::new(HKDF_SHA256, salt).extract(key);
    extracted.expand(info, DerivedLength(out.len())).ok()?.fill(out).ok()
}

/// The length of what is derived, in bytes.
struct DerivedLength(usize);

impl KeyType for DerivedLength {
    fn len(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    /// Decrypts a message as the browser with this private key does.
    pub(crate) fn decrypt(private: EphemeralPrivateKey, auth: &[u8], message: &[u8]) -> Vec<u8> {
        let public = private.compute_public_key().unwrap();
        let (salt, rest) = message.split_at(SALT_BYTES);
        assert_eq!(rest[..4], RECORD_BYTES.to_be_bytes());
        assert_eq!(usize::from(rest[4]), PUBLIC_BYTES);
        let (sender, record) = rest[5..].split_at(PUBLIC_BYTES);
        let peer = UnparsedPublicKey::new(&ECDH_P256, sender);
        let opened = agree_ephemeral(private, &peer, |shared| {
            let mut input = [0; INPUT_KEY_BYTES];
            derive(auth, shared, &[INPUT_KEY_INFO, public.as_ref(), sender], &mut input)?;
            let (mut key, mut nonce) = ([0; CONTENT_KEY_BYTES], [0; NONCE_LEN]);
            derive(salt, &input, &[CONTENT_KEY_INFO], &mut key)?;
            derive(salt, &input, &[NONCE_INFO], &mut nonce)?;
            let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
            let mut record = record.to_vec();
            let nonce = Nonce::assume_unique_for_key(nonce);
            Some(key.open_in_place(nonce, Aad::empty(), &mut record).ok()?.to_vec())
        });
        let mut text = opened.unwrap().unwrap();
        assert_eq!(text.pop(), Some(LAST_RECORD));
        text
    }

    /// Input: the example of RFC 8291, appendix A; expected: its message, byte for byte.
    #[test]
    fn message_matches_rfc_8291_example() {
        let keys = SubscriptionKeys::read(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        );
        let sender = MessageKeys {
            own_public: bytes(
                "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
            )
            .try_into()
            .unwrap(),
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap(),
        };
        let shared = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let text = b"When I grow up, I want to be a watermelon";
        let message = seal(&keys.unwrap(), &sender, &shared, text).unwrap();
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS\
                        6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4\
                        a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(message), expected);
    }

    /// Input: the same text twice, for the keys of a browser; expected: two messages, of which the browser reads the text.
    #[test]
    fn only_its_browser_reads_a_message() {
        let auth = [7; AUTH_BYTES];
        let mut messages = Vec::new();
        for _ in 0..2 {
            let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
            let public = URL_SAFE_NO_PAD.encode(private.compute_public_key().unwrap());
            let keys = SubscriptionKeys::read(&public, &URL_SAFE_NO_PAD.encode(auth)).unwrap();
            let message = encrypt(&keys, b"{\"count\":1}").unwrap();
            assert_eq!(decrypt(private, &auth, &message), b"{\"count\":1}");
            messages.push(message);
        }
        assert_ne!(messages[0][..SALT_BYTES], messages[1][..SALT_BYTES]);
    }

    #[test]
    fn wrong_keys_and_long_texts_are_refused() {
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let public = URL_SAFE_NO_PAD.encode(private.compute_public_key().unwrap());
        let auth = URL_SAFE_NO_PAD.encode([7; AUTH_BYTES]);
        let short = URL_SAFE_NO_PAD.encode([4; 64]);
        let compressed = URL_SAFE_NO_PAD.encode([2; PUBLIC_BYTES]);
        for (public, auth) in
            [("", &*auth), (&*short, &auth), (&compressed, &auth), (&public, "AAAA"), ("é", &auth)]
        {
            assert_eq!(SubscriptionKeys::read(public, auth), None, "{public} {auth}");
        }
        let nowhere = SubscriptionKeys::read(&URL_SAFE_NO_PAD.encode([4; PUBLIC_BYTES]), &auth).unwrap();
        assert_eq!(encrypt(&nowhere, b"x"), None, "it is not on the curve");
        let keys = SubscriptionKeys::read(&public, &auth).unwrap();
        assert_eq!(encrypt(&keys, &[b'x'; TEXT_MAX_BYTES]).map(|message| message.len()), Some(4096));
        assert_eq!(encrypt(&keys, &[b'x'; TEXT_MAX_BYTES + 1]), None);
    }
}
