//! The `tools` dialect: commands as native tools of the provider, plus Entracte's control tools, with which a
//! model asks, completes and plans, and an agent ends.

mod control_tools;
mod native;
#[cfg(test)]
mod tests;

pub use crate::command_naming::{OWN_TOOLS, tool_name};
pub use native::{NativeToolReply, declarations, declarations_of, parse_tool_reply, with_approval_request};
pub(crate) use native::{command_declaration, encode_native_call, unwrap_native_call};
