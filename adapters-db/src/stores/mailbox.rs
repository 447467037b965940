//! [`Mailbox`] on a database. `unanswered` is asked several times a second, so it remembers what it saw and
//! asks again only after somebody committed: its own connection never does, so every commit of anyone, of
//! this process too, changes its mark. A server tells of changed mail by itself.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use diesel::r2d2::ManageConnection;
use entracte_application::failpoints::Deed;
use entracte_application::ports::{MailId, MailRow, Mailbox, StoreError};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::connection::{DbConnection, Opener, Role};
use crate::database::Database;
use crate::dialect::{self, Mark};
use crate::fault::Fault;
use crate::queries::mail;
use crate::writer::Work;

/// Looks after which the mail is asked for although nothing changed. A server that went without a word is found so.
const LOOKS_MAX: u32 = 60;

/// Mail between processes.
pub(crate) struct DbMailbox {
    database: Database,
    watch: Arc<Mutex<Watch>>,
}

/// What was seen last, and the connection that saw it.
struct Watch {
    opener: Opener,
    conn: Option<DbConnection>,
    mark: Option<Mark>,
    /// What this process had written then.
    written: u64,
    /// Looks since the mail was asked for.
    looks: u32,
    seen: Vec<MailRow>,
}

impl DbMailbox {
    pub(crate) fn new(database: Database) -> Self {
        let opener = database.opener(Role::Reader);
        let watch = Watch { opener, conn: None, mark: None, written: 0, looks: 0, seen: Vec::new() };
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
        let written = self.database.writer_counts().works;
        let look = move || watch.lock().unwrap_or_else(PoisonError::into_inner).look(written);
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
    /// What this process has `written` is seen at once; the word of a server may come a moment later.
    fn look(&mut self, written: u64) -> Result<Vec<MailRow>, Fault> {
        let outcome = self.look_again(written);
        if outcome.is_err() {
            (self.conn, self.mark) = (None, None);
        }
        outcome
    }

    fn look_again(&mut self, written: u64) -> Result<Vec<MailRow>, Fault> {
        let conn = match &mut self.conn {
            Some(conn) => conn,
            closed => {
                let conn = closed.insert(self.opener.connect()?);
                dialect::watch(conn)?;
                conn
            }
        };
        // The mark first: what is committed between the two questions is then seen twice, not missed.
        let mark = dialect::mark(conn, self.mark)?;
        self.looks += 1;
        if self.mark != Some(mark) || self.written != written || self.looks > LOOKS_MAX {
            self.seen = mail::unanswered(conn)?;
            (self.mark, self.written, self.looks) = (Some(mark), written, 0);
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

    const DEED: Deed = Deed::PostMail;

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

    const DEED: Deed = Deed::RefuseMail;

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

    const DEED: Deed = Deed::ForgetMail;

    fn run(&self, conn: &mut DbConnection) -> Result<(), Fault> {
        mail::forget(conn, self.before)?;
        self.taken_back.map_or(Ok(()), |id| mail::take_back(conn, id))
    }

    /// Harmless when done twice.
    fn landed(&self, _: &mut DbConnection, (): &()) -> Result<bool, Fault> {
        Ok(false)
    }
}
