//! The settings that say where the database is, and what a text may say in their place.

/// The settings that say where it is: of one layer at most one, and only those of the highest layer count.
pub(super) const PLACES: [&str; 3] = ["database.url", "database.url_env", "database.url_file"];

/// The setting that a text of `--data` is for, and its value there, where it is no folder: the URL of a server's database
/// says all of it, and so does `env:NAME`.
pub(super) fn parse_secret_shorthand(text: &str) -> Option<(&'static str, &str)> {
    if let Some(name) = text.strip_prefix("env:") {
        return Some((PLACES[1], name));
    }
    let is_server = text.starts_with("postgres://") || text.starts_with("postgresql://");
    is_server.then_some((PLACES[0], text))
}
