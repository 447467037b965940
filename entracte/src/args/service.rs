//! `service …`

use clap::{Subcommand, ValueEnum};

use super::ServeArgs;

/// `service …`
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Install the server as a service of your user, and start it
    ///
    /// It is a user unit of systemd on Linux, and an agent of launchd on macOS. It runs in your home folder with your own
    /// configuration: the entracte.toml of a folder does not count for it. What --config, --data and --workspace say now,
    /// as flags or as variables, is kept.
    Install(InstallArgs),
    /// Show whether the service is installed and runs
    Status,
    /// Stop the service and remove it; data and configuration stay
    Uninstall,
}

/// `service install`
#[derive(Debug, clap::Args)]
pub(crate) struct InstallArgs {
    /// Only print the file of the service; write and start nothing
    #[arg(long)]
    pub(crate) print: bool,
    /// The service manager to print it for [default: the one of this system]
    #[arg(long = "for", value_name = "MANAGER", requires = "print")]
    pub(crate) manager: Option<ManagerName>,
    /// Replace a file that somebody else wrote
    #[arg(long, conflicts_with = "print")]
    pub(crate) replace: bool,
    /// Write the file, and start nothing
    #[arg(long, conflicts_with = "print")]
    pub(crate) no_start: bool,
    /// How it serves.
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

/// A service manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ManagerName {
    /// Linux
    Systemd,
    /// macOS
    Launchd,
}
