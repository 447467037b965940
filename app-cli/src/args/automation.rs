//! `automation …`

use clap::{Args, Subcommand, ValueEnum};

use super::{DialectName, YesNo};

/// `automation …`
#[derive(Debug, Subcommand)]
pub(crate) enum AutomationCommand {
    /// Make an automation
    #[command(after_help = CREATE_HELP)]
    Create(CreateAutomation),
    /// List automations: those that need attention first
    List,
    /// Show one automation with its message
    Show {
        /// Its id or a unique beginning of it, or its name
        automation: String,
    },
    /// Change an automation; what is not named stays
    Edit(EditAutomation),
    /// Let it run by itself from now on
    Enable {
        /// Its id or a unique beginning of it, or its name
        automation: String,
    },
    /// Let it run no more by itself; it still runs when it is asked to
    Disable {
        /// Its id or a unique beginning of it, or its name
        automation: String,
    },
    /// Run it now and wait until the run rests
    ///
    /// The first line says what came of it: ACTIVATED, ALREADY_ACTIVE, or QUEUED and the place in the queue.
    Run {
        /// Its id or a unique beginning of it, or its name
        automation: String,
        /// What happened outside, JSON or @FILE; the model reads it as untrusted data
        #[arg(long, value_name = "JSON")]
        event: Option<String>,
        /// Return when the run is made, where another process carries it on
        #[arg(long)]
        no_wait: bool,
    },
    /// Print the coming instants in the automation's zone
    Next {
        /// Its id or a unique beginning of it, or its name
        automation: String,
        /// How many
        #[arg(short = 'n', long, default_value_t = 5, value_name = "COUNT")]
        count: usize,
    },
    /// Show what became of its occurrences, the latest first
    History {
        /// Its id or a unique beginning of it, or its name; of a deleted one the whole id
        automation: String,
        /// At most that many
        #[arg(long, default_value_t = 20, value_name = "COUNT")]
        limit: u32,
        /// Only occurrences before this instant
        #[arg(long, value_name = "INSTANT")]
        before: Option<String>,
    },
    /// Run what is due, here and now, a line for each event; Ctrl-C ends it
    Watch,
    /// Delete an automation; its runs and its history stay
    Delete {
        /// Its id or a unique beginning of it, or its name
        automation: String,
        /// Do not ask
        #[arg(long)]
        force: bool,
    },
}

const CREATE_HELP: &str = "An instant is 2026-12-24T18:00, on the clock of the zone; 2026-12-24, the start of that \
day; or 2026-12-24T17:00:00Z with any offset. A span is a number and its unit: 90s, 15m, 24h, 7d.\n\n  \
entracte automation create Weekly --message \"How was my week?\" --cron \"0 9 * * 1\"\n  \
entracte automation create Watch --message \"Is all well?\" --every 15m";

/// When it runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "When it runs")]
pub(crate) struct TriggerArgs {
    /// At the times of a cron expression: minute, hour, day, month, weekday; or six fields, seconds first
    #[arg(long, group = "when", value_name = "EXPR")]
    pub(crate) cron: Option<String>,
    /// Zone of --cron, --at and --from [default: the workspace's]
    #[arg(long, value_name = "ZONE", conflicts_with_all = ["manual", "on_event"])]
    pub(crate) zone: Option<String>,
    /// Every so often
    #[arg(long, group = "when", value_name = "SPAN")]
    pub(crate) every: Option<String>,
    /// With --every: the first instant [default: one span from now]
    #[arg(long, value_name = "INSTANT", conflicts_with_all = ["cron", "at", "manual", "on_event"])]
    pub(crate) from: Option<String>,
    /// Once
    #[arg(long, group = "when", value_name = "INSTANT")]
    pub(crate) at: Option<String>,
    /// When a person asks for it
    #[arg(long, group = "when")]
    pub(crate) manual: bool,
    /// When something outside reports an event: automation run --event
    #[arg(long, group = "when")]
    pub(crate) on_event: bool,
}

/// How it runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "How it runs")]
pub(crate) struct PolicyArgs {
    /// How late an occurrence may still begin: a span, or unlimited [default: 24h]
    #[arg(long, value_name = "WINDOW")]
    pub(crate) catch_up: Option<String>,
    /// Of several occurrences that were missed all run, not the latest only
    #[arg(long)]
    pub(crate) all_missed: bool,
    /// What becomes of an occurrence that is due while a run has not ended [default: skip]
    #[arg(long)]
    pub(crate) overlap: Option<OverlapName>,
    /// The set of limits [default: the workspace's]
    #[arg(long)]
    pub(crate) profile: Option<ProfileName>,
    /// What happens to an action that needs leave [default: as configured]
    #[arg(long)]
    pub(crate) unattended: Option<UnattendedName>,
    /// Whether the model is taken at its word that the work is done [default: as configured]
    #[arg(long)]
    pub(crate) completion: Option<CompletionName>,
}

/// `automation create`
#[derive(Debug, Args)]
pub(crate) struct CreateAutomation {
    /// Its name
    pub(crate) name: String,
    /// What each run begins with; - reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: String,
    /// Refer to data that each run gets with the message, as --enrich of chat; periods may be relative
    #[arg(long, value_name = "JSON")]
    pub(crate) enrich: Vec<String>,
    #[command(flatten)]
    pub(crate) trigger: TriggerArgs,
    #[command(flatten)]
    pub(crate) policies: PolicyArgs,
    /// Provider of the runs
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Model of the runs
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Every action of the runs needs leave
    #[arg(long)]
    pub(crate) require_validation: bool,
    /// Its runs may ask for these commands only: zones.list,files.* or none
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
    /// Make it switched off
    #[arg(long)]
    pub(crate) disabled: bool,
}

/// `automation edit`
#[derive(Debug, Args)]
pub(crate) struct EditAutomation {
    /// Its id or a unique beginning of it, or its name
    pub(crate) automation: String,
    /// Its name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// What each run begins with from now on; - reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    /// Refer to data that each run gets with the message
    #[arg(long, value_name = "JSON", requires = "message")]
    pub(crate) enrich: Vec<String>,
    #[command(flatten)]
    pub(crate) trigger: TriggerArgs,
    #[command(flatten)]
    pub(crate) policies: PolicyArgs,
    /// Of several occurrences that were missed the latest runs only
    #[arg(long, conflicts_with = "all_missed")]
    pub(crate) latest_only: bool,
    /// Provider of the runs; without --model, with the provider's own model
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Model of the runs
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// How commands are encoded for it [default: as the configuration says of a new provider]
    #[arg(long)]
    pub(crate) dialect: Option<DialectName>,
    /// Whether every action of the runs needs leave
    #[arg(long, value_name = "yes|no")]
    pub(crate) require_validation: Option<YesNo>,
    /// Its runs may ask for these commands only: zones.list,files.* or none; * for every command
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
}

/// What becomes of an occurrence that is due while a run has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverlapName {
    /// It is skipped.
    Skip,
    /// It waits for the run to end.
    Queue,
}

/// A set of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// Four counters and a longest duration.
    Strict,
    /// One limit on rounds, and guards against loops.
    Autonomous,
    /// As the workspace has it.
    Workspace,
}

/// What happens to an action that needs leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnattendedName {
    /// The run waits in the inbox.
    Park,
    /// It is refused.
    Refuse,
    /// It is allowed.
    Allow,
    /// As configured.
    Configured,
}

/// Whether the model is taken at its word that the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionName {
    /// It is.
    Trust,
    /// It is asked once more.
    #[value(name = "ask_once")]
    AskOnce,
    /// As configured.
    Configured,
}
