//! `cost …`

use clap::{Subcommand, ValueEnum};

/// `cost …`
#[derive(Debug, Subcommand)]
pub(crate) enum CostCommand {
    /// Add up what model calls used and cost
    ///
    /// The price of a call is stored with it: a later table of prices changes no earlier cost. What is not known is not 0:
    /// a sum with an unknown part says “at least”. To set prices: entracte provider show --schema
    Report {
        /// What each row stands for
        #[arg(long, value_enum, default_value_t = CostGrouping::Session)]
        by: CostGrouping,
        /// Only calls of this session and of the agents below it
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Only calls from this day on, like 2026-11-01, in the zone of the workspace
        #[arg(long, value_name = "DAY")]
        since: Option<String>,
        /// Only calls up to the end of this day
        #[arg(long, value_name = "DAY")]
        until: Option<String>,
        /// Show at most this many rows; 0 shows all [default: 40 on a terminal, elsewhere all]
        #[arg(long, value_name = "COUNT")]
        limit: Option<u32>,
        /// Print comma-separated values
        #[arg(long)]
        csv: bool,
    },
    /// Let a session go on past the soft line of a cap
    ///
    /// At budget.soft_line a session asks, before the next model call, whether it may use more of the cap. The questions:
    /// entracte inbox
    Extend {
        /// The session that asks
        #[arg(value_name = "SESSION")]
        session: String,
        /// How many US dollars more it may use, like 0.50 [default: as much as the question proposes]
        #[arg(long, value_name = "AMOUNT", conflicts_with = "tokens")]
        usd: Option<String>,
        /// How many tokens more it may use, if the question is about tokens
        #[arg(long, value_name = "COUNT")]
        tokens: Option<u64>,
    },
    /// Stop a session at the soft line of a cap, as at the cap itself
    Decline {
        /// The session that asks
        #[arg(value_name = "SESSION")]
        session: String,
    },
    /// Say what a model call used whose usage is not known
    ///
    /// A call that was stopped or lost is perhaps billed. While caps are set, what it reserved stays uncertain until somebody
    /// looks at the bill of the provider and says what it came to. The calls: entracte cost report --by attempt
    Settle {
        /// The model call, like mc_7k2m_3_1
        #[arg(value_name = "MODEL_CALL")]
        call: String,
        /// What it cost in US dollars, like 0.25; 0 if it was not billed
        #[arg(long, value_name = "AMOUNT")]
        usd: String,
        /// How many tokens it used
        #[arg(long, value_name = "COUNT", default_value_t = 0)]
        tokens: u64,
    },
    /// Add up the costs of all sessions anew from their logs
    ///
    /// Costs are kept as sums, which every report reads. This is only needed for sessions whose logs could not be read when
    /// the database was upgraded, and have been repaired since. It may run beside a server.
    Rebuild,
}

entracte_domain::words! {
    /// What a row of the report stands for.
    #[derive(ValueEnum)]
    pub(crate) enum CostGrouping {
        /// One attempt of a model call
        Attempt = "attempt",
        /// One round with all its attempts
        Round = "round",
        /// A session with all agents below it; agents have rows of their own, too
        Session = "session",
        /// An automation with all its runs
        Automation = "automation",
        /// A day in the zone of the workspace
        Day = "day",
        /// A model of a provider
        Model = "model",
        /// A provider
        Provider = "provider",
        /// A session that no other one called, with all agents below it
        Tree = "tree",
        /// The person who began the work, or the automation that did
        Person = "person",
        /// A command that answers asked for; an answer that asked for several is shared equally
        Command = "command",
    }
}
