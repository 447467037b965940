//! [`Mailbox`] on a database. `unanswered` is asked several times a second, so it remembers what it saw and
//! asks again only after somebody committed: its own connection never does, so every commit of anyone, of
//! this process too, changes its mark.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use diesel::r2d2::ManageConnection;
use entracte_application::ports::{MailId, MailRow, Mailbox, StoreError};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::connection::{DbConnection, Opener, Role};
use crate::database::Database;
use crate::dialect;
use crate::fault::Fault;
use crate::queries::mail;
use crate::writer::Work;

/// Mail between processes.
pub(crate) struct DbMailbox {
    database: Database,
    watch: Arc<Mutex<Watch>>,
}

/// What was seen last, and the connection that saw it.
struct Watch {
    opener: Opener,
    conn: Option<DbConnection>,
    mark: Option<i64>,
    seen: Vec<MailRow>,
}

impl DbMailbox {
    pub(crate) fn new(database: Database) -> Self {
        let opener = database.opener(Role::Reader);
        let watch = Watch { opener, conn: None, mark: None, seen: Vec::new() };
        Self { database, watch: Arc::new(Mutex::new(watch)) }
    }
}

#[async_trait]
impl Mailbox for DbMailbox {
    async fn post(
        &self,
        workspace: &WorkspaceKey,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<MailId, StoreError> {
        Ok(self.database.write(Post { workspace: workspace.clone(), body, now }).await?)
    }

    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError> {
        let watch = Arc::clone(&self.watch);
        let look = move || watch.lock().unwrap_or_else(PoisonError::into_inner).look();
        self.database.blocking(look).await
    }

    async fn answer(&self, id: MailId) -> Result<Option<Vec<u8>>, StoreError> {
        self.database.read(move |conn| mail::answer(conn, id)).await
    }

    async fn refuse(&self, id: MailId, answer: Vec<u8>) -> Result<(), StoreError> {
        Ok(self.database.write(Refuse { id, answer }).await?)
    }

    async fn forget(&self, before: Timestamp, taken_back: Option<MailId>) -> Result<(), StoreError> {
        Ok(self.database.write(Forget { before, taken_back }).await?)
    }
}

impl Watch {
    /// The mail without an answer. After a failure it starts from nothing.
    fn look(&mut self) -> Result<Vec<MailRow>, Fault> {
        let outcome = self.look_again();
        if outcome.is_err() {
            (self.conn, self.mark) = (None, None);
        }
        outcome
    }

    fn look_again(&mut self) -> Result<Vec<MailRow>, Fault> {
        let conn = match &mut self.conn {
            Some(conn) => conn,
            closed => closed.insert(self.opener.connect()?),
        };
        // The mark first: what is committed between the two questions is then seen twice, not missed.
        let mark = dialect::change_mark(conn)?;
        if mark.is_none() || mark != self.mark {
            self.seen = mail::unanswered(conn)?;
            self.mark = mark;
        }
        Ok(self.seen.clone())
    }
}

/// A piece of mail to post.
struct Post {
    workspace: WorkspaceKey,
    body: Vec<u8>,
    now: Timestamp,
}

impl Work for Post {
    type Answer = MailId;

    fn run(&self, conn: &mut DbConnection) -> Result<MailId, Fault> {
        mail::post(conn, &self.workspace, &self.body, self.now)
    }

    fn landed(&self, conn: &mut DbConnection, id: &MailId) -> Result<bool, Fault> {
        mail::is_there(conn, *id, &self.workspace, &self.body, self.now)
    }
}

/// An answer to mail that no commit takes in.
struct Refuse {
    id: MailId,
    answer: Vec<u8>,
}

impl Work for Refuse {
    type Answer = ();

    fn run(&self, conn: &mut DbConnection) -> Result<(), Fault> {
        mail::set_answer(conn, self.id, &self.answer).map(drop)
    }

    /// Harmless when done twice.
    fn landed(&self, _: &mut DbConnection, (): &()) -> Result<bool, Fault> {
        Ok(false)
    }
}

/// Mail to delete.
struct Forget {
    before: Timestamp,
    taken_back: Option<MailId>,
}

impl Work for Forget {
    type Answer = ();

    fn run(&self, conn: &mut DbConnection) -> Result<(), Fault> {
        mail::forget(conn, self.before)?;
        self.taken_back.map_or(Ok(()), |id| mail::take_back(conn, id))
    }

    /// Harmless when done twice.
    fn landed(&self, _: &mut DbConnection, (): &()) -> Result<bool, Fault> {
        Ok(false)
    }
}
