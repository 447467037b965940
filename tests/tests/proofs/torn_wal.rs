//! A power cut or a failing disk tears the write-ahead log of SQLite. The reopened database is its state after the last
//! complete commit, or the damage is reported; never half a commit.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod wal_image;

use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_tests::crash::every_point::in_memory;
use entracte_tests::crash::random_kills::CrashRng;
use entracte_tests::test_scale::scaled;

use wal_image::{WalTestImage, last_entry, open, work};

/// Number of positions at which the log is torn, in the long form and in the short one.
const PLACES: u32 = 1000;
const PLACES_SHORT: u32 = 300;

/// Size in bytes of the log's header, and of each page header in it.
const HEAD: usize = 32;
const PAGE_HEAD: usize = 24;

/// Bytes of an older log that remain behind the end of one that was restarted.
const TAIL: usize = 200_000;

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The ends of the commits in a log, up to the part that is older than its header.
fn commits(wal: &[u8]) -> Vec<usize> {
    let page = PAGE_HEAD + number(wal, 8) as usize;
    let mut ends = Vec::new();
    let mut at = HEAD;
    while at + page <= wal.len() && wal[at + 8..at + 16] == wal[16..24] {
        at += page;
        if number(wal, at - page + 4) > 0 {
            ends.push(at);
        }
    }
    ends
}

/// A damage of the log.
#[derive(Clone, Copy, Debug)]
enum WalDamage {
    /// The log ends here.
    Cut(usize),
    /// One bit is flipped.
    Flip(usize, u8),
    /// Zeros from here on, as in a file that was extended before it was written.
    Zeros(usize),
    /// One page of other bytes from here on.
    Noise(usize, u64),
}

impl WalDamage {
    /// At any position, or often near the end, where a power cut tears.
    fn choose(dice: &mut CrashRng, length: usize, tail: usize) -> Self {
        let from = if dice.roll(2) == 1 { 0 } else { length - tail };
        let at = from + dice.roll(u32::try_from(length - from).unwrap()) as usize - 1;
        match dice.roll(5) {
            1 | 2 => WalDamage::Cut(at),
            3 => WalDamage::Flip(at, 1 << (dice.roll(8) - 1)),
            4 => WalDamage::Zeros(at),
            _ => WalDamage::Noise(at, u64::from(dice.roll(u32::MAX))),
        }
    }

    fn at(self) -> usize {
        match self {
            WalDamage::Cut(at) | WalDamage::Flip(at, _) | WalDamage::Zeros(at) | WalDamage::Noise(at, _) => {
                at
            }
        }
    }

    fn tear(self, wal: &mut Vec<u8>) {
        match self {
            WalDamage::Cut(at) => wal.truncate(at),
            WalDamage::Flip(at, bit) => wal[at] ^= bit,
            WalDamage::Zeros(at) => wal[at..].fill(0),
            WalDamage::Noise(at, seed) => {
                let mut dice = CrashRng(seed);
                let end = wal.len().min(at + 4096);
                wal[at..end].fill_with(|| u8::try_from(dice.roll(256) - 1).unwrap());
            }
        }
    }
}

/// The state of a database, row by row: its index among `states`. Otherwise the difference.
async fn judge(database: &Database, states: &[(u64, Database)]) -> Result<usize, String> {
    let damage = database.check().map_err(|error| error.to_string())?;
    if !damage.is_empty() {
        return Err(format!("it is damaged: {damage:?}"));
    }
    let last = last_entry(database).await;
    let same = |(seq, state): &(u64, Database)| {
        *seq == last && database.differences(state).is_ok_and(|tables| tables.is_empty())
    };
    states.iter().position(same).ok_or_else(|| "it is in no state that was committed".to_owned())
}

/// Writes a file and its log to a new folder, as a killed process leaves them, and opens it. A panic is a panic of the
/// test.
fn reopen(folder: &Path, file: &[u8], wal: &[u8]) -> Result<Database, String> {
    let path = folder.join("entracte.db");
    std::fs::write(&path, file).unwrap();
    std::fs::write(folder.join("entracte.db-wal"), wal).unwrap();
    Database::open(path.to_str().unwrap(), DatabaseOptions::default()).map_err(|error| error.to_string())
}

/// Tears the log at this many positions; returns how often the damage was reported.
async fn tear(worked: &WalTestImage, places: u32, seed: u64) -> u32 {
    let ends = commits(&worked.wal);
    let length = *ends.last().unwrap();
    // The first state in the log; those before it are in the file.
    let base = worked.states.len() - 1 - ends.len();
    let mut dice = CrashRng(seed);
    let (mut reported, mut found) = (0, std::collections::BTreeSet::new());
    for _ in 0..places {
        let tear = WalDamage::choose(&mut dice, length, length / 10);
        let mut wal = worked.wal.clone();
        tear.tear(&mut wal);
        // A new folder each time: a connection that closes a moment later must not affect the next one.
        let folder = in_memory().unwrap();
        match reopen(folder.path(), &worked.file, &wal) {
            Ok(database) => {
                let state = judge(&database, &worked.states).await;
                let state = state.unwrap_or_else(|why| panic!("seed {seed}, {tear:?}: {why}"));
                // No complete commit is lost; zeros may have been there before, and change nothing.
                let whole = base + ends.iter().filter(|end| **end <= tear.at()).count();
                assert!(state >= whole, "seed {seed}, {tear:?}: state {state}, and {whole} is whole");
                found.insert(state);
            }
            Err(report) => {
                assert!(report.contains("entracte.db"), "{tear:?}: {report}");
                reported += 1;
            }
        }
    }
    assert!(found.len() > ends.len() / 2, "all kinds of states are found: {found:?} of {}", ends.len());
    reported
}

#[tokio::test(flavor = "multi_thread")]
async fn torn_wal_opens_clean_or_reports() {
    let worked = work(0).await;
    let ends = commits(&worked.wal);
    assert!(ends.len() > 30, "{} commits", ends.len());
    assert_eq!(ends.len(), worked.states.len() - 1, "each commit is one transaction, and all are in the log");
    let reported = tear(&worked, scaled(PLACES_SHORT, PLACES), 20_261_121).await;
    // SQLite verifies every page of the log by its checksum, and applies the log up to the last complete commit.
    assert_eq!(reported, 0);
}

/// After a restart of the log, the bytes behind its end belong to an older log, and no part of it may return.
#[tokio::test(flavor = "multi_thread")]
async fn restarted_torn_wal_restores_no_old_commit() {
    let mut worked = work(60).await;
    let ends = commits(&worked.wal);
    assert!(number(&worked.wal, 12) > 0, "the log began anew");
    assert!(*ends.last().unwrap() + TAIL < worked.wal.len(), "and is shorter than it was");
    worked.wal.truncate(ends.last().unwrap() + TAIL);
    tear(&worked, PLACES / 10, 20_261_121).await;
}

/// The check works: half a commit is no state.
#[tokio::test(flavor = "multi_thread")]
async fn half_commit_is_detected() {
    let worked = work(0).await;
    let folder = in_memory().unwrap();
    let whole = reopen(folder.path(), &worked.file, &worked.wal).unwrap();
    assert_eq!(judge(&whole, &worked.states).await, Ok(worked.states.len() - 1));
    drop(whole);
    let path = folder.path().join("entracte.db");
    let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    let half = "UPDATE workspaces SET seq = seq - 1; DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)";
    conn.batch_execute(half).unwrap();
    let judged = judge(&open(&path), &worked.states).await;
    assert!(judged.is_err(), "{judged:?}");
}
