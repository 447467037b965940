//! The crash proof: a process plays scenarios of the product, is killed with -9 again and again, at every crash point
//! and at random instants, and is restarted each time; then lost and repeated work is counted.
//!
//! - [`scenario`], `script`: the scenarios and the replies of their models.
//! - [`trigger`]: when a process ends; at a crash point it sends SIGKILL to itself, so the point is exact.
//! - [`child`]: one process, with a user who does the same in each.
//! - `user`, `automation_user`: the user of a chat, and of an automation.
//! - [`agents`]: the agents of a scenario and their scripts.
//! - `task_server`: the external side of long tasks.
//! - [`scenario_run`]: the processes of one scenario, started by the parent.
//! - [`invariants`], `agent_tree`, [`findings`]: the invariants (of agents), and the violations found.
//! - [`freeze`]: a process that is stopped before a send, and replaced.
//! - `retention`: a chat that goes by the retention policy.
//! - `crash_ownership`: the right of a process, to the database or beside other processes.
//! - `restartable_runtime`: how a process continues after it lost its database.
//! - [`outages`]: a process whose lock is cut or taken, whose disk is full for a while, or that is restarted.
//! - [`random_kills`], [`every_point`]: random kills on one database; every point of every scenario, each in its own
//!   file.

mod agent_tree;
pub mod agents;
mod automation_user;
pub mod child;
mod clock;
mod crash_ownership;
pub mod every_point;
mod files;
pub mod findings;
pub mod freeze;
mod hanging_executor;
pub mod invariants;
mod knowledge;
mod notify;
pub mod outages;
pub mod random_kills;
mod restartable_runtime;
mod retention;
pub mod scenario;
pub mod scenario_run;
mod script;
mod task_server;
pub mod trigger;
mod user;
