//! `workspace …`

use clap::{Args, Subcommand};

/// `workspace …`
#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// List all workspaces with their sessions
    List,
    /// Create a workspace
    Create(CreateWorkspace),
    /// Show and change the settings of the workspace
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
