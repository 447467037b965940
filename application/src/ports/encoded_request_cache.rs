use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Caches the encoded part of a conversation for the adapter of a provider, so that the next request only encodes what
/// is new. It belongs to the conversation in memory and is dropped with it; it is empty in another process and when a
/// past request is rebuilt. It does not influence the request: the bytes are the same with and without it.
///
/// ```
/// use entracte_application::ports::EncodedRequestCache;
///
/// let of_a_conversation = EncodedRequestCache::default();
/// let in_the_next_request = of_a_conversation.clone();
/// in_the_next_request.put(vec!["Hello"]);
/// assert_eq!(of_a_conversation.take::<Vec<&str>>(), Some(vec!["Hello"]));
/// assert_eq!(of_a_conversation.take::<Vec<&str>>(), None, "who takes it brings it back");
/// ```
#[derive(Clone, Default)]
pub struct EncodedRequestCache(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl EncodedRequestCache {
    /// Takes the cached value out, if it has type `T`.
    pub fn take<T: Any>(&self) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Stores a value, replacing the previous one.
    pub fn put<T: Any + Send>(&self, kept: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(kept));
    }
}

/// All caches are equal: they are not part of the meaning of a request.
impl PartialEq for EncodedRequestCache {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl fmt::Debug for EncodedRequestCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Written")
    }
}
