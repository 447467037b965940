//! A session's row.

use super::facts::Facts;
use super::phase::Phase;
use super::shape::shape;
use crate::codec::version::UpTo2;
use crate::journal;

shape! {
    pub(crate) struct Snapshot = journal::Snapshot, as UpTo2 {
        facts: Facts,
        phase: Phase,
    }
}
