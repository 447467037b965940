//! The command line, as its contract defines it.

mod agent;
mod automation;
mod cost;
mod database_creation;
mod decisions;
#[cfg(feature = "resources")]
#[cfg(test)]
mod http_coverage;
mod init;
mod knowledge;
mod notify;
mod provider;
#[cfg(feature = "resources")]
mod resources;
mod retention;
mod rule;
mod server;
mod server_reach;
mod service;
mod session;
mod session_copy;
mod shared_text;
mod task;
mod trust;
mod workspace;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use agent::AgentCommand;
pub(crate) use automation::{
    AutomationCommand, AutomationHistoryArgs, CompletionName, CreateAutomationArgs, EditAutomationArgs,
    OverlapName, PolicyArgs, ProfileName, RunModeName, TriggerArgs, UnattendedName,
};
pub(crate) use cost::{CostCommand, CostGrouping};
pub(crate) use decisions::{
    ApproveArgs, CallSelectionArgs, InboxCommand, InboxListArgs, RejectArgs, SettlementFinding,
};
pub(crate) use init::InitArgs;
pub(crate) use knowledge::{FormatName, KnowledgeCommand};
pub(crate) use notify::{AddTargetArgs, NotifyCommand};
pub(crate) use provider::{AddProviderArgs, EditProviderArgs, ProviderCommand, RemoveProviderArgs};
#[cfg(feature = "resources")]
pub(crate) use resources::{EntryCommand, EntryFields, ToolCliCommand, ToolFields, ZoneCommand};
pub(crate) use retention::RetentionCommand;
pub(crate) use rule::{AddRuleArgs, RuleCommand};
pub(crate) use server::{
    CreateTokenArgs, LoginArgs, LogoutArgs, ScopeName, SecretCommand, ServeArgs, TokenCommand,
};
pub(crate) use service::{InstallArgs, ManagerName, ServiceCommand};
pub(crate) use session::{KindName, SessionCommand};
pub(crate) use session_copy::{DialectName, ModeName, SessionCopyCommand, SetSessionArgs, YesNo};
pub(crate) use shared_text::TextCommand;
pub(crate) use task::TaskCommand;
pub(crate) use trust::TrustArgs;
pub(crate) use workspace::{
    CreateWorkspaceArgs, InstructionsCommand, InstructionsScopeArgs, SettingsCommand, WorkspaceCommand,
};

macro_rules! exit_codes {
    () => {
        "Exit codes: 0 done, 1 failure, 2 usage, 3 waiting for a person, 4 not allowed, 5 not found, 6 conflict, \
         7 limit reached, 8 timed out, 9 outcome unknown, 75 database lost, 130 interrupted."
    };
}

/// Run AI sessions that can wait: for a person, a slow task, a lost network or a crash
#[derive(Debug, Parser)]
#[command(name = "entracte", version, max_term_width = 100, after_help = EXITS)]
pub(crate) struct Cli {
    /// Read only this configuration file
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Folder, file or postgres:// URL of the database [default: the user's data folder]
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Workspace to use, written user:collection [default: local:main]
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "KEY")]
    pub(crate) workspace: Option<String>,
    /// Use this server instead of the database of this machine [default: ENTRACTE_SERVER]
    // Commands about an MCP server call their argument `server` too.
    #[arg(id = "server_url", long = "server", global = true, help_heading = EVERYWHERE, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Print JSON: one object, or one per line
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) json: bool,
    /// Print only data and errors
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
    /// When to use colours: auto, always, never
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: ColourMode,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// The heading of the options that every command takes.
const EVERYWHERE: &str = "Global options";

