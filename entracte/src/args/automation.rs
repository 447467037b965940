//! `automation …`

use clap::{Args, Subcommand, ValueEnum};

use super::{DialectName, YesNo};

/// `automation …`
#[derive(Debug, Subcommand)]
pub(crate) enum AutomationCommand {
    /// Create an automation
    #[command(after_help = CREATE_HELP)]
    Create(CreateAutomationArgs),
    /// List automations: first those that need attention
    List,
    /// Show an automation and its message
    Show {
        /// Its name, its id or the start of its id
        automation: String,
    },
    /// Change an automation; what you leave out stays as it is
    Edit(EditAutomationArgs),
    /// Switch an automation on
    Enable {
        /// Its name, its id or the start of its id
        automation: String,
    },
    /// Switch an automation off; you can still run it yourself
    Disable {
        /// Its name, its id or the start of its id
        automation: String,
    },
    /// Run an automation now and wait until the run rests
    ///
    /// The first line is the result: ACTIVATED, ALREADY_ACTIVE, or QUEUED and the place in the queue.
    Run {
        /// Its name, its id or the start of its id
        automation: String,
        /// What happened outside, as JSON or @FILE; the model reads it as untrusted data
        #[arg(long, value_name = "JSON")]
        event: Option<String>,
        /// Return as soon as the run is created, if another process continues it
        #[arg(long)]
        no_wait: bool,
    },
    /// Play a run without carrying anything out, and say what would keep it from working
    ///
    /// The run sees your current data and settings. Its model is replayed: it says what the model said in the latest run, or
    /// what a script says. Nothing is changed, sent or stored.
    DryRun {
        /// Its name, its id or the start of its id
        automation: String,
        /// What the model says: a script to replay [default: the answers of the latest run]
        #[arg(long, value_name = "FILE")]
        script: Option<std::path::PathBuf>,
        /// What happened outside, as JSON or @FILE
        #[arg(long, value_name = "JSON")]
        event: Option<String>,
        /// Show the whole request that the model would be sent
        #[arg(long)]
        prompt: bool,
    },
    /// Print the next times, in the automation's time zone
    Next {
        /// Its name, its id or the start of its id
        automation: String,
        /// How many
        #[arg(short = 'n', long, default_value_t = 5, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1000))]
        count: u16,
    },
    /// Show past occurrences and their outcomes, the latest first; without a name, the last night of all automations
    History(AutomationHistoryArgs),
    /// Run what is due in the foreground, one line per event; Ctrl-C ends it
    Watch,
    /// Delete an automation; its runs and history stay
    Delete {
        /// Its name, its id or the start of its id
        automation: String,
        /// Do not ask for confirmation
        #[arg(long)]
        force: bool,
    },
}

