//! Who handles a database's events: one process at a time. For SQLite by a lock on a file beside the database, for
//! Postgres by a lock of the server on a connection of its own. Both are given back when the process ends, however
//! it ends.
//!
//! A file's lock cannot be lost; a server's can, with its connection. Whoever owns writes through
//! [`Ownership::guard`], which commits nothing while the right is lost, and nothing outside starts without a commit.
//!
//! Owning is not needed to read, nor to post mail, and the store does not check it.

mod advisory;
mod file;
mod guard;

use std::sync::Arc;

use entracte_application::ports::Store;
use entracte_domain::time::Millis;

use crate::connection::{Opener, Role};
use crate::error::OwnershipError;
use crate::location::Location;

/// How often a lock of a server is looked after when nobody says otherwise.
const LOOK_AFTER: Millis = Millis::seconds(2);

/// The right to handle a database's events; given back when dropped.
#[derive(Debug)]
pub struct Ownership {
    held: Held,
}

#[derive(Debug)]
enum Held {
    /// Only kept: the lock ends with it.
    File {
        _lock: file::FileLock,
    },
    Server(advisory::AdvisoryLock),
}

impl Ownership {
    /// Takes the right, or says who has it. Never waits for another owner.
    pub(crate) fn take(opener: &Opener) -> Result<Self, OwnershipError> {
        Self::take_and_look_after(opener, LOOK_AFTER)
    }

    /// The same; where the lock can be lost, it is looked after so often.
    pub(crate) fn take_and_look_after(opener: &Opener, every: Millis) -> Result<Self, OwnershipError> {
        let held = match &opener.location {
            Location::Sqlite(path) => Held::File { _lock: file::FileLock::take(path)? },
            Location::Postgres(_) => {
                let opener = Opener { role: Role::Owner, ..opener.clone() };
                Held::Server(advisory::AdvisoryLock::take(opener, every)?)
            }
        };
        Ok(Self { held })
    }

    /// Whether the right is still there. One that was lost comes back when the server can be reached again and
    /// nobody took it meanwhile. Asks nothing of the server.
    pub fn is_held(&self) -> bool {
        match &self.held {
            Held::File { .. } => true,
            Held::Server(lock) => lock.probe().is_held(),
        }
    }

    /// The same store for an owner: it commits nothing while the right is lost.
    pub fn guard(&self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        match &self.held {
            Held::File { .. } => store,
            Held::Server(lock) => Arc::new(guard::OwnersStore { store, probe: lock.probe() }),
        }
    }
}
