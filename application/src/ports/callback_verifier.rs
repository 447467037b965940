use entracte_domain::time::Timestamp;

/// An incoming message signed according to Standard Webhooks 1. Its content is untrusted until verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedMessage {
    /// `webhook-id`: the same in every redelivery of the message.
    pub id: String,
    /// `webhook-timestamp`: seconds since 1970, as sent.
    pub timestamp: String,
    /// `webhook-signature`: one or more signatures separated by spaces.
    pub signature: String,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

/// Verifies that a message was sent by the server a task was dispatched to.
///
/// Contract: it compares in constant time, takes equally long whether or not the command has a secret, reads no clock,
/// and rejects timestamps more than five minutes away from `now`.
///
/// ```
/// use entracte_application::ports::{CallbackVerifier, MockCallbackVerifier, SignedMessage};
/// use entracte_domain::time::Timestamp;
///
/// let mut proof = MockCallbackVerifier::new();
/// proof.expect_verify().returning(|command, _, _| command.is_some_and(|name| name == "books.close"));
/// let message = SignedMessage {
///     id: "msg_1".into(),
///     timestamp: "1795312800".into(),
///     signature: "v1,…".into(),
///     body: b"{}".to_vec(),
/// };
/// let now = Timestamp(1_795_312_800_000_000);
/// assert!(proof.verify(Some("books.close".into()), &message, now));
/// assert!(!proof.verify(None, &message, now));
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait CallbackVerifier: Send + Sync {
    /// Whether one of the secrets of this command signed the message near `now`. Without a command it returns `false`.
    fn verify(&self, command: Option<String>, message: &SignedMessage, now: Timestamp) -> bool;

    /// The type that the tasks of this command have at their server; `None` if it is not known, and any is taken.
    fn task_type(&self, _command: &str) -> Option<String> {
        None
    }
}
