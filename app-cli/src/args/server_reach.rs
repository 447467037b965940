//! Decides where a command works: on a server too, or on this machine only.

use entracte_adapters_http::client::server_address::ServerAddress;

use super::{CliCommand, SessionCommand};
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandReach {
    /// On a server as on this machine.
    Anywhere,
    /// It is about this process or this machine: a server of the environment does not concern it.
    ThisMachine,
    /// On the machine that has the database: what it shows or does has no way over HTTP yet.
    DatabaseMachine,
}

impl CliCommand {
    /// The server that the command uses, of the one that is named.
    ///
    /// # Errors
    /// If a server is named for a command that cannot use it.
    pub(crate) fn server_of(
        &self,
        named: Option<ServerAddress>,
        is_option: bool,
    ) -> Result<Option<ServerAddress>, CliError> {
        let Some(server) = named else { return Ok(None) };
        match self.reach() {
            CommandReach::Anywhere => Ok(Some(server)),
            CommandReach::ThisMachine if !is_option => Ok(None),
            CommandReach::ThisMachine => {
                Err(CliError::new(CliExitCode::Usage, message!("server-this-machine")))
            }
            CommandReach::DatabaseMachine => {
                let text = message!("server-not-yet", server = server.as_str());
                Err(CliError::new(CliExitCode::Usage, text))
            }
        }
    }

    /// Where the command works.
    pub(crate) fn reach(&self) -> CommandReach {
        match self {
            Self::Rule(_)
            | Self::Inbox { .. }
            | Self::Approve(_)
            | Self::Reject(_)
            | Self::Answer { .. }
            | Self::Settle { .. }
            | Self::Session(
                SessionCommand::Messages { .. }
                | SessionCommand::Stop { .. }
                | SessionCommand::Interrupt { .. }
                | SessionCommand::Compact { .. }
                | SessionCommand::Resume { .. }
                | SessionCommand::Confirm { .. }
                | SessionCommand::RejectCompletion { .. },
            ) => CommandReach::Anywhere,
            Self::Demo { .. }
            | Self::DemoChild { .. }
            | Self::Init(_)
            | Self::Serve(_)
            | Self::Service(_)
            | Self::Login
            | Self::Db(_)
            | Self::Config(_)
            | Self::Trust(_)
            | Self::UpgradeView { .. }
            | Self::Complete { .. }
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Doctor(_)
            | Self::Mcp(_) => CommandReach::ThisMachine,
            _ => CommandReach::DatabaseMachine,
        }
    }
}
