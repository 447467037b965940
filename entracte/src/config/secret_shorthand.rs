//! The settings that locate the database, and the shorthand texts for them.

/// The settings that locate the database: a layer sets at most one, and only those of the highest layer count.
pub(super) const PLACES: [&str; 3] = ["database.url", "database.url_env", "database.url_file"];

/// The setting that a text of `--data` stands for, and its value there, if the text is not a folder: the URL of a
/// database server, or `env:NAME`.
pub(super) fn parse_secret_shorthand(text: &str) -> Option<(&'static str, &str)> {
    if let Some(name) = text.strip_prefix("env:") {
        return Some((PLACES[1], name));
    }
    let is_server = text.starts_with("postgres://") || text.starts_with("postgresql://");
    is_server.then_some((PLACES[0], text))
}
