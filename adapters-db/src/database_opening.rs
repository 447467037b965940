//! Opening of a database: creates it if it does not exist, refuses databases of other programs, and applies missing
//! migrations. Holds a lock meanwhile, so that several processes may open a new database at the same time.

#[cfg(feature = "sqlite")]
mod file;
#[cfg(feature = "sqlite")]
mod memory;
#[cfg(feature = "postgres")]
mod server;
mod shared_steps;

use crate::connection_manager::DbConnectionManager;
use crate::cost_count;
use crate::error::OpenError;
use crate::inbox_listing;
use crate::location::DatabaseLocation;
use crate::migrations::unusable;
use crate::opening_progress::OpeningCallback;
pub(crate) use shared_steps::DatabaseOpening;

/// Opens the database and migrates it to the current schema.
pub(crate) fn open(
    opener: &DbConnectionManager,
    tell: OpeningCallback<'_>,
) -> Result<DatabaseOpening, OpenError> {
    let mut opened = match &opener.location {
        #[cfg(feature = "sqlite")]
        DatabaseLocation::Sqlite(path) => file::open_file(opener, path, tell),
        #[cfg(feature = "sqlite")]
        DatabaseLocation::Memory(memory) => memory::open_in_memory(opener, memory, tell),
        #[cfg(feature = "postgres")]
        DatabaseLocation::Postgres(url) => server::open_on_server(opener, url, tell),
        #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
        left_out => Err(left_out.not_built_in().into()),
    }?;
    // Also if a process died while it did this.
    cost_count::count_untried(&mut opened.writer, tell).map_err(|error| unusable(&opener.location, error))?;
    inbox_listing::list_unread(&mut opened.writer, tell)
        .map_err(|error| unusable(&opener.location, error))?;
    Ok(opened)
}
