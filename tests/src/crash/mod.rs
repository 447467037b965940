//! The crash proof: scenes of the project are played by a process that is killed with -9 again and again, at every
//! point and at random instants, and started again each time; then it is counted what was lost and what happened
//! twice.
//!
//! - [`scene`], `script`: what is played, and what the models say.
//! - [`death`]: when a life ends; at a point it ends itself with SIGKILL, so the place is exact.
//! - [`child`]: one life of the process, with a person who does the same in each.
//! - `agents`: the agents of a scene, and what each says.
//! - `books`: the other side of long tasks.
//! - [`story`]: the lives that a scene takes, started by the parent.
//! - [`check`], `family`, [`findings`]: what must hold (of agents), and what was found.
//! - [`frozen`]: a life that is stopped before it sends, and followed.
//! - `server`: how a life comes back when it lost its database.
//! - [`troubles`]: a life whose lock is cut or taken, whose disk is full for a while, or that is started again.
//! - [`many`], [`every`]: so many kills on one database; every point of every scene, each in a file of its own.

pub mod agents;
mod books;
pub mod check;
pub mod child;
mod clock;
pub mod death;
pub mod every;
mod family;
pub mod findings;
pub mod frozen;
mod hanging;
mod knowledge;
pub mod many;
mod notify;
mod person;
mod runs;
pub mod scene;
mod script;
mod server;
pub mod story;
pub mod troubles;