/// Help after that of the program.
#[cfg(feature = "resources")]
const EXITS: &str = concat!(exit_codes!(), "\nTo try it without a key: entracte demo");
#[cfg(not(feature = "resources"))]
const EXITS: &str = exit_codes!();

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourMode {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Play a scripted story on a temporary database; needs no key
    #[cfg(feature = "resources")]
    #[command(alias = "tutorial")]
    Demo {
        /// Answer automatically, for scripts
        #[arg(long)]
        auto: bool,
    },
    /// The process of the demo that is killed
    #[cfg(feature = "resources")]
    #[command(hide = true)]
    DemoChild {
        /// Folder of the demo's files
        folder: PathBuf,
        /// Do the outside action and then never answer
        #[arg(long)]
        hang: bool,
    },
    /// Set up your first model: with a key, on this machine, or rehearsed
    ///
    /// On a terminal it asks. Nothing is written before the model answered.
    Init(InitArgs),
    /// Chat with a model; Ctrl-C interrupts the round, Ctrl-D leaves
    Chat(ChatArgs),
    /// Show what waits for you: approvals, questions, unknown outcomes, parked runs, runs that failed
    ///
    /// On a terminal it goes through them one by one; keys: a approve, A always, e edit, r reject, i answer in words instead,
    /// z snooze, o assign, ? more, j next, k back, q leave.
    Inbox {
        #[command(subcommand)]
        command: Option<InboxCommand>,
        #[command(flatten)]
        list: InboxListArgs,
    },
    /// Approve calls
    Approve(ApproveArgs),
    /// Reject calls
    Reject(RejectArgs),
    /// Answer a session's question
    Answer {
        /// The session
        session: String,
        /// The option's number or its text; yes or no
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Return as soon as the answer is recorded, if another process continues the work
        #[arg(long)]
        no_wait: bool,
    },
    /// Say whether an action with an unknown outcome happened
    Settle {
        /// The call
        call: String,
        /// What you found out
        found: SettlementFinding,
        /// A note to store with it
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        /// Return as soon as the answer is recorded, if another process continues the work
        #[arg(long)]
        no_wait: bool,
    },
    /// Inspect and control sessions
    #[command(subcommand)]
    Session(SessionCommand),
    /// See, answer and cancel long tasks, which other services work on
    #[command(subcommand)]
    Task(TaskCommand),
    /// Create, inspect and run automations: sessions that start by themselves
    #[command(subcommand)]
    Automation(AutomationCommand),
    /// Inspect the commands that models may use
    #[command(subcommand, name = "command")]
    Catalog(CatalogCommand),
    /// Manage your zones: list, add, change and remove them
    #[cfg(feature = "resources")]
    #[command(subcommand)]
    Zone(ZoneCommand),
    /// Manage the tools in your zones, with their flags
    #[cfg(feature = "resources")]
    #[command(subcommand)]
    Tool(ToolCliCommand),
    /// Manage the entries of your tools
    #[cfg(feature = "resources")]
    #[command(subcommand)]
    Entry(EntryCommand),
    /// List and show the agents that sessions may call, and those below a session
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Read the texts that all sessions share, and propose, publish and remove them
    #[command(subcommand)]
    Text(TextCommand),
    /// Add, list and revoke standing approvals and denials
    #[command(subcommand)]
    Rule(RuleCommand),
    /// See what model calls cost
    #[command(subcommand)]
    Cost(CostCommand),
    /// Keep data for so long and no longer, and hold what must stay
    #[command(subcommand)]
    Retention(RetentionCommand),
    /// Manage workspaces and their settings
    #[command(subcommand, name = "workspace")]
    Space(WorkspaceCommand),
    /// Manage the model providers of the configuration
    #[command(subcommand)]
    Provider(ProviderCommand),
    /// Run as an MCP server: offer the commands to another AI over standard input and output
    Mcp(McpArgs),
    /// Serve the API over HTTP, and run sessions and automations until it is stopped
    ///
    /// It listens on this machine only, unless there is TLS: its own, or that of a proxy that server.trusted_proxies names.
    /// The link that it prints logs one browser in, once. Programs use a token: entracte token create
    Serve(ServeArgs),
    /// Run the server as a service of your user: install it, see how it stands, remove it
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Manage the documents that models may search and read
    #[command(subcommand)]
    Knowledge(KnowledgeCommand),
    /// Print a link that logs one browser in to the running server, once; with --server: log this terminal in to that server
    ///
    /// With --server it shows a code, and a person who is logged in to the console of that server allows it there. The token
    /// is kept for exactly that address, in servers.toml in your data folder, which only you can read.
    Login(LoginArgs),
    /// Revoke the token of the login at a server (--server), and forget it
    Logout(LogoutArgs),
    /// Manage the tokens of people and programs that use the server
    #[command(subcommand)]
    Token(TokenCommand),
    /// Keep your own secrets for tools that use the requester's own, in this workspace
    #[command(subcommand)]
    Secret(SecretCommand),
    /// Send notifications about what waits for people: webhook, ntfy, a program
    #[command(subcommand)]
    Notify(NotifyCommand),
    /// Maintain the database
    #[command(subcommand)]
    Db(DbCommand),
    /// Back up the database to a new SQLite file, even while others write: as db backup
    #[command(hide = true)]
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Show the end of the program's log: warnings and faults
    #[command(alias = "log")]
    Logs {
        /// How many lines
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
        lines: usize,
    },
    /// Check that everything is in order, one line per check
    #[command(alias = "status")]
    Doctor(DoctorArgs),
    /// What this program sees of the open sessions in a copy of a database, for doctor --upgrade of another one
    #[command(hide = true)]
    UpgradeView {
        /// Folder of the copy
        folder: PathBuf,
    },
    /// Show the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// See what a folder's entracte.toml may do, and trust it as it is now
    ///
    /// Until you trust it, such a file names no program, address, secret, host or database, and loosens no safeguard.
    /// When it changes, it needs your trust again. A file that --config or ENTRACTE_CONFIG names is trusted by that.
    Trust(TrustArgs),
    /// The ids that a shell offers at the cursor; the completion scripts call it
    #[command(hide = true)]
    Complete {
        /// With what each is called, behind a tab
        #[arg(long)]
        described: bool,
        /// The words of the command line after the program's name, the last one up to the cursor
        #[arg(last = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Print a completion script for a shell
    #[command(
        after_help = "For bash: entracte completions bash > ~/.local/share/bash-completion/completions/entracte"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write a page for every command
    #[command(
        after_help = "To read it: entracte man | man -l -\nTo install all pages: entracte man --to ~/.local/share/man/man1"
    )]
    Man {
        /// Write all pages into this folder, which is made if it is missing
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
}