/// `automation history`
#[derive(Debug, Args)]
pub(crate) struct AutomationHistoryArgs {
    /// Its name, its id or the start of its id; for a deleted one, the whole id [default: all that are there]
    pub(crate) automation: Option<String>,
    /// Show at most this many [default: 20; without a name 200]
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<u32>,
    /// Only occurrences before this time, on the workspace's clock unless it names an offset
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
    /// Only what ran or was skipped since this time, read as --before [default: all; without a name the last 24 hours]
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

const CREATE_HELP: &str = "A time is 2026-12-24T18:00, in the automation's time zone; 2026-12-24, the start of that \
day; or 2026-12-24T17:00:00Z with any offset. A duration is a number and its unit: 90s, 15m, 24h, 7d.\n\n  \
entracte automation create Weekly --message \"How was my week?\" --cron \"0 9 * * 1\"\n  \
entracte automation create Watch --message \"Is all well?\" --every 15m";

/// When it runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "When it runs")]
pub(crate) struct TriggerArgs {
    /// Run at the times of a cron expression: minute, hour, day, month, weekday; or six fields, seconds first
    ///
    /// Where the clock jumps forward, a fixed time such as "30 2 * * *" that is left out runs at the first instant after
    /// the gap; schedules with * or a step in hour, minute or second, such as "*/20 * * * *", run only at times that
    /// exist. Where an hour comes twice, fixed times run once and the others every time.
    #[arg(long, group = "when", value_name = "EXPR")]
    pub(crate) cron: Option<String>,
    /// Run at the times of a line of a crontab, with the days that Debian's cron means; or @daily, @hourly and so on
    ///
    /// The same as --cron, but for one thing: where a day of the month or a weekday begins with *, as in "0 0 */2 * 1", only
    /// days that match both fields are meant.
    #[arg(long, group = "when", value_name = "LINE")]
    pub(crate) crontab: Option<String>,
    /// Time zone of --cron, --crontab, --at and --from [default: the workspace's]
    #[arg(long, value_name = "ZONE", conflicts_with_all = ["manual", "on_event"])]
    pub(crate) zone: Option<String>,
    /// Run at this interval
    #[arg(long, group = "when", value_name = "DURATION")]
    pub(crate) every: Option<String>,
    /// With --every: the first time [default: one interval from now]
    #[arg(long, value_name = "TIME", conflicts_with_all = ["cron", "crontab", "at", "manual", "on_event"])]
    pub(crate) from: Option<String>,
    /// Run once, at this time
    #[arg(long, group = "when", value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Run only when asked
    #[arg(long, group = "when")]
    pub(crate) manual: bool,
    /// Run when an outside event is reported: automation run --event
    #[arg(long, group = "when")]
    pub(crate) on_event: bool,
}

/// How it runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "How it runs")]
pub(crate) struct PolicyArgs {
    /// How late an occurrence may start: a duration, or unlimited [default: 24h]
    #[arg(long, value_name = "DURATION")]
    pub(crate) catch_up: Option<String>,
    /// Run every missed occurrence, not only the latest
    #[arg(long)]
    pub(crate) all_missed: bool,
    /// What to do when an occurrence is due while a run is going on [default: skip]
    #[arg(long)]
    pub(crate) overlap: Option<OverlapName>,
    /// Set of limits [default: the workspace's]
    #[arg(long)]
    pub(crate) profile: Option<ProfileName>,
    /// What to do with an action that needs approval [default: as configured]
    #[arg(long)]
    pub(crate) unattended: Option<UnattendedName>,
    /// Whether to trust the model when it says the work is done [default: as configured]
    #[arg(long)]
    pub(crate) completion: Option<CompletionName>,
    /// What its runs need before they act: nothing more, or a plan that a person approves [default: the workspace's]
    #[arg(long)]
    pub(crate) mode: Option<RunModeName>,
}

/// `automation create`
#[derive(Debug, Args)]
pub(crate) struct CreateAutomationArgs {
    /// Its name
    pub(crate) name: String,
    /// The message each run begins with; - reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: String,
    /// Attach data to the message, like chat --enrich; periods may be relative
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
    /// Require approval for every action of the runs
    #[arg(long, alias = "require-validation")]
    pub(crate) require_approval: bool,
    /// Commands the runs may use, like zones.list,files.*; none for no commands
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
    /// Create it switched off
    #[arg(long)]
    pub(crate) disabled: bool,
}

/// `automation edit`
#[derive(Debug, Args)]
pub(crate) struct EditAutomationArgs {
    /// Its name, its id or the start of its id
    pub(crate) automation: String,
    /// Its name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The new message each run begins with; - reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    /// Attach data to the message
    #[arg(long, value_name = "JSON", requires = "message")]
    pub(crate) enrich: Vec<String>,
    #[command(flatten)]
    pub(crate) trigger: TriggerArgs,
    #[command(flatten)]
    pub(crate) policies: PolicyArgs,
    /// Run only the latest of several missed occurrences
    #[arg(long, conflicts_with = "all_missed")]
    pub(crate) latest_only: bool,
    /// Provider of the runs; without --model, with the provider's default model
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Model of the runs
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// How the model asks for commands [default: as configured for a new provider]
    #[arg(long)]
    pub(crate) dialect: Option<DialectName>,
    /// Whether every action of the runs needs approval
    #[arg(long, alias = "require-validation", value_name = "yes|no", hide_possible_values = true)]
    pub(crate) require_approval: Option<YesNo>,
    /// Commands the runs may use, like zones.list,files.*; none for no commands, * for all
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) commands: Option<Vec<String>>,
}

/// What becomes of an occurrence that is due while a run has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverlapName {
    /// Skip it
    Skip,
    /// Wait for the run to end
    Queue,
}

/// A set of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// Four counters and a maximum duration
    Strict,
    /// One limit on rounds, and guards against loops
    Autonomous,
    /// As set for the workspace
    Workspace,
}

/// What a run needs before it acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunModeName {
    /// Nothing more than the approvals of its actions
    Free,
    /// A plan that a person approves
    Plan,
    /// As set for the workspace
    Workspace,
}

/// What happens to an action that needs approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnattendedName {
    /// The run waits in the inbox
    Park,
    /// Reject it
    Refuse,
    /// Allow it
    Allow,
    /// As configured
    Configured,
}

/// Whether the model is taken at its word that the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionName {
    /// Trust it
    Trust,
    /// Ask it once more
    #[value(name = "ask_once")]
    AskOnce,
    /// As configured
    Configured,
}
