//! The size of tests without a natural end. Each has a short form, which runs with all other tests, and a long one,
//! which `.ci/long` runs: `ENTRACTE_LONG=1`.

/// The variable that requests the long form.
pub const LONG: &str = "ENTRACTE_LONG";

/// Whether the long form is requested.
pub fn is_long_run() -> bool {
    std::env::vars_os().any(|(name, value)| name == LONG && !value.is_empty() && value != "0")
}

/// Returns `long` if the long form is requested, otherwise `short`.
pub fn scaled<T>(short: T, long: T) -> T {
    if is_long_run() { long } else { short }
}
