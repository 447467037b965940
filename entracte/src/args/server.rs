//! `serve` and `token …`

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

/// `serve`
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Address and port to listen on [default: 127.0.0.1:8723]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) bind: Option<String>,
    /// Certificate chain for TLS, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// What every path begins with, like /entracte
    #[arg(long, value_name = "PATH")]
    pub(crate) base_path: Option<String>,
}

/// `login`
#[derive(Debug, clap::Args)]
pub(crate) struct LoginArgs {
    /// With --server: keep the token that standard input has, and ask nobody; write: --token -
    #[arg(long, value_name = "-")]
    pub(crate) token: Option<String>,
    /// With --server: open no browser, only print the address
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Show the link as a code for the camera of a phone, or say why there is none
    #[arg(long, conflicts_with_all = ["token", "no_browser"])]
    pub(crate) qr: bool,
}

/// `logout`
#[derive(Debug, clap::Args)]
pub(crate) struct LogoutArgs {
    /// Forget the login also if its server does not answer; its token then counts there until it expires
    #[arg(long)]
    pub(crate) force: bool,
}

/// `token …`
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token for the server; its secret is shown once
    Create(CreateTokenArgs),
    /// List the tokens of the workspace, without their secrets
    List {
        /// Those of every workspace
        #[arg(long)]
        everywhere: bool,
    },
    /// Revoke a token: no request can use it from then on
    Revoke {
        /// The token's id
        id: String,
        /// Of any workspace
        #[arg(long)]
        everywhere: bool,
    },
}

/// `token create`
#[derive(Debug, clap::Args)]
pub(crate) struct CreateTokenArgs {
    /// Whose it is: the author of all that is done with it [default: you]
    #[arg(long, value_name = "NAME")]
    pub(crate) person: Option<String>,
    /// What it allows; may be repeated
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', default_value = "read")]
    pub(crate) scopes: Vec<ScopeName>,
    /// What it is called in lists
    #[arg(long, default_value = "token")]
    pub(crate) name: String,
    /// For how long, like 12h or 30d; for ever when it is left out
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) lasts: Option<String>,
    /// For every workspace
    #[arg(long)]
    pub(crate) everywhere: bool,
}

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeName {
    /// See everything
    Read,
    /// Talk: sessions, messages, answers, automations
    Chat,
    /// Decide: approvals, unknown outcomes, standing approvals
    Approve,
    /// All of it, and settings, tokens, deletion
    Admin,
    /// Keep and remove one's own secrets
    Secret,
}

/// `secret …`
#[derive(Debug, Subcommand)]
pub(crate) enum SecretCommand {
    /// Keep a secret of yours; it is read from standard input and never shown
    ///
    /// A tool whose header says secret_person = "NAME" sends it for what you ask for, and for nobody else.
    Set {
        /// Its name, as the tool's configuration says it
        name: String,
    },
    /// List the names of your secrets
    List,
    /// Remove a secret of yours
    Remove {
        /// Its name
        name: String,
    },
}
