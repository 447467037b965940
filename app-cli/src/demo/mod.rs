//! `demo`: the rehearsed story on a temporary database, with a real process that is really killed.
//!
//! - [`story`]: what the user, the model and the checks know of the story.
//! - [`house`]: the parts of a process of the story.
//! - [`mod@child`]: the process that runs the session, and is killed.
//! - [`show`]: the process that watches, gives leave, kills, and starts again.
//! - [`checks`]: what must be true at the end; one that fails ends the demo with 1.

mod checks;
mod child;
mod house;
mod pausing;
mod show;
mod story;

pub(crate) use child::child;
pub(crate) use show::run;
