//! The rows that a group of commits writes in one statement, table by table.

/// The values of a column, one per row.
pub(crate) enum ColumnArray<'a> {
    Text(Vec<&'a str>),
    TextOrNone(Vec<Option<&'a str>>),
    Number(Vec<i64>),
    NumberOrNone(Vec<Option<i64>>),
    Small(Vec<i32>),
    Flag(Vec<bool>),
    Bytes(Vec<&'a [u8]>),
    Hashes(Vec<Vec<u8>>),
}

/// The rows to write into a table, and their number.
pub(crate) struct UnnestRows<'a> {
    pub(super) columns: Vec<(&'static str, ColumnArray<'a>)>,
    pub(super) count: i64,
}

impl<'a> UnnestRows<'a> {
    pub(crate) fn from_rows<T>(rows: &[T], columns: Vec<(&'static str, ColumnArray<'a>)>) -> Self {
        Self { columns, count: i64::try_from(rows.len()).unwrap_or(i64::MAX) }
    }
}

/// The rows of all tables of a group.
pub(crate) struct CommitGroupStatement<'a> {
    /// Workspace rows by key, with the expected `seq`.
    pub(crate) workspaces: UnnestRows<'a>,
    /// Session rows by workspace key and id, with the expected sequence.
    pub(crate) sessions: UnnestRows<'a>,
    /// Log rows by session id.
    pub(crate) log: UnnestRows<'a>,
    /// Call rows by session id.
    pub(crate) calls: UnnestRows<'a>,
    /// Attempts of model calls by session id.
    pub(crate) costs: UnnestRows<'a>,
    /// All inbox items of the sessions that wait, by session id.
    pub(crate) inbox: UnnestRows<'a>,
    /// Maximum entries of a workspace: an entry's place is its workspace's number times this, plus its own number.
    pub(crate) entries_max: i64,
}
