//! Long tasks: which there are, how one stands, that one is called off or answered.

pub(crate) mod answer;
pub(crate) mod cancel;
pub(crate) mod get;
pub(crate) mod list;
