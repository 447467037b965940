//! Scheduled backups at an interval; the latest ones are retained. A file gets its name only when it is complete.

use std::path::PathBuf;

use entracte_adapters_db::Database;
use entracte_application::ports::Clock;
use entracte_domain::time::{Millis, Timestamp};

use crate::backup_files::{backup_times, name};
use crate::config::BackupSettings;

/// How long after a failed backup the next attempt starts.
const AGAIN: Millis = Millis::minutes(10);

/// The backups of a server.
pub(super) struct BackupScheduler {
    pub(super) database: Database,
    pub(super) settings: BackupSettings,
    /// How often a server without the database checks whether it owns it again.
    pub(super) look: Millis,
}

impl BackupScheduler {
    /// Makes backups until it is dropped, the first one immediately if the latest is too old. A server that does not
    /// own the database makes none, because its owner does. Without a schedule it does nothing.
    pub(super) async fn run_schedule(&self, clock: &dyn Clock, owns: impl Fn() -> bool) {
        let (database, settings) = (&self.database, &self.settings);
        if settings.every.0 <= 0 {
            return std::future::pending().await;
        }
        loop {
            if !owns() {
                clock.sleep(self.look).await;
                continue;
            }
            let now = clock.now();
            let wait = match wait(&backup_times(&settings.folder), settings.every, now) {
                Millis(left) if left > 0 => Millis(left),
                _ => match make(database.clone(), settings.clone(), now).await {
                    Ok(file) => {
                        tracing::info!(file = %file.display(), "a backup was made");
                        settings.every
                    }
                    Err(fault) => {
                        tracing::error!(fault, "no backup was made; it is tried again in ten minutes");
                        AGAIN
                    }
                },
            };
            clock.sleep(wait).await;
        }
    }
}

/// The time until the next backup. A backup from the future, before the clock was set back, does not delay it.
fn wait(made: &[Timestamp], every: Millis, now: Timestamp) -> Millis {
    let latest = made.iter().filter(|at| **at <= now).max();
    latest.map_or(Millis(0), |latest| Millis(every.0.saturating_sub(now.since(*latest).0)))
}

/// The oldest backups beyond `keep`; 0 retains all.
fn too_many(made: &[Timestamp], keep: usize) -> &[Timestamp] {
    match keep {
        0 => &[],
        keep => &made[..made.len().saturating_sub(keep)],
    }
}

pub(super) async fn make(
    database: Database,
    settings: BackupSettings,
    now: Timestamp,
) -> Result<PathBuf, String> {
    let made = tokio::task::spawn_blocking(move || write(&database, &settings, now)).await;
    made.map_err(|error| error.to_string())?
}

fn write(database: &Database, settings: &BackupSettings, now: Timestamp) -> Result<PathBuf, String> {
    let folder = &settings.folder;
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let whole = folder.join(name(now));
    database.backup(&whole).map_err(|error| error.to_string())?;
    for old in too_many(&backup_times(folder), settings.keep) {
        std::fs::remove_file(folder.join(name(*old))).map_err(failed)?;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp(0).plus(Millis::hours(hours))
    }

    #[test]
    fn next_backup_is_due_when_latest_is_old() {
        let every = Millis::hours(24);
        assert_eq!(wait(&[], every, at(100)), Millis(0), "there is none");
        assert_eq!(wait(&[at(50), at(90)], every, at(100)), Millis::hours(14));
        assert!(wait(&[at(50)], every, at(100)).0 <= 0);
        assert_eq!(wait(&[at(500)], every, at(100)), Millis(0), "the clock was set back");
    }

    #[test]
    fn latest_backups_are_retained() {
        let made = [at(1), at(2), at(3)];
        assert_eq!(too_many(&made, 2), [at(1)]);
        assert_eq!(too_many(&made, 3), []);
        assert_eq!(too_many(&made, 0), [], "0 keeps all");
    }
}
