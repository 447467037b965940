//! [`AccessStore`] on a database. Its writes need no ownership, only the writer's queue.

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{
    AccessReach, AccessStore, Person, ReceiptRow, StoreError, StreamTicketRow, TokenRow,
};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::queries::{access, receipts};
use crate::writer::WriteJob;

/// Store of people and tokens.
pub(crate) struct DbAccessStore(pub(crate) Database);

#[async_trait]
impl AccessStore for DbAccessStore {
    async fn add_person(&self, person: Person) -> Result<Person, StoreError> {
        match self.0.write(AddPersonJob(person.clone())).await {
            // Another process was faster: its person is found now.
            Err(DbError::Conflict(_)) => Ok(self.0.write(AddPersonJob(person)).await?),
            answer => Ok(answer?),
        }
    }

    async fn remove_person(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        Ok(self.0.write(RemovePersonJob { id: id.to_owned(), at }).await?)
    }

    async fn people(&self, reach: &AccessReach) -> Result<Vec<Person>, StoreError> {
        let reach = reach.clone();
        self.0.read(move |conn| access::people(conn, &reach)).await
    }

    async fn add_token(&self, token: TokenRow) -> Result<(), StoreError> {
        Ok(self.0.write(AddTokenJob(token)).await?)
    }

    async fn add_token_once(
        &self,
        token: TokenRow,
        workspace: WorkspaceKey,
        receipt: ReceiptRow,
        before: Timestamp,
    ) -> Result<Option<ReceiptRow>, StoreError> {
        let once = || AddTokenIdempotentJob {
            token: token.clone(),
            workspace: workspace.clone(),
            receipt: receipt.clone(),
            before,
        };
        match self.0.write(once()).await {
            // Another process was faster: its receipt is found now.
            Err(DbError::Conflict(_)) => Ok(self.0.write(once()).await?),
            answer => Ok(answer?),
        }
    }

    async fn token(&self, id: &str) -> Result<Option<(TokenRow, Person)>, StoreError> {
        let id = id.to_owned();
        self.0.read(move |conn| access::token(conn, &id)).await
    }

    async fn tokens(&self, reach: &AccessReach) -> Result<Vec<(TokenRow, Person)>, StoreError> {
        let reach = reach.clone();
        self.0.read(move |conn| access::tokens(conn, &reach)).await
    }

    async fn revoke(&self, reach: &AccessReach, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        Ok(self.0.write(RevokeTokenJob { reach: reach.clone(), id: id.to_owned(), at }).await?)
    }

    async fn replace_token(&self, id: &str, token: TokenRow) -> Result<bool, StoreError> {
        Ok(self.0.write(ExchangeTokenJob { id: id.to_owned(), token }).await?)
    }

    async fn record_token_use(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        Ok(self.0.write(TouchTokenJob { id: id.to_owned(), at }).await?)
    }

    async fn add_stream_ticket(&self, ticket: StreamTicketRow) -> Result<(), StoreError> {
        Ok(self.0.write(AddStreamTicketJob(ticket)).await?)
    }

    async fn stream_ticket(&self, hash: &Digest) -> Result<Option<StreamTicketRow>, StoreError> {
        let hash = hash.clone();
        self.0.read(move |conn| access::stream_ticket(conn, &hash)).await
    }
}

struct AddPersonJob(Person);

impl WriteJob for AddPersonJob {
    type Answer = Person;

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<Person, DbError> {
        access::add_person(conn, &self.0)
    }

    /// Idempotent: a second run finds the first one's person.
    fn is_committed(&self, _: &mut DbConnection, _: &Person) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct RemovePersonJob {
    id: String,
    at: Timestamp,
}

impl WriteJob for RemovePersonJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        access::remove_person(conn, &self.id, self.at)
    }

    /// Idempotent: the first removal time stands.
    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct AddTokenJob(TokenRow);

impl WriteJob for AddTokenJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        access::add_token(conn, &self.0)
    }

    fn is_committed(&self, conn: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        access::has_token(conn, &self.0.id)
    }
}

struct AddTokenIdempotentJob {
    token: TokenRow,
    workspace: WorkspaceKey,
    receipt: ReceiptRow,
    before: Timestamp,
}

impl WriteJob for AddTokenIdempotentJob {
    type Answer = Option<ReceiptRow>;

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<Option<ReceiptRow>, DbError> {
        let known = receipts::find(conn, &self.workspace, &self.receipt.key)?;
        if let Some(known) = known.filter(|known| known.created_at >= self.before) {
            return Ok(Some(known));
        }
        receipts::insert_receipt(conn, &self.workspace, &self.receipt, self.before)?;
        access::add_token(conn, &self.token)?;
        Ok(None)
    }

    fn is_committed(&self, conn: &mut DbConnection, known: &Option<ReceiptRow>) -> Result<bool, DbError> {
        Ok(known.is_some() || access::has_token(conn, &self.token.id)?)
    }
}

struct RevokeTokenJob {
    reach: AccessReach,
    id: String,
    at: Timestamp,
}

impl WriteJob for RevokeTokenJob {
    type Answer = bool;

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        access::revoke(conn, &self.reach, &self.id, self.at)
    }

    /// Idempotent: the first revocation stands.
    fn is_committed(&self, _: &mut DbConnection, _: &bool) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct ExchangeTokenJob {
    id: String,
    token: TokenRow,
}

impl WriteJob for ExchangeTokenJob {
    type Answer = bool;

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        access::exchange_token(conn, &self.id, &self.token)
    }

    fn is_committed(&self, conn: &mut DbConnection, _: &bool) -> Result<bool, DbError> {
        access::has_token(conn, &self.token.id)
    }
}

struct TouchTokenJob {
    id: String,
    at: Timestamp,
}

impl WriteJob for TouchTokenJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        access::record_token_use(conn, &self.id, self.at)
    }

    /// Idempotent.
    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct AddStreamTicketJob(StreamTicketRow);

impl WriteJob for AddStreamTicketJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        access::add_stream_ticket(conn, &self.0)
    }

    fn is_committed(&self, conn: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(access::stream_ticket(conn, &self.0.hash)?.is_some())
    }
}
