//! Sub-agents, as they are declared: who they are, what they may do, and what they answer with. Pure.
//!
//! A declared agent is a command of the catalog (`agents.NAME`, argument `query`). Calling it makes a session of its own
//! that works by what is declared here, and whose rights are within those of who called it.

mod check;
mod declaration;
#[cfg(test)]
mod tests;

pub use check::AgentFault;
pub use declaration::{AgentDeclaration, AgentInstructionPart, AgentInstructions, AgentLimitSettings};

/// What stands before the name of an agent in the name of its command.
const COMMANDS: &str = "agents.";

/// The command by which an agent of that name is called: `agents.JobManager`.
pub fn command_name_of_agent(agent: &str) -> String {
    format!("{COMMANDS}{agent}")
}

/// The agent that a command calls; none where it calls none.
///
/// ```
/// use entracte_application::agents::{agent_of, command_of};
///
/// assert_eq!(agent_of(&command_of("JobManager")), Some("JobManager"));
/// assert_eq!(agent_of("zones.list"), None);
/// ```
pub fn agent_name_of_command(command: &str) -> Option<&str> {
    command.strip_prefix(COMMANDS)
}
