//! `retention …`

use clap::Subcommand;

use super::InstructionsScopeArgs;

/// `retention …`
#[derive(Debug, Subcommand)]
pub(crate) enum RetentionCommand {
    /// Show how long each kind of data is kept
    ///
    /// Set the limits in the table retention of the configuration, or for one workspace:
    /// entracte workspace settings set retention "chats=90d, results=30d"
    Show,
    /// Remove now what goes by the limits, or say what would go
    ///
    /// The process that owns the database does this by itself from time to time. This runs until nothing is left that
    /// goes, and gives the space back.
    Run {
        /// Only say what would go, by table and bytes
        #[arg(long)]
        dry: bool,
    },
    /// Hold the workspace, the runs of an automation or a session: nothing of it goes
    Hold {
        #[command(flatten)]
        of: RetentionScopeArgs,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Release a hold: what it kept may go again
    Release {
        #[command(flatten)]
        of: RetentionScopeArgs,
    },
    /// List what people hold, and why
    Holds,
}

/// What is held; the workspace without any of them.
#[derive(Debug, clap::Args)]
pub(crate) struct RetentionScopeArgs {
    /// Only the runs of this automation
    #[arg(long, value_name = "ID", conflicts_with = "session")]
    automation: Option<String>,
    /// Only this session, with its agents
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl From<RetentionScopeArgs> for InstructionsScopeArgs {
    fn from(RetentionScopeArgs { automation, session }: RetentionScopeArgs) -> Self {
        Self { automation, session }
    }
}
