//! `rule …`

use clap::Subcommand;

/// `rule …`
#[derive(Debug, Subcommand)]
pub(crate) enum RuleCommand {
    /// List standing approvals
    List {
        /// Include expired and revoked ones
        #[arg(long)]
        all: bool,
    },
    /// Show a standing approval
    Show {
        /// The rule, rul_…
        rule: String,
    },
    /// Revoke a standing approval: such calls need approval again
    Revoke {
        /// The rule, rul_…
        rule: String,
    },
}
