//! Which commands may be the first on a database.

use super::{
    AutomationCommand, CatalogCommand, CliCommand, DbCommand, EntryCommand, InstructionsCommand,
    KnowledgeCommand, NotifyCommand, RuleCommand, SessionCommand, SessionCopyCommand, SettingsCommand,
    TextCommand, TokenCommand, ToolCliCommand, WorkspaceCommand, ZoneCommand,
};

impl CliCommand {
    /// Whether it may be the first on a database, so that one is made where it is said to be. The others look at what is
    /// there, decide on it, or maintain it: where nothing is, the place was written wrong.
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
            | Self::Login => false,
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
            Self::Zone(command) => matches!(command, ZoneCommand::Add { .. }),
            Self::Tool(command) => matches!(command, ToolCliCommand::Add { .. }),
            Self::Entry(command) => matches!(command, EntryCommand::Add { .. }),
            Self::Text(command) => matches!(command, TextCommand::Propose { .. }),
            Self::Rule(command) => matches!(command, RuleCommand::Add(_)),
            Self::Space(command) => command.may_be_first(),
            Self::Knowledge(command) => matches!(command, KnowledgeCommand::Add { .. }),
            Self::Token(command) => matches!(command, TokenCommand::Create(_)),
            Self::Notify(command) => matches!(command, NotifyCommand::Add(_)),
            // What is copied is named by itself.
            Self::Db(command) => matches!(command, DbCommand::Copy { .. }),
            Self::Demo { .. }
            | Self::DemoChild { .. }
            | Self::Chat(_)
            | Self::Provider(_)
            | Self::Mcp(_)
            | Self::Serve(_)
            | Self::Service(_)
            | Self::Secret(_)
            | Self::Doctor(_)
            | Self::UpgradeView { .. }
            | Self::Config(_)
            | Self::Trust(_)
            | Self::Complete { .. }
            | Self::Completions { .. }
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