/// `doctor`
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Also ask each provider, MCP server and host of a tool whether it answers
    #[arg(long)]
    pub(crate) online: bool,
    /// Check everything, not only a sample, and print every check, not only the worst ten of each kind
    #[arg(long)]
    pub(crate) all: bool,
    /// What is compared before an upgrade.
    #[command(flatten)]
    pub(crate) upgrade: UpgradeArgs,
}

/// `doctor --upgrade`
#[derive(Debug, clap::Args)]
pub(crate) struct UpgradeArgs {
    /// Only list what another program, or another configuration, would change about the open sessions
    ///
    /// A file that ends in .toml is a configuration; any other is a program, which is started. Each looks at a copy of
    /// the database that is removed afterwards. Exits with 1 when something would change.
    #[arg(long, value_name = "FILE", conflicts_with = "online")]
    pub(crate) upgrade: Option<PathBuf>,
    /// Time that the other one may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "600", requires = "upgrade", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) within: u32,
    /// How much of the other one's output is read at most, in megabytes
    #[arg(long, value_name = "MB", default_value = "1024", requires = "upgrade", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) most_mb: u32,
}

/// `chat`
#[derive(Debug, clap::Args)]
pub(crate) struct ChatArgs {
    /// Continue this session
    #[arg(long, value_name = "ID", conflicts_with_all = ["name", "provider", "model", "require_approval", "mode", "commands"])]
    pub(crate) session: Option<String>,
    /// Continue the last chat of the workspace
    #[arg(long = "continue", conflicts_with_all = ["session", "name", "provider", "model", "require_approval", "mode", "commands"])]
    pub(crate) go_on: bool,
    /// Name of the new session
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Provider of the new session
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Model of the new session
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Require approval for every action of the new session
    #[arg(long, alias = "require-validation")]
    pub(crate) require_approval: bool,
    /// What the new session needs before it acts: nothing more, or a plan that you approve [default: the workspace's]
    #[arg(long)]
    pub(crate) mode: Option<ModeName>,
    /// Play this script in the place of a model, as session record writes it; see docs/SCRIPTS.md
    #[arg(long, value_name = "FILE", conflicts_with_all = ["session", "go_on", "provider", "model"])]
    pub(crate) script: Option<PathBuf>,
    /// Commands the new session may use, like zones.list,files.*; none for no commands
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
    /// Send this message and wait until the session rests; - reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    /// Attach data to the message: a JSON object or @FILE; may be repeated
    ///
    /// The first one replaces {1} in the text, the second one {2}; without a placeholder they follow the
    /// text. To see what you may write: entracte command enrichments
    #[arg(long, value_name = "JSON", requires = "message")]
    pub(crate) enrich: Vec<String>,
    /// Attach a file to the message: PNG, JPEG, GIF, WebP, PDF or text; may be repeated
    #[arg(long, value_name = "FILE", requires = "message")]
    pub(crate) attach: Vec<PathBuf>,
    /// With --json: print one object per line while it works: pieces of text, entries, at last the turn
    #[arg(long, requires = "message")]
    pub(crate) stream: bool,
    /// Make sending safe to repeat: the same key in a session is the same message; without a session, the same session
    #[arg(long, value_name = "KEY", requires = "message")]
    pub(crate) client_key: Option<String>,
    /// Return as soon as the message is recorded, if another process continues the work or the session waits for a slot
    #[arg(long, requires = "message")]
    pub(crate) no_wait: bool,
}

/// `mcp`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    /// Another thing to do than to serve.
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    /// Name of the client; each name has its own sessions
    #[arg(long, default_value = "mcp")]
    pub(crate) name: String,
    /// Commands the client may use, like zones.list,files.*
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
}

