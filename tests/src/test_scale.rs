//! How long those tests are that could go on for ever. Each has a short form, which is run with all other tests, and a
//! long one, which `.ci/long` runs: `ENTRACTE_LONG=1`.

/// The variable that asks for the long form.
pub const LONG: &str = "ENTRACTE_LONG";

/// Whether the long form was asked for.
pub fn is_long_run() -> bool {
    std::env::vars_os().any(|(name, value)| name == LONG && !value.is_empty() && value != "0")
}

/// How much of something: `short`, or `long` where that was asked for.
pub fn scaled<T>(short: T, long: T) -> T {
    if is_long_run() { long } else { short }
}
