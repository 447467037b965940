//! Decides where a command works: on a server too, or on this machine only.

use entracte_adapters_http::api_transport::server_address::ServerAddress;

use super::{
    AddTargetArgs, CliCommand, CostCommand, KnowledgeCommand, McpCommand, NotifyCommand, ProviderCommand,
    SessionCommand, TokenCommand,
};
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
            Self::Login(_) | Self::Logout(_) => CommandReach::Anywhere,
            converted if converted.works_on_server() => CommandReach::Anywhere,
            #[cfg(feature = "resources")]
            Self::Demo { .. } | Self::DemoChild { .. } => CommandReach::ThisMachine,
            Self::Init(_)
            | Self::Serve(_)
            | Self::Service(_)
            | Self::Db(_)
            | Self::Backup { .. }
            | Self::Logs { .. }
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

    /// Whether the command uses nothing but the API, and what it asks for is allowed over HTTP.
    fn works_on_server(&self) -> bool {
        match self {
            Self::Chat(_) => true,
            Self::Rule(_) | Self::Task(_) | Self::Space(_) | Self::Secret(_) | Self::Agent(_) => true,
            Self::Retention(_) | Self::Automation(_) => true,
            Self::Inbox { .. }
            | Self::Approve(_)
            | Self::Reject(_)
            | Self::Answer { .. }
            | Self::Settle { .. } => true,
            Self::Session(command) => matches!(
                command,
                SessionCommand::List { .. }
                    | SessionCommand::Show { .. }
                    | SessionCommand::Calls { .. }
                    | SessionCommand::Journal { .. }
                    | SessionCommand::Follow { .. }
                    | SessionCommand::Prompt { .. }
                    | SessionCommand::Verify { .. }
                    | SessionCommand::Messages { .. }
                    | SessionCommand::Stop { .. }
                    | SessionCommand::Interrupt { .. }
                    | SessionCommand::Compact { .. }
                    | SessionCommand::Resume { .. }
                    | SessionCommand::Confirm { .. }
                    | SessionCommand::RejectCompletion { .. }
            ),
            Self::Cost(command) => !matches!(command, CostCommand::Rebuild),
            Self::Text(_) | Self::Catalog(_) => true,
            Self::Provider(command) => {
                matches!(command, ProviderCommand::List | ProviderCommand::Check { .. })
            }
            #[cfg(feature = "resources")]
            Self::Zone(_) | Self::Tool(_) | Self::Entry(_) => true,
            Self::Mcp(args) => matches!(
                args.command,
                Some(
                    McpCommand::Tools { .. }
                        | McpCommand::Trust { .. }
                        | McpCommand::Ask { .. }
                        | McpCommand::Keep { .. }
                )
            ),
            Self::Knowledge(command) => {
                !matches!(command, KnowledgeCommand::Add { .. } | KnowledgeCommand::Embed)
            }
            // Whoever has the machine alone manages tokens for every workspace, programs and other secrets.
            Self::Token(TokenCommand::Create(args)) => !args.everywhere,
            Self::Token(TokenCommand::List { everywhere } | TokenCommand::Revoke { everywhere, .. }) => {
                !everywhere
            }
            Self::Notify(NotifyCommand::Add(args)) => !args.needs_machine(),
            Self::Notify(_) => true,
            _ => false,
        }
    }
}

impl AddTargetArgs {
    /// Whether the target is a program, or has a secret that is in no variable.
    fn needs_machine(&self) -> bool {
        let places = [&self.secret, &self.token, &self.webhook, &self.ntfy];
        !self.command.is_empty() || places.into_iter().flatten().any(|place| place.starts_with("file:"))
    }
}
