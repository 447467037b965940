//! The files of scheduled backups: their names, and the latest one, for a person whose database is damaged.

use std::path::{Path, PathBuf};

use entracte_domain::time::Timestamp;

/// The prefix and suffix of backup names. Between them is the instant in microseconds since 1970, with a fixed number
/// of digits, so that names sort by time.
const PREFIX: &str = "entracte-";
const SUFFIX: &str = ".db";
const DIGITS: usize = 20;

/// The instants of the backups in a folder, earliest first.
pub(crate) fn backup_times(folder: &Path) -> Vec<Timestamp> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut made: Vec<Timestamp> = names.filter_map(|name| instant(&name)).collect();
    made.sort();
    made
}

/// The latest backup in a folder; `None` if there is none.
pub(crate) fn latest_backup(folder: &Path) -> Option<PathBuf> {
    backup_times(folder).last().map(|at| folder.join(name(*at)))
}

/// The instant in a backup's name; `None` for any other file.
fn instant(name: &str) -> Option<Timestamp> {
    let digits = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let is_ours = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_ours.then(|| digits.parse().ok().map(Timestamp))?
}

/// The name of a backup made at an instant.
pub(crate) fn name(at: Timestamp) -> String {
    format!("{PREFIX}{:0DIGITS$}{SUFFIX}", at.0)
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Millis;

    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp(0).plus(Millis::hours(hours))
    }

    #[test]
    fn only_own_files_count_in_time_order() {
        assert_eq!(instant(&name(at(5))), Some(at(5)));
        assert!(name(at(9)) < name(at(1_000_000)));
        for other in ["entracte.db", "entracte-1.db", "entracte-before-upgrade.db", "x", &name(at(1))[1..]] {
            assert_eq!(instant(other), None, "{other}");
        }
    }
}
