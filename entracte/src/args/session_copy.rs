use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use entracte_domain::plan::PlanMode;

/// The commands of `session …` that copy, delete and change one.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCopyCommand {
    /// Create a new session from another one, at any of its events
    ///
    /// The record is copied; nothing runs again. Work in progress and what waits for a person stay with the
    /// original session; the actions of the new one need their own approval.
    Fork {
        /// The session
        session: String,
        /// Copy up to this event, as session journal numbers it [default: everything]
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
        /// Name of the new session
        #[arg(long)]
        name: Option<String>,
    },
    /// Export a whole session to a file
    Export {
        /// The session
        session: String,
        /// The file to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long, requires = "output")]
        force: bool,
        /// Whether the conversations of its agents are in the file
        #[arg(
            long,
            value_name = "BOOL",
            default_value_t = true,
            default_missing_value = "true",
            num_args = 0..=1,
            require_equals = true,
            action = clap::ArgAction::Set
        )]
        with_agents: bool,
        /// Whether the images, PDFs and sounds of its messages and results are in the file
        #[arg(
            long,
            value_name = "BOOL",
            default_value_t = true,
            default_missing_value = "true",
            num_args = 0..=1,
            require_equals = true,
            action = clap::ArgAction::Set
        )]
        with_files: bool,
    },
    /// Write what the model said in a session as a script, which plays it again without a model
    ///
    /// The script has the model's words and calls, and the tokens it used: nothing that people wrote, no results and
    /// no secrets. Play it with: entracte chat --script FILE
    Record {
        /// The session
        session: String,
        /// The file to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long, requires = "output")]
        force: bool,
        /// Let each turn wait as long as the model did
        #[arg(long)]
        with_delays: bool,
    },
    /// Create a session from an exported file
    Import {
        /// The file; - reads standard input
        file: PathBuf,
        /// Give it a new id instead of the one in the file
        #[arg(long)]
        as_new: bool,
    },
    /// Delete a session and everything stored for it
    Delete {
        /// The session
        session: String,
        /// Do not ask for confirmation
        #[arg(long)]
        force: bool,
    },
    /// Give a session another name
    Rename {
        /// The session
        session: String,
        /// The new name
        #[arg(allow_hyphen_values = true)]
        name: String,
    },
    /// Change a session's model, approval requirement or commands
    Set(SetSessionArgs),
}

/// `session set`
#[derive(Debug, clap::Args)]
pub(crate) struct SetSessionArgs {
    /// The session
    pub(crate) session: String,
    /// The model from the next round on
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Its provider; without --model, with the provider's default model
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// How the model asks for commands [default: as configured for a new provider]
    #[arg(long)]
    pub(crate) dialect: Option<DialectName>,
    /// Whether every action needs approval
    #[arg(long, alias = "require-validation", value_name = "yes|no", hide_possible_values = true)]
    pub(crate) require_approval: Option<YesNo>,
    /// What it needs before it acts: nothing more, or a plan that a person approves
    #[arg(long)]
    pub(crate) mode: Option<ModeName>,
    /// Commands it may use, like zones.list,files.*; none for no commands, * for all
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
}

/// What a session needs before it acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeName {
    /// Nothing more than the approvals of its actions
    Free,
    /// A plan that a person approves
    Plan,
}

impl ModeName {
    /// The plan mode of the word.
    pub(crate) const fn mode(self) -> PlanMode {
        match self {
            ModeName::Free => PlanMode::Free,
            ModeName::Plan => PlanMode::Plan,
        }
    }
}

/// A dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// One JSON object
    Envelope,
    /// Native tool calls
    Tools,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesNo {
    /// Yes
    Yes,
    /// No
    No,
}
