use entracte_domain::time::Timestamp;

/// A message that came in, signed as Standard Webhooks 1 says. Nothing of it is true before it is proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedMessage {
    /// `webhook-id`: the same whenever the message is sent again.
    pub id: String,
    /// `webhook-timestamp`: seconds since 1970, as it was sent.
    pub timestamp: String,
    /// `webhook-signature`: one or more, apart by spaces.
    pub signature: String,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

/// Proves that a message comes from whom a task was given to.
///
/// Contract: it compares in constant time, takes as long where nobody could have sent the message as where somebody
/// could, reads no clock, and counts an instant more than five minutes away from `now` as no proof.
///
/// ```
/// use entracte_application::ports::{CallbackProof, MockCallbackVerifier, SignedMessage};
/// use entracte_domain::time::Timestamp;
///
/// let mut proof = MockCallbackVerifier::new();
/// proof.expect_proves().returning(|command, _, _| command.is_some_and(|name| name == "books.close"));
/// let message = SignedMessage {
///     id: "msg_1".into(),
///     timestamp: "1795312800".into(),
///     signature: "v1,…".into(),
///     body: b"{}".to_vec(),
/// };
/// let now = Timestamp(1_795_312_800_000_000);
/// assert!(proof.proves(Some("books.close".into()), &message, now));
/// assert!(!proof.proves(None, &message, now));
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait CallbackVerifier: Send + Sync {
    /// Whether one of the secrets of this command signed the message near `now`. No command: nobody could have.
    fn verify(&self, command: Option<String>, message: &SignedMessage, now: Timestamp) -> bool;
}
