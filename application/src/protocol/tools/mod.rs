//! The `tools` dialect: commands as native tools of the provider, and three tools of our own by which a model asks,
//! completes and plans.

mod native;
mod own;
#[cfg(test)]
mod tests;

pub use crate::names::{OWN_TOOLS, tool_name};
pub use native::{Reading, declarations, read, wishing_approval};
