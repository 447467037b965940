//! SQL of attempts of model calls that both ways of writing them share.

/// The columns of the usage.
pub(crate) const USAGE_COLUMNS: [&str; 8] =
    ["input", "cache_read", "cache_write", "output", "unknown_attempts", "micros", "rest", "priced"];

/// The columns of what an attempt reserved: its state, then the amount.
pub(crate) const HOLD_COLUMNS: [&str; 4] = ["hold", "held_tokens", "held_micros", "held_rest"];

/// Numbers of [`HOLD_COLUMNS`]' state.
pub(crate) const RESERVED: i64 = 1;
pub(crate) const UNCERTAIN: i64 = 2;

/// The sums of reservations with the expression that each adds up, in this order: tokens, millionths of a dollar and rest,
/// of what is reserved, of what is uncertain, and of the overrun.
pub(crate) const HOLD_SUMS: [(&str, &str); 9] = [
    ("reserved_tokens", "CASE WHEN hold = 1 THEN held_tokens ELSE 0 END"),
    ("reserved_micros", "CASE WHEN hold = 1 THEN held_micros ELSE 0 END"),
    ("reserved_rest", "CASE WHEN hold = 1 THEN held_rest ELSE 0 END"),
    (
        "uncertain_tokens",
        "CASE WHEN hold = 2 AND held_tokens > input + cache_read + cache_write + output \
         THEN held_tokens - (input + cache_read + cache_write + output) ELSE 0 END",
    ),
    (
        "uncertain_micros",
        "CASE WHEN hold = 2 OR hold = 3 AND priced = 0 AND input + cache_read + cache_write + output > 0 \
         THEN held_micros ELSE 0 END",
    ),
    (
        "uncertain_rest",
        "CASE WHEN hold = 2 OR hold = 3 AND priced = 0 AND input + cache_read + cache_write + output > 0 \
         THEN held_rest ELSE 0 END",
    ),
    (
        "overrun_tokens",
        "CASE WHEN hold >= 2 AND input + cache_read + cache_write + output > held_tokens \
         THEN input + cache_read + cache_write + output - held_tokens ELSE 0 END",
    ),
    (
        "overrun_micros",
        "CASE WHEN hold = 3 AND (micros > held_micros OR micros = held_micros AND rest > held_rest) \
         THEN micros - held_micros ELSE 0 END",
    ),
    (
        "overrun_rest",
        "CASE WHEN hold = 3 AND (micros > held_micros OR micros = held_micros AND rest > held_rest) \
         THEN rest - held_rest ELSE 0 END",
    ),
];

/// The assignments of an upsert that takes over what a reply brought only. Usage that is stated later leaves the commands of
/// the reply.
pub(crate) const REPLY_CHANGES: &str = "commands = CASE WHEN excluded.commands = '' THEN costs.commands \
     ELSE excluded.commands END, input = excluded.input, cache_read = excluded.cache_read, \
     cache_write = excluded.cache_write, output = excluded.output, unknown_attempts = excluded.unknown_attempts, \
     micros = excluded.micros, rest = excluded.rest, priced = excluded.priced, \
     hold = CASE WHEN costs.hold = 0 THEN 0 WHEN excluded.unknown_attempts = 0 THEN 3 ELSE 2 END";

/// A subquery for the person of the first stored attempt of a session: the workspace belongs behind its first part, the session
/// behind its second.
pub(crate) const FIRST_PERSON: [&str; 3] = [
    "(SELECT earlier.person FROM costs earlier WHERE earlier.workspace_id = ",
    " AND earlier.session_id = ",
    " ORDER BY earlier.round, earlier.attempt LIMIT 1)",
];
