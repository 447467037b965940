//! `workspace …`

use clap::{Args, Subcommand};

/// `workspace …`
#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// List all workspaces with their sessions
    List,
    /// Make a workspace
    Create(CreateWorkspace),
    /// Look at the settings of the workspace, and change them
    #[command(subcommand)]
    Settings(SettingsCommand),
}

/// `workspace create`
#[derive(Debug, Args)]
pub(crate) struct CreateWorkspace {
    /// Its key, written user:collection
    pub(crate) key: String,
    /// Its time zone, like Europe/Paris
    #[arg(long)]
    pub(crate) zone: Option<String>,
    /// The hour that its days begin at, 0 to 23
    #[arg(long, value_name = "HOUR")]
    pub(crate) day_start: Option<String>,
    /// The day that its weeks begin on, monday to sunday
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
    /// List every setting: its value, what it takes, what it means
    List,
    /// Print the value of one setting
    Get {
        /// Its name
        key: String,
    },
    /// Change settings, all or none
    Set {
        /// KEY VALUE or KEY=VALUE, as often as you like
        #[arg(required = true, value_name = "KEY VALUE")]
        pairs: Vec<String>,
    },
    /// Put settings back to their defaults, all or none
    Reset {
        /// Their names
        #[arg(required_unless_present = "all", value_name = "KEY")]
        keys: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "keys")]
        all: bool,
    },
}
