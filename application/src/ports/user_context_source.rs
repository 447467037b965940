use async_trait::async_trait;
use entracte_domain::id::{SessionId, WorkspaceKey};

use crate::settings::{Language, UserContext};

/// Identifies the user context to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserContextQuery {
    /// The workspace of the session.
    pub workspace: WorkspaceKey,
    /// The session the context belongs to. A child session uses its parent's.
    pub session: SessionId,
    /// The person whose rights the call has, if any.
    pub person: Option<String>,
}

/// A source that has no answer now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UserContextUnavailable(
    /// The reason, for people and models; it contains no secret.
    pub String,
);

/// Reads what a host program knows of the person and the business that a session works for.
///
/// Contract: it changes nothing, ends in a bounded time, and only answers for the requested workspace. The answer is
/// data and never an instruction. It need not cache: the caller does.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{MockUserContextSource, UserContextQuery, UserContextSource};
/// use entracte_application::samples;
/// use entracte_application::settings::{Language, UserContext};
///
/// let mut source = MockUserContextSource::new();
/// source.expect_read().returning(|_, _| Ok(UserContext::read(r#"{"company_name": "Dupont SA"}"#).unwrap()));
/// let of = UserContextQuery { workspace: samples::workspace(), session: samples::session(), person: None };
/// assert_eq!(source.read(&of, Language::En).await?.text(), r#"{"company_name":"Dupont SA"}"#);
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait UserContextSource: Send + Sync {
    /// The current context; failures are worded in that language.
    ///
    /// # Errors
    /// [`UserContextUnavailable`] when it has no answer now, worded in that language. The caller continues with the
    /// previous answer, or without one, and retries later.
    async fn read(
        &self,
        of: &UserContextQuery,
        language: Language,
    ) -> Result<UserContext, UserContextUnavailable>;
}
