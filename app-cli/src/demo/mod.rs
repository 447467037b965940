//! `demo`: the rehearsed story on a temporary database, with a real process that is really killed.
//!
//! - [`story`]: what the user, the model and the checks know of the story.
//! - [`services`]: the parts of a process of the story.
//! - [`mod@child`]: the process that runs the session, and is killed.
//! - [`show`]: the process that watches, approves, kills, and starts again.
//! - [`checks`]: what must be true at the end; one that fails ends the demo with 1.

mod checks;
mod hanging_executor;
mod presenter;
mod services;
mod session_process;
mod story;

pub(crate) use presenter::run;
pub(crate) use session_process::child;
