//! `agent …`: the agents that sessions may call.

use clap::Subcommand;

/// `agent …`
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// List the declared agents, or the agents below a session as a tree
    List {
        /// Session, ses_…; its agents with what each does, has done and has used
        session: Option<String>,
    },
    /// Show a declared agent: what it is told, which commands it may ask for, its limits
    Show {
        /// Name of the agent
        agent: String,
    },
}
