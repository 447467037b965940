//! The crash proof: a rehearsed session is killed with -9 again and again, at every kind of place, and started
//! again each time; then it is counted what was lost and what happened twice.
//!
//! - [`story`]: what the session does.
//! - [`point`]: the places where a life may end.
//! - [`child`]: one life of the process; it ends itself with SIGKILL at its place, so the place is exact.
//! - [`parent`]: starts lives until the story is told, then checks and counts.

pub mod child;
pub mod parent;
pub mod point;
pub mod story;
