//! The runtime: all events of a workspace are handled in order by its one task.
//!
//! ```text
//! request / outcome / wake-up -> handle: transition per session, then placement -> one commit -> publish
//!        -> desired effects -> perform: provider | executor -> outcome -> handle ...
//! ```
//!
//! [`Workspace::handle`] is the one writer of a workspace; it works on a draft and takes the draft over when its
//! commit is acknowledged, so memory is never ahead of the database. [`perform`] does one effect. Effects are
//! derived, not stored: what is desired and does not run is started, what runs and is no longer desired is
//! dropped. [`LocalRuntime`] runs both in one process.

mod accounts;
mod alarm;
mod call_limits;
mod compaction;
mod data;
mod draft;
mod feed;
mod incoming;
mod job;
mod local;
mod lock;
mod moment;
mod needs;
mod network;
mod news;
mod outcome;
mod overlay;
mod owner;
mod perform;
mod plan;
mod prefixes;
mod providers;
mod recovery;
mod remote;
mod requests;
mod run;
mod schedule;
mod scrub;
mod services;
#[cfg(feature = "test-helpers")]
pub mod side_by_side;
mod spoken;
mod task;
mod tick;
mod turn;
mod under_way;
mod workspace;

pub use accounts::Accounts;
pub use feed::BroadcastFeed;
pub use incoming::{Incoming, Outcome};
pub use local::LocalRuntime;
pub use moment::Moment;
pub use owner::Owner;
pub use perform::{Job, Means, perform};
pub use providers::Providers;
pub use remote::RemoteMailSender;
pub use services::{Services, StorePorts};
pub use under_way::UnderWay;
pub use workspace::{Handled, TurnError, Workspace};

#[cfg(test)]
mod tests;