/// `mcp …`: the servers of the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Log in to a remote MCP server with a browser
    Login {
        /// The server's name in the configuration
        server: String,
        /// Open no browser: print the address, and read from standard input where the browser was sent to
        #[arg(long)]
        no_browser: bool,
        /// Longest wait for the person, in seconds
        #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = clap::value_parser!(u32).range(1..=86_400))]
        within: u32,
    },
    /// Forget the login at a remote MCP server, and revoke it there if possible
    Logout {
        /// The server's name in the configuration
        server: String,
    },
    /// List the MCP servers and the logins; starts none of them
    Status,
    /// List the tools of the MCP servers: which ask before they run, which run unasked, which send data out
    Tools {
        /// The server's name in the configuration; all servers unless given
        server: Option<String>,
    },
    /// List the prompts of the MCP servers and their arguments; in a chat, /SERVER:PROMPT fetches one
    Prompts {
        /// The server's name in the configuration; all servers unless given
        server: Option<String>,
    },
    /// Let tools of an MCP server run unasked: those that it calls read-only, or those named
    Trust {
        /// The server's name in the configuration
        server: String,
        /// Names of tools, or patterns like 'list_*'
        tools: Vec<String>,
        /// Also approve, one by one, the waiting queries of these tools in this workspace, after showing them
        #[arg(long)]
        approve_waiting: bool,
        /// With --approve-waiting: approve what is shown without asking
        #[arg(long, requires = "approve_waiting")]
        yes: bool,
    },
    /// Make tools of an MCP server ask before each call: all of them, or those named
    Ask {
        /// The server's name in the configuration
        server: String,
        /// Names of tools, or patterns like 'list_*'
        tools: Vec<String>,
    },
    /// Keep tools of an MCP server as they are, and count them as decided: all of them, or those named
    Keep {
        /// The server's name in the configuration
        server: String,
        /// Names of tools, or patterns like 'list_*'
        tools: Vec<String>,
    },
}

/// `command …`
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// List all commands
    List {
        /// Show how many tokens their descriptions take in a prompt, by command and by MCP server
        #[arg(long)]
        sizes: bool,
    },
    /// Show a command and its parameters
    Show {
        /// The command's name or word, like tool_data.get or TOOL_DATA
        name: String,
    },
    /// Show what chat --enrich accepts, with examples
    Enrichments,
    /// Accept a new or changed tool of an MCP server; without a name, show those that wait
    ///
    /// On a terminal it asks, without a name, for the numbers of those to accept.
    Accept {
        /// The tool's name, like files.write_file
        name: Option<String>,
        /// Accept it even though, as it is now, it no longer needs approval
        #[arg(long, requires = "name")]
        without_approval: bool,
    },
    /// Run a query, or do a local action by hand: through the same checks, journaled as yours
    Run {
        /// The command's name or word
        name: String,
        /// Its parameters, a JSON object
        #[arg(value_name = "JSON", default_value = "{}")]
        parameters: String,
    },
}

/// `db …`
#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Upgrade the database to this version
    Migrate,
    /// Read the whole database and report damage
    Check,
    /// Mend what can be mended without a backup, while nobody uses the database
    ///
    /// Sequences of a Postgres server that fell behind their tables, as a move by logical replication leaves them: the next new
    /// row would get a number that is taken. Nothing else is changed.
    Repair,
    /// Back up the database to a new SQLite file, even while others write
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Copy a whole database into an empty one and replay every session there
    ///
    /// Each is a SQLite path or a URL: postgres://USER@HOST/DATABASE. env:NAME reads the URL from a variable, for one
    /// with a password. A server's database must exist already: createdb DATABASE
    Copy {
        /// The database to copy; others may keep using it
        from: String,
        /// The database to write, new or empty
        to: String,
    },
}

/// `config …`
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting in effect
    ///
    /// A flag wins over a variable, then come ./entracte.toml (as far as it is trusted: entracte trust), the user's file (config.toml in the folder
    /// entracte of the user's configuration) and the default. The variable of a
    /// setting is ENTRACTE_ and its name in capitals with underscores: ENTRACTE_LIMITS_ROUNDS. A duration
    /// is a number and its unit: 500ms, 30s, 5m, 24h. A limit for one kind of session, [limits.chat], wins over
    /// the same limit for all kinds, the table limits; 0 means no limit. The log has warnings; ENTRACTE_LOG=debug says
    /// more. It goes to standard error, and on a terminal to entracte.log in the folder of the data; with log.file = true
    /// to both, which is for a server.
    Show {
        /// Show where each value comes from
        #[arg(long)]
        origin: bool,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn command_line_passes_clap_assertions() {
        super::Cli::command().debug_assert();
    }
}
