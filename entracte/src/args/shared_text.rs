//! `text …`: the texts that a workspace shares.

use clap::Subcommand;

/// `text …`
#[derive(Debug, Subcommand)]
pub(crate) enum TextCommand {
    /// List the shared texts
    List,
    /// Show a text as it is published, an older version of it, or what a proposal would change
    Show {
        /// Key of the text
        key: String,
        /// An older version, by its number
        #[arg(value_name = "VERSION", value_parser = clap::value_parser!(u32).range(1..))]
        published: Option<u32>,
        /// The proposal, prp_…
        #[arg(long, value_name = "PROPOSAL", conflicts_with = "published")]
        proposal: Option<String>,
    },
    /// Propose a change; it counts for nobody until it is published
    Propose {
        /// Key of the text
        key: String,
        /// File with the whole new text; - reads standard input
        #[arg(value_name = "FILE", required_unless_present = "restore", conflicts_with = "restore")]
        text_file: Option<String>,
        /// Bring the text of this older version back
        #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(u32).range(1..))]
        restore: Option<u32>,
        /// The version that you read and change; the published one by default
        #[arg(long, value_name = "VERSION")]
        from: Option<u32>,
        /// Why, for whoever decides
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        note: Option<String>,
    },
    /// Publish a proposal; needs approval
    Publish {
        /// The proposal, prp_…
        proposal: String,
    },
    /// Discard a proposal
    Discard {
        /// The proposal, prp_…
        proposal: String,
    },
    /// Remove a text with all its versions and proposals; needs approval
    Remove {
        /// Key of the text
        key: String,
    },
}
