use clap::{ArgAction, ValueEnum};

/// `approve`
#[derive(Debug, clap::Args)]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Do it with these arguments instead; for one call
    #[arg(long, value_name = "JSON", conflicts_with = "all")]
    pub(crate) edit: Option<String>,
    /// Return when the decision is committed, where another process carries the work on
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// `reject`
#[derive(Debug, clap::Args)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Why; the model reads it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    /// Return when the decision is committed, where another process carries the work on
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// Which calls are decided on.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// Approvals, apr_…, of one session
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) ids: Vec<String>,
    /// The session, with --all
    #[arg(long, requires = "all")]
    pub(crate) session: Option<String>,
    /// All that are open in the session
    #[arg(long, action = ArgAction::SetTrue, requires = "session")]
    pub(crate) all: bool,
}

/// What a person found of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Found {
    /// It happened.
    Happened,
    /// It did not happen.
    Absent,
}
