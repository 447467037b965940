//! `rule …`

use clap::builder::RangedI64ValueParser;
use clap::{ArgGroup, Subcommand};
use entracte_domain::validation::UseLimits;

/// `rule …`
#[derive(Debug, Subcommand)]
pub(crate) enum RuleCommand {
    /// List standing approvals and denials
    List {
        /// Include expired and revoked ones
        #[arg(long)]
        all: bool,
    },
    /// Show a rule
    Show {
        /// The rule, rul_…
        rule: String,
    },
    /// Approve or deny calls in advance
    ///
    /// A rule that approves allows exactly the arguments that you name; it never covers what cannot be undone. With limits
    /// it is a mandate: what is outside of them waits for a person. A rule that denies wins over every approval; without
    /// --for it stands until it is revoked.
    Add(Box<AddRuleArgs>),
    /// Revoke a rule: such calls are decided as without it
    #[command(visible_alias = "remove")]
    Revoke {
        /// The rule, rul_…
        rule: String,
    },
}

/// `rule add`
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("sums").args(["sum_in_all", "sum_per_run", "sum_per_day"]).multiple(true))]
pub(crate) struct AddRuleArgs {
    /// The command's name or word; to deny all of a resource: files.*
    #[arg(value_name = "NAME")]
    pub(crate) command: String,
    /// Arguments with exactly the values that they must have: a JSON object
    #[arg(long = "where", value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) conditions: String,
    /// An argument that can have any value; may be repeated
    #[arg(long, value_name = "ARGUMENT")]
    pub(crate) any: Vec<String>,
    /// An argument that must be one of these values, like to='["FR76","DE89"]'; may be repeated
    #[arg(long = "one-of", value_name = "ARGUMENT=JSON")]
    pub(crate) one_of: Vec<String>,
    /// An argument that must be a number in plain digits from one to another, like amount=0..200 or amount=..200; may be
    /// repeated
    #[arg(long = "range", value_name = "ARGUMENT=RANGE", conflicts_with = "deny")]
    pub(crate) ranges: Vec<String>,
    /// An argument that must begin like this, up to the end of a word, like path=reports/; may be repeated
    #[arg(long = "prefix", value_name = "ARGUMENT=TEXT", conflicts_with = "deny")]
    pub(crate) prefixes: Vec<String>,
    /// An argument that must be like this as a whole, like number='INV-????'; may be repeated
    ///
    /// `*` stands for any letters, digits, spaces, dots, hyphens and underscores, `?` for one of them.
    #[arg(long = "like", value_name = "ARGUMENT=PATTERN", conflicts_with = "deny")]
    pub(crate) patterns: Vec<String>,
    /// Deny such calls
    #[arg(long)]
    pub(crate) deny: bool,
    /// Why, as the model is told
    #[arg(long, value_name = "TEXT", requires = "deny")]
    pub(crate) reason: Option<String>,
    /// Only in this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only in the runs of this automation
    #[arg(long, value_name = "ID", conflicts_with = "session")]
    pub(crate) automation: Option<String>,
    /// Only for this agent
    #[arg(long, value_name = "NAME", conflicts_with_all = ["session", "automation", "agents"])]
    pub(crate) agent: Option<String>,
    /// Approve only this many calls in all
    #[arg(long, value_name = "N", conflicts_with = "deny", value_parser = calls())]
    pub(crate) times: Option<u32>,
    /// Approve only this many calls in each run, or in another session with its agents
    #[arg(long, value_name = "N", conflicts_with = "deny", value_parser = calls())]
    pub(crate) per_run: Option<u32>,
    /// Approve only this many calls on a day of the workspace
    #[arg(long, value_name = "N", conflicts_with = "deny", value_parser = calls())]
    pub(crate) per_day: Option<u32>,
    /// The argument whose numbers are summed for --sum-in-all, --sum-per-run and --sum-per-day
    #[arg(long, value_name = "ARGUMENT", conflicts_with = "deny", requires = "sums")]
    pub(crate) sum: Option<String>,
    /// Approve only up to this sum in all
    #[arg(long, value_name = "NUMBER", requires = "sum")]
    pub(crate) sum_in_all: Option<String>,
    /// Approve only up to this sum in each run
    #[arg(long, value_name = "NUMBER", requires = "sum")]
    pub(crate) sum_per_run: Option<String>,
    /// Approve only up to this sum on a day
    #[arg(long, value_name = "NUMBER", requires = "sum")]
    pub(crate) sum_per_day: Option<String>,
    /// Approve for agents too, in the whole workspace or in the runs of --automation
    #[arg(long, conflicts_with_all = ["deny", "session"])]
    pub(crate) agents: bool,
    /// Approve what this person's words ask for too, not only yours; repeatable
    #[arg(long = "person", value_name = "NAME", conflicts_with = "deny")]
    pub(crate) people: Vec<String>,
    /// For how long, like 12h or 30d
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) lasts: Option<String>,
    /// Until the end of this day of the workspace, like 2026-12-31
    #[arg(long, value_name = "DAY", conflicts_with = "lasts")]
    pub(crate) until: Option<String>,
}

/// A number of calls that a limit may name.
fn calls() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(UseLimits::CALLS_MAX))
}
