//! Decides which commands may create a database.

use super::{
    AutomationCommand, CatalogCommand, CliCommand, DbCommand, InstructionsCommand, KnowledgeCommand,
    NotifyCommand, RuleCommand, SessionCommand, SessionCopyCommand, SettingsCommand, TextCommand,
    TokenCommand, WorkspaceCommand,
};
#[cfg(feature = "resources")]
use super::{EntryCommand, ToolCliCommand, ZoneCommand};

impl CliCommand {
    /// Whether it may be the first command on a database, and so creates one at the given location. The others read,
    /// decide or maintain: for them a missing database means a wrong location.
    pub(crate) fn may_be_first(&self) -> bool {
        match self {
            Self::Inbox { .. }
            | Self::Approve(_)
            | Self::Reject(_)
            | Self::Answer { .. }
            | Self::Settle { .. }
            | Self::Task(_)
            | Self::Agent(_)
            | Self::Cost(_)
            | Self::Retention(_)
            | Self::Login(_)
            | Self::Backup { .. } => false,
            Self::Session(command) => {
                matches!(command, SessionCommand::Copies(SessionCopyCommand::Import { .. }))
            }
            Self::Automation(command) => {
                matches!(command, AutomationCommand::Create(_) | AutomationCommand::Watch)
            }
            Self::Catalog(command) => matches!(
                command,
                CatalogCommand::Run { .. } | CatalogCommand::Accept { .. } | CatalogCommand::Enrichments
            ),
            #[cfg(feature = "resources")]
            Self::Zone(command) => matches!(command, ZoneCommand::Add { .. }),
            #[cfg(feature = "resources")]
            Self::Tool(command) => matches!(command, ToolCliCommand::Add { .. }),
            #[cfg(feature = "resources")]
            Self::Entry(command) => matches!(command, EntryCommand::Add { .. }),
            Self::Text(command) => matches!(command, TextCommand::Propose { .. }),
            Self::Rule(command) => matches!(command, RuleCommand::Add(_)),
            Self::Space(command) => command.may_be_first(),
            Self::Knowledge(command) => matches!(command, KnowledgeCommand::Add { .. }),
            Self::Token(command) => matches!(command, TokenCommand::Create(_)),
            Self::Notify(command) => matches!(command, NotifyCommand::Add(_)),
            // The copied database is named explicitly.
            Self::Db(command) => matches!(command, DbCommand::Copy { .. }),
            #[cfg(feature = "resources")]
            Self::Demo { .. } | Self::DemoChild { .. } => true,
            Self::Chat(_)
            | Self::Provider(_)
            | Self::Mcp(_)
            | Self::Serve(_)
            | Self::Service(_)
            | Self::Secret(_)
            | Self::Doctor(_)
            | Self::Logs { .. }
            | Self::UpgradeView { .. }
            | Self::Config(_)
            | Self::Trust(_)
            | Self::Complete { .. }
            | Self::Completions { .. }
            | Self::Init(_)
            | Self::Logout(_)
            | Self::Man { .. } => true,
        }
    }
}

impl WorkspaceCommand {
    fn may_be_first(&self) -> bool {
        match self {
            Self::List => false,
            Self::Create(_) => true,
            Self::Settings(command) => {
                matches!(command, SettingsCommand::Set { .. } | SettingsCommand::Reset { .. })
            }
            Self::Instructions(command) => {
                matches!(command, InstructionsCommand::Set { .. } | InstructionsCommand::Import { .. })
            }
        }
    }
}
