use super::{FilesExecutor, HistoryExecutor, ResultsExecutor};

/// The queries with which a session reads what is its own. No restriction takes them away, and a client that keeps its own
/// history has no use for them.
pub const OWN_SESSION_QUERIES: [&str; 3] =
    [ResultsExecutor::NAME, HistoryExecutor::NAME, FilesExecutor::NAME];
