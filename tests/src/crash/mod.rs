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

mod agent_tree;
pub mod agents;
mod automation_user;
pub mod child;
mod clock;
pub mod every_point;
pub mod findings;
pub mod freeze;
mod hanging_executor;
pub mod invariants;
mod knowledge;
mod notify;
pub mod outages;
pub mod random_kills;
mod restartable_runtime;
pub mod scenario;
pub mod scenario_run;
mod script;
mod task_server;
pub mod trigger;
mod user;
