//! `provider …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `provider …`
#[derive(Debug, Subcommand)]
pub(crate) enum ProviderCommand {
    /// List the providers
    List,
    /// Show the keys of a provider in effect, and where its secret is kept
    Show {
        /// The provider's name
        #[arg(required_unless_present = "schema")]
        name: Option<String>,
        /// Print the JSON Schema of an entry instead
        #[arg(long, conflicts_with = "name")]
        schema: bool,
    },
    /// Add a provider to the configuration file
    Add(AddProviderArgs),
    /// Change a provider in the configuration file
    Edit(EditProviderArgs),
    /// Remove a provider from the configuration file
    Remove(RemoveProviderArgs),
    /// List the models that a provider offers, with their prices as far as they are known
    Models {
        /// The provider [default: the default provider]
        name: Option<String>,
        /// At most this many
        #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
        limit: u16,
    },
    /// Check that the address, the key and the model work
    Check {
        /// The provider [default: all]
        name: Option<String>,
    },
}

/// `provider add`
#[derive(Debug, Args)]
pub(crate) struct AddProviderArgs {
    /// Its name: letters, digits, _ and -
    pub(crate) name: String,
    /// Its kind: claude, openai, groq, ollama, mistral, gemini, deepseek, perplexity, openrouter, azure, vllm,
    /// compatible (any other endpoint that speaks Chat Completions), rehearsal
    #[arg(long)]
    pub(crate) kind: String,
    /// Its default model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The environment variable that holds the API key
    #[arg(long, value_name = "VARIABLE", conflicts_with = "api_key_file")]
    pub(crate) api_key_env: Option<String>,
    /// The file that holds the API key and nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) api_key_file: Option<String>,
    /// Address of its API
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// How models ask for commands: tools, envelope
    #[arg(long)]
    pub(crate) dialect: Option<String>,
    /// Set another key of the entry; see provider show --schema
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Make it the default provider of new sessions
    #[arg(long)]
    pub(crate) default: bool,
    /// The file to change [default: the file of --config, else the user's file]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Only there to be refused: a key is never a flag
    #[arg(long, hide = true)]
    pub(crate) api_key: Option<String>,
}

/// `provider edit`
#[derive(Debug, Args)]
pub(crate) struct EditProviderArgs {
    /// The provider's name
    pub(crate) name: String,
    /// Set a key of the entry; see provider show --schema
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Remove a key from the entry
    #[arg(long, value_name = "KEY")]
    pub(crate) unset: Vec<String>,
    /// Make it the default provider of new sessions
    #[arg(long)]
    pub(crate) default: bool,
    /// The file to change [default: the file of --config, else ./entracte.toml or the user's file, whichever
    /// has the entry]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// `provider remove`
#[derive(Debug, Args)]
pub(crate) struct RemoveProviderArgs {
    /// The provider's name
    pub(crate) name: String,
    /// The file to change [default: as for edit]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
