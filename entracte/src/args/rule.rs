//! `rule …`

use clap::Subcommand;

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
    /// A rule that approves allows exactly the arguments that you name; it never covers what cannot be undone. A rule that
    /// denies wins over every approval; without --for it stands until it is revoked.
    Add(AddRuleArgs),
    /// Revoke a rule: such calls are decided as without it
    #[command(visible_alias = "remove")]
    Revoke {
        /// The rule, rul_…
        rule: String,
    },
}

/// `rule add`
#[derive(Debug, clap::Args)]
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
    /// Deny such calls
    #[arg(long)]
    pub(crate) deny: bool,
    /// Why, as the model is told
    #[arg(long, value_name = "TEXT", requires = "deny")]
    pub(crate) reason: Option<String>,
    /// Only in this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Approve only this many calls, at most 100
    #[arg(long, value_name = "N", conflicts_with = "deny", value_parser = clap::value_parser!(u32).range(1..=i64::from(entracte_domain::validation::RuleUses::MOST)))]
    pub(crate) times: Option<u32>,
    /// Approve for agents too, in the whole workspace
    #[arg(long, conflicts_with_all = ["deny", "session"])]
    pub(crate) agents: bool,
    /// Approve what this person's words ask for too, not only yours; repeatable
    #[arg(long = "person", value_name = "NAME", conflicts_with = "deny")]
    pub(crate) people: Vec<String>,
    /// For how long, like 12h or 30d
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) lasts: Option<String>,
}
