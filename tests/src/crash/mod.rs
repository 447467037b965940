//! The crash proof: scenes of the project are played by a process that is killed with -9 again and again, at every
//! point and at random instants, and started again each time; then it is counted what was lost and what happened
//! twice.
//!
//! - [`scene`]: what is played.
//! - [`death`]: when a life ends; at a point it ends itself with SIGKILL, so the place is exact.
//! - [`child`]: one life of the process, with a person who does the same in each.
//! - `books`: the other side of long tasks.
//! - [`story`]: the lives that a scene takes, started by the parent.
//! - [`check`], [`findings`]: what must hold, and what was found.
//! - [`frozen`]: a life that is stopped before it sends, and followed.
//! - [`many`], [`every`]: so many kills on one database; every point of every scene, each in a file of its own.

mod books;
pub mod check;
pub mod child;
mod clock;
pub mod death;
pub mod every;
pub mod findings;
pub mod frozen;
mod hanging;
mod knowledge;
pub mod many;
mod notify;
mod person;
mod runs;
pub mod scene;
pub mod story;
