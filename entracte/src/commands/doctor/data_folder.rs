//! Checks the data folder, its disk, and the clock.

use std::path::{Path, PathBuf};

use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::Timestamp;

use super::DoctorCheck;
use crate::config::AppSettings;
use crate::secrets::places;
use crate::user_text::message;

/// The free bytes below which a disk is nearly full.
const LITTLE_SPACE: u64 = 500_000_000;
/// The free bytes below which writes are likely to fail.
const NO_SPACE: u64 = 20_000_000;
/// A clock before this instant was never set: 2026-01-01.
const EARLIEST: Timestamp = Timestamp(1_767_225_600_000_000);
/// A clock after this instant is wrong: 2100-01-01.
const LATEST: Timestamp = Timestamp(4_102_444_800_000_000);

/// Checks folder and disk of the data, or of the database file.
pub(super) fn checks(settings: &AppSettings) -> Vec<DoctorCheck> {
    let Ok(location) = settings.database.location(&*places(&settings.parts)) else { return Vec::new() };
    let folder = location.file().map_or_else(|| settings.data.clone(), folder_of);
    let existing = existing(&folder);
    vec![writable(&folder, &existing), space(&existing)]
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

/// The folder, or its nearest existing ancestor.
fn existing(folder: &Path) -> PathBuf {
    let found = folder.ancestors().find(|folder| folder.is_dir());
    found.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

fn writable(folder: &Path, existing: &Path) -> DoctorCheck {
    let shown = folder.display().to_string();
    if let Some(file) = folder.ancestors().find(|above| above.exists() && !above.is_dir()) {
        let fix = message!("doctor-folder-other", folder = shown);
        let says = message!("doctor-folder-is-file", file = file.display().to_string());
        return DoctorCheck::fail("data folder", says, fix);
    }
    match tempfile::tempfile_in(existing) {
        Ok(_) if folder.is_dir() => {
            DoctorCheck::ok("data folder", message!("doctor-folder-writable", folder = shown))
        }
        Ok(_) => DoctorCheck::ok("data folder", message!("doctor-folder-none", folder = shown)),
        Err(error) => {
            let fix = message!("doctor-folder-fix", folder = shown);
            let existing = existing.display().to_string();
            let says = message!("cannot-be-written", file = existing, why = error.to_string());
            DoctorCheck::fail("data folder", says, fix)
        }
    }
}

fn space(folder: &Path) -> DoctorCheck {
    match fs4::available_space(folder) {
        Ok(free) => of_space(free),
        Err(error) => DoctorCheck::warn(
            "disk space",
            message!("doctor-space-unknown", why = error.to_string()),
            message!("doctor-space-unknown-fix"),
        ),
    }
}

fn of_space(free: u64) -> DoctorCheck {
    let says = message!("doctor-space", megabytes = free / 1_000_000);
    let fix = message!("doctor-space-fix");
    match free {
        free if free < NO_SPACE => DoctorCheck::fail("disk space", says, fix),
        free if free < LITTLE_SPACE => DoctorCheck::warn("disk space", says, fix),
        _ => DoctorCheck::ok("disk space", says),
    }
}

/// Checks the clock.
pub(super) fn clock() -> DoctorCheck {
    of_clock(SystemClock.now())
}

fn of_clock(now: Timestamp) -> DoctorCheck {
    let says = message!("doctor-clock", now = crate::render::time::iso(now));
    if (EARLIEST..LATEST).contains(&now) {
        DoctorCheck::ok("clock", says)
    } else {
        let fix = message!("doctor-clock-fix");
        DoctorCheck::fail("clock", says, fix)
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;

    #[test]
    fn file_in_place_of_folder_is_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let shown = file.path().display().to_string();
        for folder in [file.path().to_owned(), file.path().join("deeper")] {
            let check = writable(&folder, &existing(&folder));
            assert_eq!(
                (check.grade, check.says.to_string()),
                (CheckStatus::Fail, format!("{shown} is a file, not a folder"))
            );
        }
    }

    #[test]
    fn full_disk_and_wrong_clock_are_reported() {
        let grades = [10_000_000, 100_000_000, 10_000_000_000].map(|free| of_space(free).grade);
        assert_eq!(grades, [CheckStatus::Fail, CheckStatus::Warn, CheckStatus::Ok]);
        let grades = [Timestamp(0), EARLIEST, LATEST].map(|now| of_clock(now).grade);
        assert_eq!(grades, [CheckStatus::Fail, CheckStatus::Ok, CheckStatus::Fail]);
    }
}
