//! `init`

use std::path::PathBuf;

use clap::Args;

/// `init`
#[derive(Debug, Default, Args)]
pub(crate) struct InitArgs {
    /// Use a service whose API key is in this file; - reads standard input. The key is kept in a file of your configuration
    /// that only you can read
    #[arg(long, value_name = "FILE", conflicts_with_all = ["local", "url", "rehearsed"])]
    pub(crate) key_file: Option<PathBuf>,
    /// Whose key it is: claude, openai, groq, gemini, mistral, deepseek, openrouter, perplexity [default: as its prefix
    /// tells]
    #[arg(long, requires = "key_file")]
    pub(crate) kind: Option<String>,
    /// Use a model server of this machine, found at its usual port
    #[arg(long, conflicts_with = "rehearsed")]
    pub(crate) local: bool,
    /// Use the model server at this address, which speaks Chat Completions
    #[arg(long, value_name = "URL", conflicts_with = "rehearsed")]
    pub(crate) url: Option<String>,
    /// Use a script in the place of a model: no key, no connection
    #[arg(long)]
    pub(crate) rehearsed: bool,
    /// The model [default: the usual one of the service, else the first that the server lists]
    #[arg(long, conflicts_with = "rehearsed")]
    pub(crate) model: Option<String>,
}
