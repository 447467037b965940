//! [`AccessStore`] on a database. Whoever writes it needs no right to the events: the writer's queue is enough.

use async_trait::async_trait;
use entracte_application::failpoints::Operation;
use entracte_application::ports::{AccessStore, Person, Reach, ReceiptRow, StoreError, TokenRow};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::queries::{access, receipts};
use crate::writer::Work;

/// People and tokens.
pub(crate) struct DbAccessStore(pub(crate) Database);

#[async_trait]
impl AccessStore for DbAccessStore {
    async fn add_person(&self, person: Person) -> Result<Person, StoreError> {
        match self.0.write(AddPerson(person.clone())).await {
            // Another process was faster: that person is found now.
            Err(DbError::Conflict(_)) => Ok(self.0.write(AddPerson(person)).await?),
            answer => Ok(answer?),
        }
    }

    async fn remove_person(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        Ok(self.0.write(RemovePerson { id: id.to_owned(), at }).await?)
    }

    async fn people(&self, reach: &Reach) -> Result<Vec<Person>, StoreError> {
        let reach = reach.clone();
        self.0.read(move |conn| access::people(conn, &reach)).await
    }

    async fn add_token(&self, token: TokenRow) -> Result<(), StoreError> {
        Ok(self.0.write(AddToken(token)).await?)
    }

    async fn add_token_once(
        &self,
        token: TokenRow,
        (workspace, receipt): (WorkspaceKey, ReceiptRow),
        before: Timestamp,
    ) -> Result<Option<ReceiptRow>, StoreError> {
        let once = || AddTokenOnce {
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

    async fn tokens(&self, reach: &Reach) -> Result<Vec<(TokenRow, Person)>, StoreError> {
        let reach = reach.clone();
        self.0.read(move |conn| access::tokens(conn, &reach)).await
    }

    async fn revoke(&self, reach: &Reach, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        Ok(self.0.write(Revoke { reach: reach.clone(), id: id.to_owned(), at }).await?)
    }

    async fn exchange(&self, id: &str, token: TokenRow) -> Result<bool, StoreError> {
        Ok(self.0.write(Exchange { id: id.to_owned(), token }).await?)
    }

    async fn used(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        Ok(self.0.write(Used { id: id.to_owned(), at }).await?)
    }
}

struct AddPerson(Person);

impl Work for AddPerson {
    type Answer = Person;

    const OPERATION: Operation = Operation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<Person, DbError> {
        access::add_person(conn, &self.0)
    }

    /// Harmless when done twice: the second finds the first.
    fn landed(&self, _: &mut DbConnection, _: &Person) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct RemovePerson {
    id: String,
    at: Timestamp,
}

impl Work for RemovePerson {
    type Answer = ();

    const OPERATION: Operation = Operation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        access::remove_person(conn, &self.id, self.at)
    }

    /// Harmless when done twice: the first time stands.
    fn landed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct AddToken(TokenRow);

impl Work for AddToken {
    type Answer = ();

    const OPERATION: Operation = Operation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        access::add_token(conn, &self.0)
    }

    fn landed(&self, conn: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        access::is_there(conn, &self.0.id)
    }
}

struct AddTokenOnce {
    token: TokenRow,
    workspace: WorkspaceKey,
    receipt: ReceiptRow,
    before: Timestamp,
}

impl Work for AddTokenOnce {
    type Answer = Option<ReceiptRow>;

    const OPERATION: Operation = Operation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<Option<ReceiptRow>, DbError> {
        let known = receipts::find(conn, &self.workspace, &self.receipt.key)?;
        if let Some(known) = known.filter(|known| known.created_at >= self.before) {
            return Ok(Some(known));
        }
        receipts::keep(conn, &self.workspace, &self.receipt, self.before)?;
        access::add_token(conn, &self.token)?;
        Ok(None)
    }

    fn landed(&self, conn: &mut DbConnection, known: &Option<ReceiptRow>) -> Result<bool, DbError> {
        Ok(known.is_some() || access::is_there(conn, &self.token.id)?)
    }
}

struct Revoke {
    reach: Reach,
    id: String,
    at: Timestamp,
}

impl Work for Revoke {
    type Answer = bool;

    const OPERATION: Operation = Operation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        access::revoke(conn, &self.reach, &self.id, self.at)
    }

    /// Harmless when done twice: the first revocation stands.
    fn landed(&self, _: &mut DbConnection, _: &bool) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct Exchange {
    id: String,
    token: TokenRow,
}

impl Work for Exchange {
    type Answer = bool;

    const OPERATION: Operation = Operation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        access::exchange(conn, &self.id, &self.token)
    }

    fn landed(&self, conn: &mut DbConnection, _: &bool) -> Result<bool, DbError> {
        access::is_there(conn, &self.token.id)
    }
}

struct Used {
    id: String,
    at: Timestamp,
}

impl Work for Used {
    type Answer = ();

    const OPERATION: Operation = Operation::KeepAccess;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        access::used(conn, &self.id, self.at)
    }

    /// Harmless when done twice.
    fn landed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}
