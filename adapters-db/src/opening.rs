//! Opens a database: makes it when it is not there, refuses what is not ours, and brings it to the shape of this
//! version. Holds others back meanwhile, so that many may open a new database at once.

use std::path::Path;

use diesel::PgConnection;
use diesel::r2d2::ManageConnection;

use crate::connection::{DbConnection, Opener};
use crate::dialect::postgres;
use crate::error::OpenError;
use crate::file;
use crate::location::Location;
use crate::migrations::{self, Shape, unusable};
use crate::ownership::Ownership;

/// The writer's connection, and the migrations that were applied.
pub(crate) fn open(opener: &Opener) -> Result<(DbConnection, Vec<String>), OpenError> {
    match &opener.location {
        Location::Sqlite(path) => open_file(opener, path),
        Location::Postgres(_) => open_on_server(opener),
    }
}

fn open_file(opener: &Opener, path: &Path) -> Result<(DbConnection, Vec<String>), OpenError> {
    let location = &opener.location;
    prepare(path)?;
    let _turn =
        file::wait_for_turn(path).map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
    let _alone = alone(opener, migrations::sqlite::inspect(location, path, opener.timeouts.busy)?)?;
    let mut conn = opener.connect().map_err(|error| unusable(location, error))?;
    let applied = match &mut conn {
        DbConnection::Sqlite(inner) => migrations::sqlite::apply(location, inner)?,
        DbConnection::Postgres(_) => Vec::new(),
    };
    Ok((conn, applied))
}

fn open_on_server(opener: &Opener) -> Result<(DbConnection, Vec<String>), OpenError> {
    let location = &opener.location;
    let mut conn = opener.connect().map_err(|error| unusable(location, error))?;
    let applied = match &mut conn {
        DbConnection::Sqlite(_) => Vec::new(),
        DbConnection::Postgres(inner) => {
            postgres::wait_for_turn(inner).map_err(|error| unusable(location, error))?;
            let applied = shape(opener, inner);
            postgres::end_turn(inner).map_err(|error| unusable(location, error))?;
            applied?
        }
    };
    Ok((conn, applied))
}

fn shape(opener: &Opener, conn: &mut PgConnection) -> Result<Vec<String>, OpenError> {
    let found = migrations::postgres::inspect(&opener.location, conn)?;
    let _alone = alone(opener, found)?;
    match found {
        Shape::Current => Ok(Vec::new()),
        Shape::Empty | Shape::Old => migrations::postgres::apply(&opener.location, conn),
    }
}

/// Whoever changes an old shape owns the database meanwhile.
fn alone(opener: &Opener, shape: Shape) -> Result<Option<Ownership>, OpenError> {
    match shape {
        Shape::Old => Ownership::take(opener).map(Some).map_err(OpenError::InUse),
        Shape::Empty | Shape::Current => Ok(None),
    }
}

/// Makes an empty file where there is none, and refuses what cannot be one of ours.
fn prepare(path: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    file::create_parents(path).map_err(failed)?;
    match file::create(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(error)),
    }
    let found = std::fs::metadata(path).map_err(failed)?;
    if found.is_dir() {
        return Err(OpenError::Directory { path: path.to_owned() });
    }
    if found.permissions().readonly() {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    Ok(())
}
