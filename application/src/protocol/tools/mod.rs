//! The `tools` dialect: commands as native tools of the provider, and tools of our own by which a model asks,
//! completes and plans, and by which an agent ends.

mod control_tools;
mod native;
#[cfg(test)]
mod tests;

pub use crate::command_naming::{OWN_TOOLS, tool_name};
pub use native::{NativeToolReply, declarations, declarations_of, parse_tool_reply, with_approval_request};
