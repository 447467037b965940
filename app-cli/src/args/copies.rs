use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

/// The commands of `session …` that copy, delete and change one.
#[derive(Debug, Subcommand)]
pub(crate) enum CopyCommand {
    /// Make a new session that branches off from one, at any of its events
    ///
    /// What was recorded is copied and nothing runs again. What the other session has under way, or waits for, stays
    /// with it; an action that the new one asks for needs its own leave.
    Fork {
        /// The session
        session: String,
        /// Copy up to this sequence of the session [default: all of it]
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
        /// Name of the new session
        #[arg(long)]
        name: Option<String>,
    },
    /// Write a session into one file, whole
    Export {
        /// The session
        session: String,
        /// Write into this file [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Write over a file that is there
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Make a session from an exported file
    Import {
        /// The file; - reads standard input
        file: PathBuf,
        /// Give it an id of its own instead of the one in the file
        #[arg(long)]
        as_new: bool,
    },
    /// Delete a session with all that is stored of it
    Delete {
        /// The session
        session: String,
        /// Do not ask
        #[arg(long)]
        force: bool,
    },
    /// Change what is set for a session: its model from the next round on, leave for its actions, its commands
    Set(SetArgs),
}

/// `session set`
#[derive(Debug, clap::Args)]
pub(crate) struct SetArgs {
    /// The session
    pub(crate) session: String,
    /// The model that speaks from now on
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Its provider; without --model, with the provider's own model
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// How commands are encoded for it [default: as the configuration says of a new provider]
    #[arg(long)]
    pub(crate) dialect: Option<DialectName>,
    /// Whether every action needs leave
    #[arg(long, value_name = "yes|no")]
    pub(crate) require_validation: Option<YesNo>,
    /// It may ask for these commands only: zones.list,files.* or none; * for every command
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
}

/// A dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// One JSON object.
    Envelope,
    /// Native tool calls.
    Tools,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}
