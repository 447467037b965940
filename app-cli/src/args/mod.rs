//! The command line, as the contract has it.

mod automation;
mod copies;
mod decide;
mod provider;
mod rule;
mod session;
mod workspace;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use automation::{
    AutomationCommand, CompletionName, CreateAutomation, EditAutomation, OverlapName, PolicyArgs,
    ProfileName, TriggerArgs, UnattendedName,
};
pub(crate) use copies::{CopyCommand, DialectName, SetArgs, YesNo};
pub(crate) use decide::{ApproveArgs, Found, RejectArgs, Which};
pub(crate) use provider::{AddProvider, EditProvider, ProviderCommand, RemoveProvider};
pub(crate) use rule::RuleCommand;
pub(crate) use session::SessionCommand;
pub(crate) use workspace::{CreateWorkspace, SettingsCommand, WorkspaceCommand};

/// Runs AI sessions that can wait: for a person, a slow task, a dead network or a crash.
#[derive(Debug, Parser)]
#[command(name = "entracte", version, max_term_width = 100, after_help = EXITS)]
pub(crate) struct Cli {
    /// Read this configuration file and no other
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Keep the database in this folder, or at this postgres:// URL [default: the user's data folder]
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Work in this workspace, written user:collection [default: local:main]
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "KEY")]
    pub(crate) workspace: Option<String>,
    /// Print data as JSON: one object, or one on each line
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) json: bool,
    /// Print no messages but errors
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
    /// Use colours: auto, always, never
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: Colour,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Heading of the options that every command takes.
const EVERYWHERE: &str = "Options of every command";

const EXITS: &str = "Exit codes: 0 done, 1 failure, 2 usage, 3 waiting for a person, 4 not allowed, 5 not found, \
6 conflict, 7 limit reached, 8 timed out, 9 outcome unknown, 130 interrupted.\n\
Without a key: entracte demo";

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play the rehearsed story on a temporary database; needs no key
    Demo {
        /// Answer by itself, for scripts
        #[arg(long)]
        auto: bool,
    },
    /// The part of the demo that is killed
    #[command(hide = true)]
    DemoChild {
        /// Folder of the demo's files
        folder: PathBuf,
        /// Do the outside action and then never answer
        #[arg(long)]
        hang: bool,
    },
    /// Talk with a model; Ctrl-C interrupts the round, Ctrl-D leaves
    Chat(ChatArgs),
    /// Show every open approval and question of the workspace
    Inbox,
    /// Give leave to calls
    Approve(ApproveArgs),
    /// Refuse calls
    Reject(RejectArgs),
    /// Answer the question of a session
    Answer {
        /// The session
        session: String,
        /// The number of an option or its text; yes or no
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Return when the answer is committed, where another process carries the work on
        #[arg(long)]
        no_wait: bool,
    },
    /// Say what became of an action whose outcome nobody knows
    Settle {
        /// The call
        call: String,
        /// What you found
        found: Found,
        /// What else there is to say
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Look at sessions and steer them
    #[command(subcommand)]
    Session(SessionCommand),
    /// Sessions that run by themselves: make them, look at them, run what is due
    #[command(subcommand)]
    Automation(AutomationCommand),
    /// Look at the commands that models may ask for
    #[command(subcommand, name = "command")]
    Catalog(CatalogCommand),
    /// Look at the leave that was given in advance, and take it back
    #[command(subcommand)]
    Rule(RuleCommand),
    /// Look at workspaces and their settings, make and change them
    #[command(subcommand, name = "workspace")]
    Space(WorkspaceCommand),
    /// Look at the providers of the configuration, and change them
    #[command(subcommand)]
    Provider(ProviderCommand),
    /// Be an MCP server: offer the commands to an AI outside, over standard input and output
    Mcp(McpArgs),
    /// Look after the database
    #[command(subcommand)]
    Db(DbCommand),
    /// Look whether everything is in order, a line for each check
    Doctor {
        /// Ask each provider too whether it answers
        #[arg(long)]
        online: bool,
    },
    /// Look at the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a script that completes the command line in a shell
    #[command(
        after_help = "For bash: entracte completions bash > ~/.local/share/bash-completion/completions/entracte"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// `chat`
#[derive(Debug, clap::Args)]
pub(crate) struct ChatArgs {
    /// Go on with this session
    #[arg(long, value_name = "ID", conflicts_with_all = ["name", "provider", "model", "require_validation", "commands"])]
    pub(crate) session: Option<String>,
    /// Name of the new session
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Provider of the new session
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Model of the new session
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Every action of the new session needs leave
    #[arg(long)]
    pub(crate) require_validation: bool,
    /// The new session may ask for these commands only: zones.list,files.* or none
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
    /// Say this and wait until the session rests; - reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    /// Refer to data that the model gets with the message, a JSON object or @FILE; again for more
    ///
    /// The first stands where the text has {1}, the second where it has {2}; without a place they follow the
    /// text. What may be written: entracte command enrichments
    #[arg(long, value_name = "JSON", requires = "message")]
    pub(crate) enrich: Vec<String>,
    /// The same key again in a session is the same message, not a second one
    #[arg(long, value_name = "KEY", requires = "message")]
    pub(crate) client_key: Option<String>,
}

/// `mcp`
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// What the AI outside is called; each name has sessions of its own
    #[arg(long, default_value = "mcp")]
    pub(crate) name: String,
    /// It may ask for these commands only: zones.list,files.*
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
}

/// `command …`
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// List all commands
    List,
    /// Show one command with its parameters
    Show {
        /// Its name or word, as tool_data.get or TOOL_DATA
        name: String,
    },
    /// Show what --enrich of chat takes, with examples
    Enrichments,
    /// Accept a tool of an MCP server that changed or is new; without a name, show what waits
    Accept {
        /// Its name, as files.write_file
        name: Option<String>,
    },
    /// Run a query by hand
    Run {
        /// Its name or word
        name: String,
        /// Its parameters, a JSON object
        #[arg(value_name = "JSON", default_value = "{}")]
        parameters: String,
    },
}

/// `db …`
#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Bring the database to the shape of this version
    Migrate,
    /// Read all of it and say what is damaged
    Check,
    /// Copy what is committed into a new file of SQLite, also while others write
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Copy a whole database into another, empty one, and replay every session there
    ///
    /// Both are paths of SQLite or URLs: postgres://USER@HOST/DATABASE; env:NAME is the URL in a variable, for one
    /// with a password. The database of a server must be there: createdb DATABASE
    Copy {
        /// The database to copy; others may use it meanwhile
        from: String,
        /// The database to write, new or empty
        to: String,
    },
}

/// `config …`
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting as it is in force
    ///
    /// A flag wins over a variable, which wins over ./entracte.toml, over the user's file
    /// (config.toml in the folder entracte of the user's configuration), over the default. The variable of a
    /// setting is ENTRACTE_ and its name in capitals with underscores: ENTRACTE_LIMITS_ROUNDS. A length of time
    /// is a number and its unit: 500ms, 30s, 5m, 24h. A limit of one kind of session, [limits.chat], wins over
    /// the same limit of all kinds, the table limits; 0 means no limit.
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_makes_sense_to_clap() {
        super::Cli::command().debug_assert();
    }
}
