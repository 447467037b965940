//! SQL of attempts of model calls that both ways of writing them share.

/// The columns of the usage.
pub(crate) const USAGE_COLUMNS: [&str; 8] =
    ["input", "cache_read", "cache_write", "output", "unknown_attempts", "micros", "rest", "priced"];

/// The assignments of an upsert that takes over what a reply brought only.
pub(crate) const REPLY_CHANGES: &str = "commands = excluded.commands, input = excluded.input, \
     cache_read = excluded.cache_read, cache_write = excluded.cache_write, output = excluded.output, unknown_attempts = excluded.unknown_attempts, \
     micros = excluded.micros, rest = excluded.rest, priced = excluded.priced";

/// A subquery for the person of the first stored attempt of a session: the workspace belongs behind its first part, the session
/// behind its second.
pub(crate) const FIRST_PERSON: [&str; 3] = [
    "(SELECT earlier.person FROM costs earlier WHERE earlier.workspace_id = ",
    " AND earlier.session_id = ",
    " ORDER BY earlier.round, earlier.attempt LIMIT 1)",
];
