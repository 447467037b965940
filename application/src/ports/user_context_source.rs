use async_trait::async_trait;
use entracte_domain::id::{SessionId, WorkspaceKey};

use crate::settings::{Language, UserContext};

/// Whose context is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserContextQuery {
    /// The workspace.
    pub workspace: WorkspaceKey,
    /// The session that the context is of. A child of a session asks for its parent's.
    pub session: SessionId,
    /// The person whose rights the call has, where it has a person's.
    pub person: Option<String>,
}

/// A source that has no answer now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UserContextUnavailable(
    /// Why, for people and models; it holds no secret.
    pub String,
);

/// Tells what a host program knows of the person and the business that a session is for.
///
/// Contract: it changes nothing, ends in a bounded time, and answers for the workspace that it is asked for only. What it
/// says is data and never an order. It need not remember anything: who asks keeps the answer.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{ContextOf, MockUserContextSource, UserContextSource};
/// use entracte_application::samples;
/// use entracte_application::settings::{Language, UserContext};
///
/// let mut source = MockUserContextSource::new();
/// source.expect_read().returning(|_, _| Ok(UserContext::read(r#"{"company_name": "Dupont SA"}"#).unwrap()));
/// let of = ContextOf { workspace: samples::workspace(), session: samples::session(), person: None };
/// assert_eq!(source.read(&of, Language::En).await?.text(), r#"{"company_name":"Dupont SA"}"#);
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait UserContextSource: Send + Sync {
    /// What it knows now; its failures are worded in that language.
    ///
    /// # Errors
    /// [`UserContextUnavailable`] when it has no answer now, in words of that language. Whoever asks goes on with what was said
    /// before, or without, and asks again later.
    async fn read(
        &self,
        of: &UserContextQuery,
        language: Language,
    ) -> Result<UserContext, UserContextUnavailable>;
}
