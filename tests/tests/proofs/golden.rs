//! What a release stored, kept for ever under `tests/fixtures/RELEASE`: journals of sessions in every phase with every
//! input, and a whole database. Every later version reads them as that release did, and goes on from them.
//!
//! A fixture is never changed. When these tests fail, what is stored would be read otherwise: that needs a new version
//! of its shape and an upcaster, or a transition that does as before for what is in the journals.
//!
//! At a release its fixtures are made, once: `cargo test -p entracte-tests --test proofs -- --ignored golden`

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

/// The folders of all releases that left fixtures.
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
