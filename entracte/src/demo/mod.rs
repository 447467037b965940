//! `demo`: a rehearsed story on a temporary database, with a real process that is really killed.
//!
//! - [`story`]: the texts of the story, for the user, the model and the checks.
//! - [`services`]: the services of a process of the story.
//! - [`mod@session_process`]: the process that runs the session, and is killed.
//! - [`presenter`]: the process that shows the entries, approves, kills, and starts again.
//! - [`checks`]: the checks at the end; a failed one ends the demo with exit code 1.

mod action_executor;
mod checks;
mod presenter;
mod services;
mod session_process;
mod story;

pub(crate) use presenter::run;
pub(crate) use session_process::child;
