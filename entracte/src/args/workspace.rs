//! `workspace …`

use clap::{Args, Subcommand};

/// `workspace …`
#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// List all workspaces with their sessions
    List,
    /// Create a workspace
    Create(CreateWorkspaceArgs),
    /// Show and change the settings of the workspace
    #[command(subcommand)]
    Settings(SettingsCommand),
    /// Show and change the instructions that models read first
    ///
    /// They say who the model is, what it aims at and how it speaks: in every session of the workspace, with --automation in the
    /// runs of an automation, with --session in one session. Sessions read them from their next message on.
    #[command(subcommand)]
    Instructions(InstructionsCommand),
}

/// `workspace instructions …`
#[derive(Debug, Subcommand)]
pub(crate) enum InstructionsCommand {
    /// Print the instructions
    Show {
        #[command(flatten)]
        of: InstructionsScopeArgs,
        /// An earlier version; see workspace instructions history
        #[arg(long = "at", value_name = "VERSION")]
        version: Option<u64>,
    },
    /// Replace the instructions with a text
    Set {
        /// The text
        text: String,
        #[command(flatten)]
        of: InstructionsScopeArgs,
    },
    /// Replace the instructions with the text of a file, such as Markdown
    ///
    /// The file is copied: what it becomes later changes nothing.
    Import {
        /// The file
        file: std::path::PathBuf,
        #[command(flatten)]
        of: InstructionsScopeArgs,
    },
    /// List the versions, the latest first
    History {
        #[command(flatten)]
        of: InstructionsScopeArgs,
        /// How many at most
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Clear the instructions; earlier versions stay listed
    Clear {
        #[command(flatten)]
        of: InstructionsScopeArgs,
    },
}

/// Whose instructions.
#[derive(Debug, Args)]
pub(crate) struct InstructionsScopeArgs {
    /// Those of the runs of this automation
    #[arg(long, value_name = "ID", conflicts_with = "session")]
    pub(crate) automation: Option<String>,
    /// Those of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// `workspace create`
#[derive(Debug, Args)]
pub(crate) struct CreateWorkspaceArgs {
    /// Its key, written user:collection
    pub(crate) key: String,
    /// Its time zone, like Europe/Paris
    #[arg(long)]
    pub(crate) zone: Option<String>,
    /// The hour when its days begin, 0 to 23
    #[arg(long, value_name = "HOUR")]
    pub(crate) day_start: Option<String>,
    /// The day when its weeks begin, monday to sunday
    #[arg(long, value_name = "DAY")]
    pub(crate) week_start: Option<String>,
    /// Its language: en, fr
    #[arg(long)]
    pub(crate) language: Option<String>,
    /// Set another setting; see workspace settings list
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// `workspace settings …`
#[derive(Debug, Subcommand)]
pub(crate) enum SettingsCommand {
    /// List every setting with its value, what it accepts and what it means
    List,
    /// Print the value of a setting
    Get {
        /// The setting's name
        key: String,
    },
    /// Change settings, all or none
    Set {
        /// KEY VALUE or KEY=VALUE; may be repeated
        #[arg(required = true, value_name = "KEY VALUE")]
        pairs: Vec<String>,
    },
    /// Reset settings to their defaults, all or none
    Reset {
        /// The settings' names
        #[arg(required_unless_present = "all", value_name = "KEY")]
        keys: Vec<String>,
        /// Reset every setting
        #[arg(long, conflicts_with = "keys")]
        all: bool,
    },
}
