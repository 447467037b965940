//! [`MailStore`] on a database. `unanswered` is called several times a second, so it caches its result and queries
//! again only after a commit: its own connection never commits, so that every commit of any process, including this
//! one, changes its version. A server sends notifications of changed mail.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use diesel::r2d2::ManageConnection;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{MailId, MailRow, MailStore, StoreError};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::connection::{ConnectionRole, DbConnection};
use crate::connection_manager::DbConnectionManager;
use crate::database::Database;
use crate::db_error::DbError;
use crate::dialect::{self, MailChangeVersion};
use crate::queries::mail;
use crate::writer::WriteJob;

/// Calls after which the mail is queried even without a change, to detect a server that silently disconnected.
const LOOKS_MAX: u32 = 60;

/// Store of mail between processes.
pub(crate) struct DbMailStore {
    database: Database,
    watch: Arc<Mutex<MailWatchCursor>>,
}

/// The cached result, and the connection that read it.
struct MailWatchCursor {
    opener: DbConnectionManager,
    conn: Option<DbConnection>,
    mark: Option<MailChangeVersion>,
    /// Number of writes of this process at that time.
    written: u64,
    /// Calls since the mail was queried.
    looks: u32,
    seen: Vec<MailRow>,
}

impl DbMailStore {
    pub(crate) fn new(database: Database) -> Self {
        let opener = database.opener(ConnectionRole::Reader);
        let watch =
            MailWatchCursor { opener, conn: None, mark: None, written: 0, looks: 0, seen: Vec::new() };
        Self { database, watch: Arc::new(Mutex::new(watch)) }
    }
}

#[async_trait]
impl MailStore for DbMailStore {
    async fn post(
        &self,
        workspace: &WorkspaceKey,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<MailId, StoreError> {
        Ok(self.database.write(PostMailJob { workspace: workspace.clone(), body, now }).await?)
    }

    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError> {
        let watch = Arc::clone(&self.watch);
        let written = self.database.writer_counts().works;
        let look = move || watch.lock().unwrap_or_else(PoisonError::into_inner).poll_mail(written);
        self.database.run_blocking(look).await
    }

    async fn answer(&self, workspace: &WorkspaceKey, id: MailId) -> Result<Option<Vec<u8>>, StoreError> {
        let workspace = workspace.clone();
        self.database.read(move |conn| mail::answer(conn, &workspace, id)).await
    }

    async fn answer_refused(
        &self,
        workspace: &WorkspaceKey,
        id: MailId,
        answer: Vec<u8>,
    ) -> Result<(), StoreError> {
        Ok(self.database.write(RefuseMailJob { workspace: workspace.clone(), id, answer }).await?)
    }

    async fn withdraw(&self, workspace: &WorkspaceKey, id: MailId) -> Result<(), StoreError> {
        Ok(self.database.write(DeleteMailJob::Piece(workspace.clone(), id)).await?)
    }

    async fn delete_answered_before(&self, before: Timestamp) -> Result<(), StoreError> {
        Ok(self.database.write(DeleteMailJob::Answered(before)).await?)
    }
}

impl MailWatchCursor {
    /// The unanswered mail; after a failure the cache is empty. Writes of this process, counted by `written`, are seen
    /// at once; a server's notification may come a moment later.
    fn poll_mail(&mut self, written: u64) -> Result<Vec<MailRow>, DbError> {
        let outcome = self.poll_changed_mail(written);
        if outcome.is_err() {
            (self.conn, self.mark) = (None, None);
        }
        outcome
    }

    fn poll_changed_mail(&mut self, written: u64) -> Result<Vec<MailRow>, DbError> {
        let conn = match &mut self.conn {
            Some(conn) => conn,
            closed => {
                let conn = closed.insert(self.opener.connect()?);
                dialect::watch_mail(conn)?;
                conn
            }
        };
        // The version first: a commit between the two queries is then seen twice rather than missed.
        let mark = dialect::mail_change_version(conn, self.mark)?;
        self.looks += 1;
        if self.mark != Some(mark) || self.written != written || self.looks > LOOKS_MAX {
            self.seen = mail::unanswered(conn)?;
            (self.mark, self.written, self.looks) = (Some(mark), written, 0);
        }
        Ok(self.seen.clone())
    }
}

/// A piece of mail to post.
struct PostMailJob {
    workspace: WorkspaceKey,
    body: Vec<u8>,
    now: Timestamp,
}

impl WriteJob for PostMailJob {
    type Answer = MailId;

    const OPERATION: FailpointOperation = FailpointOperation::PostMail;

    fn run(&self, conn: &mut DbConnection) -> Result<MailId, DbError> {
        mail::post(conn, &self.workspace, &self.body, self.now)
    }

    fn is_committed(&self, conn: &mut DbConnection, id: &MailId) -> Result<bool, DbError> {
        mail::has_mail(conn, *id, &self.workspace, &self.body, self.now)
    }
}

/// An answer to mail that no commit handles.
struct RefuseMailJob {
    workspace: WorkspaceKey,
    id: MailId,
    answer: Vec<u8>,
}

impl WriteJob for RefuseMailJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::RefuseMail;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        mail::set_answer(conn, &self.workspace, self.id, &self.answer).map(drop)
    }

    /// Idempotent.
    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

/// Mail to delete.
enum DeleteMailJob {
    /// Answered mail posted before this instant.
    Answered(Timestamp),
    /// A piece that its poster withdraws.
    Piece(WorkspaceKey, MailId),
}

impl WriteJob for DeleteMailJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::ForgetMail;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        match self {
            Self::Answered(before) => mail::delete_answered_before(conn, *before),
            Self::Piece(workspace, id) => mail::delete_unanswered(conn, workspace, *id),
        }
    }

    /// Idempotent.
    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}
