//! The redb engine: a table of numbered lines.

use std::path::Path;

use redb::{Database, ReadableDatabase as _, ReadableTable as _, TableDefinition};

use super::store::LineLogEngine;

const LINES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("lines");

/// A redb database, which locks its own file.
pub(crate) struct RedbLineEngine(Database);

impl RedbLineEngine {
    /// Opens or creates the file.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let database = Database::create(path).map_err(|error| error.to_string())?;
        let made = || {
            let write = database.begin_write()?;
            write.open_table(LINES)?;
            Ok::<_, redb::Error>(write.commit()?)
        };
        made().map_err(|error| error.to_string())?;
        Ok(Self(database))
    }

    fn read(&self) -> Result<Vec<Vec<u8>>, redb::Error> {
        let table = self.0.begin_read()?.open_table(LINES)?;
        let mut lines = Vec::new();
        for row in table.iter()? {
            lines.push(row?.1.value().to_vec());
        }
        Ok(lines)
    }

    fn write(&self, line: &[u8]) -> Result<(), redb::Error> {
        let write = self.0.begin_write()?;
        {
            let mut table = write.open_table(LINES)?;
            let next = table.last()?.map_or(0, |(last, _)| last.value() + 1);
            table.insert(next, line)?;
        }
        Ok(write.commit()?)
    }
}

impl LineLogEngine for RedbLineEngine {
    fn lines(&self) -> Result<Vec<Vec<u8>>, String> {
        self.read().map_err(|error| error.to_string())
    }

    fn append_line(&self, line: &[u8]) -> Result<(), String> {
        self.write(line).map_err(|error| error.to_string())
    }
}
