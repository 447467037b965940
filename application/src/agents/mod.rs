//! Sub-agents as declared: their identity, rights and results. Pure.
//!
//! A declared agent is a command of the catalog (`agents.NAME`, argument `query`). Calling it creates a session of its
//! own that follows the declaration, and whose rights are within those of its caller.

mod check;
mod declaration;
#[cfg(test)]
mod tests;

pub use check::AgentFault;
pub use declaration::{AgentDeclaration, AgentInstructionPart, AgentInstructions, AgentLimitSettings};

/// The prefix of an agent's command name.
const COMMANDS: &str = "agents.";

/// The name of the command that calls an agent: `agents.JobManager`.
pub fn command_name_of_agent(agent: &str) -> String {
    format!("{COMMANDS}{agent}")
}

/// The name of the agent a command calls; `None` if it calls none.
///
/// ```
/// use entracte_application::agents::{agent_name_of_command, command_name_of_agent};
///
/// assert_eq!(agent_name_of_command(&command_name_of_agent("JobManager")), Some("JobManager"));
/// assert_eq!(agent_name_of_command("zones.list"), None);
/// ```
pub fn agent_name_of_command(command: &str) -> Option<&str> {
    command.strip_prefix(COMMANDS)
}
