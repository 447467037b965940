//! The stored data of each release, kept for ever under `tests/fixtures/RELEASE`: journals of sessions in every phase
//! with every input, and a whole database. Every later version reads them as that release did, and continues from them.
//!
//! A fixture is never changed. If these tests fail, stored data would be read differently: that needs a new version of
//! its shape and an upcaster, or a transition that treats journaled inputs as before.
//!
//! The fixtures of a release are made once: `cargo test -p entracte-tests --test proofs -- --ignored golden`

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod database;
mod generation;
mod journals;

use std::path::PathBuf;

use crate::backends::scenario;

/// The folder of fixtures.
fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The fixture folders of all releases.
fn releases() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fixtures()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "there are fixtures in {}", fixtures().display());
    found
}
