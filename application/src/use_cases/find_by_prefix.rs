use std::sync::Arc;

use entracte_domain::id::{ApprovalId, CallId, SessionId, WorkspaceKey};

use super::UseCaseError;
use crate::ports::{CallRow, LogReader};
use crate::texts::saying;

use_case! {
    /// Finds objects by full id or unique prefix, in one workspace; objects of other workspaces are never found.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_sessions_by_prefix().returning(|_, prefix| match prefix {
    ///     "ses_k" => Ok(vec![samples::session()]),
    ///     _ => Ok(vec![]),
    /// });
    /// let find = FindByIdPrefix::new(Arc::new(log));
    /// assert_eq!(find.find_session(&samples::workspace(), "k").await?, samples::session());
    /// assert!(matches!(find.find_session(&samples::workspace(), "z").await, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    pub struct FindByIdPrefix reads (log: dyn LogReader)
}

impl FindByIdPrefix {
    /// The session of this workspace with this id prefix; `ses_` may be omitted.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub async fn find_session(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<SessionId, UseCaseError> {
        let prefix = if named.starts_with("ses_") { named.to_owned() } else { format!("ses_{named}") };
        if prefix == "ses_" {
            return Err(UseCaseError::Invalid(saying!("request-session-id", given = named).into()));
        }
        let found = self.log.sessions_by_prefix(workspace, &prefix).await?;
        let list = || found.iter().map(SessionId::as_str).collect::<Vec<_>>().join(", ");
        match found.as_slice() {
            [] => Err(UseCaseError::NotFound(saying!("request-no-session", session = named).into())),
            [session] => Ok(session.clone()),
            several => match several.iter().find(|session| session.as_str() == prefix) {
                Some(session) => Ok(session.clone()),
                None => {
                    let several = saying!("request-several-sessions", given = named, ids = list());
                    Err(UseCaseError::Invalid(several.into()))
                }
            },
        }
    }

    /// The call of this workspace that an approval id (`apr_…`) or a call id (`cal_…`) names, and its session. The
    /// part of the id that names the session may be shortened to a unique prefix.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub async fn find_call(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<(SessionId, CallId), UseCaseError> {
        let call = match named.strip_prefix("apr_") {
            Some(_) => ApprovalId::new(named).call_id(),
            None => {
                CallId::new(if named.starts_with("cal_") { named.to_owned() } else { format!("cal_{named}") })
            }
        };
        if CallIdParts::from_call_id(&call).stem.is_empty() {
            return Err(UseCaseError::Invalid(saying!("request-call-id", given = named).into()));
        }
        if let Some(row) = self.log.call(workspace, &call).await? {
            return Ok((row.session, row.id));
        }
        let wanted = CallIdParts::from_call_id(&call);
        let mut matches = Vec::new();
        for session in self.log.sessions_by_prefix(workspace, &format!("ses_{}", wanted.stem)).await? {
            let calls = self.log.calls(workspace, &session).await?;
            matches.extend(
                calls.into_iter().filter(|row| CallIdParts::from_call_id(&row.id).begins_with(wanted)),
            );
        }
        // `3_1` is also a prefix of `3_10`; an id with both numbers is taken literally.
        let is_whole = |row: &CallRow| CallIdParts::from_call_id(&row.id).numbers == wanted.numbers;
        if matches.iter().any(is_whole) {
            matches.retain(is_whole);
        }
        match matches.as_slice() {
            [] => Err(UseCaseError::NotFound(saying!("request-no-call", call = named).into())),
            [row] => Ok((row.session.clone(), row.id.clone())),
            several => {
                let list: Vec<&str> = several.iter().map(|row| row.id.as_str()).collect();
                let several = saying!("request-several-calls", given = named, ids = list.join(", "));
                Err(UseCaseError::Invalid(several.into()))
            }
        }
    }
}

/// The two parts of a call id, `cal_<stem>_<numbers>`; a part that was omitted is empty.
#[derive(Clone, Copy)]
struct CallIdParts<'a> {
    /// Names the session.
    stem: &'a str,
    /// Sequence and ordinal.
    numbers: &'a str,
}

impl<'a> CallIdParts<'a> {
    fn from_call_id(call: &'a CallId) -> Self {
        let text = call.as_str().strip_prefix("cal_").unwrap_or(call.as_str());
        let (stem, numbers) = text.split_once('_').unwrap_or((text, ""));
        Self { stem, numbers }
    }

    fn begins_with(self, wanted: Self) -> bool {
        self.stem.starts_with(wanted.stem) && self.numbers.starts_with(wanted.numbers)
    }
}
