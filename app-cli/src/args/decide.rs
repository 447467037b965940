use clap::{ArgAction, ValueEnum};

/// `approve`
#[derive(Debug, clap::Args)]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Do it with these arguments instead; for one call
    #[arg(long, value_name = "JSON", conflicts_with = "all")]
    pub(crate) edit: Option<String>,
    /// Give leave to all calls like it from now on, too; see rule list
    ///
    /// A call is like it when it asks for the same command and names the same things; what is written, numbers,
    /// lists and objects, may differ. What cannot be undone is asked for each time.
    #[arg(long, conflicts_with = "edit")]
    pub(crate) always: bool,
    /// With --always: only in this session, not in all of the workspace
    #[arg(long, requires = "always")]
    pub(crate) in_session: bool,
    /// With --always: for how long, like 12h or 30d [default: validation.always_expires]
    #[arg(long = "for", value_name = "SPAN", requires = "always")]
    pub(crate) lasts: Option<String>,
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
