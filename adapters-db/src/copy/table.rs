//! Copying of one table: its rows in key order, page by page, so that a copy needs memory for one page only.

use diesel::QueryResult;

use crate::connection::DbConnection;

/// Rows per page.
pub(crate) const PAGE: i64 = 500;

/// Rows per page of a table whose rows are large.
pub(crate) const LARGE_ROWS_PAGE: i64 = 4;

/// The copy operations of one table.
pub(crate) struct TableCopier {
    /// Name of the table.
    pub(crate) name: &'static str,
    /// The column whose numbers the database generates; `None` if there is none.
    pub(crate) number: Option<&'static str>,
    /// Counts the rows.
    pub(crate) count: fn(&mut DbConnection) -> QueryResult<i64>,
    /// Copies the rows into the other database; returns their number.
    pub(crate) copy: fn(&mut DbConnection, &mut DbConnection) -> Result<u64, RowCopyError>,
    /// Whether both databases contain the same rows.
    pub(crate) same: fn(&mut DbConnection, &mut DbConnection) -> Result<bool, RowCopyError>,
}

/// The side on which a copy failed.
pub(crate) enum RowCopyError {
    Reading(diesel::result::Error),
    Writing(diesel::result::Error),
}

/// Calls `each` with every page of rows; `page` returns the rows after a given row.
pub(crate) fn for_each_page<R>(
    mut page: impl FnMut(Option<&R>) -> Result<Vec<R>, RowCopyError>,
    mut each: impl FnMut(&[R]) -> Result<bool, RowCopyError>,
) -> Result<u64, RowCopyError> {
    let mut last: Option<R> = None;
    let mut count = 0;
    loop {
        let mut rows = page(last.as_ref())?;
        count += rows.len() as u64;
        if !each(&rows)? {
            return Ok(count);
        }
        match rows.pop() {
            Some(row) => last = Some(row),
            None => return Ok(count),
        }
    }
}

/// Creates a [`TableCopier`] for a table of the schema: `key` names its key columns in order, `after` is the condition
/// for rows after the row `last`. `rows` is the number of rows per page, unless it is [`PAGE`].
macro_rules! table {
    (@rows) => { PAGE };
    (@rows $rows:expr) => { $rows };
    ($table:ident { $($column:ident: $type:ty),+ $(,)? } number $number:expr, key ($($key:ident),+), $(rows $rows:expr,)? after |$last:ident| $after:expr) => {{
        const ROWS: i64 = table!(@rows $($rows)?);

        #[derive(Clone, Debug, PartialEq, diesel::Queryable, diesel::Insertable)]
        #[diesel(table_name = crate::schema::$table)]
        #[diesel(treat_none_as_default_value = false)]
        struct TableCopyRow { $($column: $type),+ }

        fn page(conn: &mut DbConnection, last: Option<&TableCopyRow>) -> QueryResult<Vec<TableCopyRow>> {
            let columns = ($(crate::schema::$table::$column,)+);
            let all = crate::schema::$table::table.select(columns).order(($(crate::schema::$table::$key,)+)).limit(ROWS);
            match last {
                None => all.load(conn),
                Some($last) => all.filter($after).load(conn),
            }
        }

        fn count(conn: &mut DbConnection) -> QueryResult<i64> {
            crate::schema::$table::table.count().get_result(conn)
        }

        fn copy(from: &mut DbConnection, to: &mut DbConnection) -> Result<u64, RowCopyError> {
            let write = |rows: &[TableCopyRow]| {
                for row in rows {
                    let new = diesel::insert_into(crate::schema::$table::table).values(row.clone());
                    new.execute(to).map_err(RowCopyError::Writing)?;
                }
                Ok(true)
            };
            for_each_page(|last| page(from, last).map_err(RowCopyError::Reading), write)
        }

        fn same(from: &mut DbConnection, to: &mut DbConnection) -> Result<bool, RowCopyError> {
            let (mut same, mut last) = (true, None);
            let compare = |rows: &[TableCopyRow]| {
                let there = page(to, last.as_ref()).map_err(RowCopyError::Writing)?;
                last = rows.last().cloned();
                same &= there == rows;
                Ok(same)
            };
            for_each_page(|last| page(from, last).map_err(RowCopyError::Reading), compare)?;
            Ok(same)
        }

        TableCopier { name: stringify!($table), number: $number, count, copy, same }
    }};
}

pub(crate) use table;
