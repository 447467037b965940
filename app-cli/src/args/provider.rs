//! `provider …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `provider …`
#[derive(Debug, Subcommand)]
pub(crate) enum ProviderCommand {
    /// List the providers
    List,
    /// Show every key of a provider that is in force, and where its secret is kept
    Show {
        /// Its name
        #[arg(required_unless_present = "schema")]
        name: Option<String>,
        /// Print the JSON Schema of an entry instead
        #[arg(long, conflicts_with = "name")]
        schema: bool,
    },
    /// Write a new provider into the configuration file
    Add(AddProvider),
    /// Change keys of a provider in the configuration file
    Edit(EditProvider),
    /// Take a provider out of the configuration file
    Remove(RemoveProvider),
    /// Ask whether address, key and model are right
    Check {
        /// One provider; all when left out
        name: Option<String>,
    },
}

/// `provider add`
#[derive(Debug, Args)]
pub(crate) struct AddProvider {
    /// Its name, of letters, digits, _ and -
    pub(crate) name: String,
    /// What it speaks: claude, openai, groq, compatible, rehearsal
    #[arg(long)]
    pub(crate) kind: String,
    /// The model of sessions that name none
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The environment variable that holds the key
    #[arg(long, value_name = "VARIABLE", conflicts_with = "api_key_file")]
    pub(crate) api_key_env: Option<String>,
    /// The file that holds the key and nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) api_key_file: Option<String>,
    /// The address of its API
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// How commands are asked for: tools, envelope
    #[arg(long)]
    pub(crate) dialect: Option<String>,
    /// Set another key of the entry; see provider show --schema
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Make it the provider of new sessions
    #[arg(long)]
    pub(crate) default: bool,
    /// Write into this file [default: the file of --config, else the user's file]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// There only to be refused: a key is never a flag
    #[arg(long, hide = true)]
    pub(crate) api_key: Option<String>,
}

/// `provider edit`
#[derive(Debug, Args)]
pub(crate) struct EditProvider {
    /// Its name
    pub(crate) name: String,
    /// Set a key of the entry; see provider show --schema
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Take a key out of the entry
    #[arg(long, value_name = "KEY")]
    pub(crate) unset: Vec<String>,
    /// Make it the provider of new sessions
    #[arg(long)]
    pub(crate) default: bool,
    /// Write into this file [default: the file of --config, else ./entracte.toml, else the user's file, whichever
    /// has the entry]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// `provider remove`
#[derive(Debug, Args)]
pub(crate) struct RemoveProvider {
    /// Its name
    pub(crate) name: String,
    /// Take it out of this file [default: as with edit]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
