use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Where the adapter of a provider keeps what it has written of a conversation, so that the next request costs what
/// is new. It belongs to the conversation in memory and goes with it; empty in another process, and where a past
/// request is looked at. It says nothing about the request: the bytes are the same with it and without it.
///
/// ```
/// use entracte_application::ports::Written;
///
/// let of_a_conversation = Written::default();
/// let in_the_next_request = of_a_conversation.clone();
/// in_the_next_request.put(vec!["Hello"]);
/// assert_eq!(of_a_conversation.take::<Vec<&str>>(), Some(vec!["Hello"]));
/// assert_eq!(of_a_conversation.take::<Vec<&str>>(), None, "who takes it brings it back");
/// ```
#[derive(Clone, Default)]
pub struct EncodedRequestCache(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl EncodedRequestCache {
    /// Takes out what is kept, when it is of this kind.
    pub fn take<T: Any>(&self) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Keeps this, in the place of what was kept before.
    pub fn put<T: Any + Send>(&self, kept: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(kept));
    }
}

/// All are equal: a request is what it says.
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
