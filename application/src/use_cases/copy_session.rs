//! Copies of sessions: forks of existing ones, and imports from files.

use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::{AcceptedRequest, ShowSession, UseCaseError, expect_accepted};
use crate::mail::{ForkSessionRequest, ImportSessionRequest, Mail, MailRequest};
use crate::ports::{IdGenerator, MailSender, WorkspaceStore};
use crate::session_export::SessionExport;
use crate::texts::saying;

/// A created fork.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionFork {
    /// The new session.
    pub session: SessionId,
    /// Display name.
    pub name: String,
    /// The last copied sequence.
    pub at: u64,
}

use_case! {
    /// Creates a session that branches off from another one. The recorded entries are copied without running anything
    /// again; work under way stays with the original.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| {
    ///     matches!(request, MailRequest::Session(_, SessionRequest::Fork(fork)) if fork.at == 1)
    /// });
    /// let fork = ForkSession::new(Arc::new(mail_sender), Arc::new(samples::store()), Arc::new(RandomIdGenerator));
    /// let forked = fork.run(&samples::workspace(), &samples::session(), "ann".into(), None, None).await?;
    /// assert_eq!(forked.name, "First chat (fork at 1)");
    /// # Ok(()) });
    /// ```
    pub struct ForkSession over (mail_sender: dyn MailSender, store: dyn WorkspaceStore, ids: dyn IdGenerator)
        again "Each call draws an id of its own, so asked again it makes a second fork: look for its name first."
}

impl ForkSession {
    /// Creates the fork; it is committed when this returns. Without `at` the whole session is copied; the default name
    /// is that of the original and the sequence it branches off at.
    ///
    /// # Errors
    /// When there is no such session or no such sequence in it, or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        at: Option<u64>,
        name: Option<String>,
    ) -> Result<SessionFork, UseCaseError> {
        let facts = ShowSession::new(self.store.clone()).run(workspace, session).await?.facts;
        let at = at.unwrap_or(facts.sequence);
        let name = name.unwrap_or_else(|| format!("{} (fork at {at})", facts.name));
        let request = MailRequest::session(
            session.clone(),
            ForkSessionRequest { author, id: self.ids.session(), name: name.clone(), at },
        );
        let mail = Mail::from_request(request);
        let AcceptedRequest { session, .. } = expect_accepted(self.mail_sender.post(workspace, mail).await?)?;
        Ok(SessionFork { session, name, at })
    }
}

/// An imported session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionImport {
    /// The new session.
    pub session: SessionId,
    /// Its id in the file.
    pub from: SessionId,
    /// The number of entries in the file, without those of agents.
    pub entries: u64,
    /// The number of agents in the file, each of which became a session below the new one.
    pub agents: u64,
}

use_case! {
    /// Creates a session from an exported one, with the agents that are in the file.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// // Invalid exports are refused before a request is posted.
    /// let import = ImportSession::new(Arc::new(MockMailSender::new()), Arc::new(RandomIdGenerator));
    /// let refused = import.run(&samples::workspace(), "ann".into(), "{}".into(), true).await;
    /// assert!(matches!(refused, Err(UseCaseError::Invalid(text)) if text.starts_with("nothing was imported")));
    /// # Ok(()) });
    /// ```
    pub struct ImportSession over (mail_sender: dyn MailSender, ids: dyn IdGenerator)
        again "Asked again under the id of the file it is refused, because that is taken; as a new session it "
        "would be a second one."
}

impl ImportSession {
    /// Creates the session under the id in the file, or under a new one; it is committed when this returns. Files of the
    /// conversation are stored before ([`StoreExportFiles`](super::StoreExportFiles)).
    ///
    /// # Errors
    /// When the file is incomplete, it still has files of the conversation, the id is taken, or the request is not
    /// accepted. Nothing was stored then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        document: String,
        as_new: bool,
    ) -> Result<SessionImport, UseCaseError> {
        let read = SessionExport::decode(&document).map_err(|fault| {
            UseCaseError::Invalid(saying!("request-not-imported", why = fault.to_string()).into())
        })?;
        if !read.files.is_empty() {
            let why = saying!("request-import-files");
            return Err(UseCaseError::Invalid(saying!("request-not-imported", why = why).into()));
        }
        let id = if as_new { self.ids.session() } else { read.session.clone() };
        let (entries, agents) = (read.rows.len() as u64, read.agents.len() as u64);
        let mail = Mail::from_request(MailRequest::workspace(ImportSessionRequest { author, id, document }));
        let AcceptedRequest { session, .. } = expect_accepted(self.mail_sender.post(workspace, mail).await?)?;
        Ok(SessionImport { session, from: read.session, entries, agents })
    }
}
