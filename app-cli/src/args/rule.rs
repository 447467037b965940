//! `rule …`

use clap::Subcommand;

/// `rule …`
#[derive(Debug, Subcommand)]
pub(crate) enum RuleCommand {
    /// List the leave that was given in advance
    List {
        /// With rules that expired or were taken back
        #[arg(long)]
        all: bool,
    },
    /// Show one rule in words
    Show {
        /// The rule, rul_…
        rule: String,
    },
    /// Take one back: such calls ask for leave again
    Revoke {
        /// The rule, rul_…
        rule: String,
    },
}
