//! `trust`

use std::path::PathBuf;

/// `trust`
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// The folder whose entracte.toml it is [default: this one]
    pub(crate) dir: Option<PathBuf>,
    /// Trust it as it is now, without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// List the files that are trusted
    #[arg(long, conflicts_with_all = ["dir", "yes", "revoke"])]
    pub(crate) list: bool,
    /// Stop trusting it, whatever it contains
    #[arg(long, conflicts_with = "yes")]
    pub(crate) revoke: bool,
}
