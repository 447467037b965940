use clap::{ArgAction, ArgGroup, ValueEnum};

/// `approve`
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("confirmed").args(["always", "filters"]).multiple(true))]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    pub(crate) which: CallSelectionArgs,
    /// Run one call with these arguments instead
    #[arg(long, value_name = "JSON", conflicts_with_all = ["all", "filters"])]
    pub(crate) edit: Option<String>,
    /// Also approve all similar calls from now on; see rule list
    ///
    /// What that covers is shown before the decision. A call is similar when it runs the same command with the same
    /// texts; of commands on your own data, numbers and objects may differ. An action that cannot be undone needs
    /// approval every time.
    #[arg(long, conflicts_with_all = ["edit", "filters"])]
    pub(crate) always: bool,
    /// With --always: approve only what the card offers under this number; see inbox
    #[arg(long, value_name = "N", requires = "always", conflicts_with = "all")]
    pub(crate) width: Option<usize>,
    /// With --always: only in this session, not in the whole workspace
    #[arg(long, requires = "always")]
    pub(crate) in_session: bool,
    /// With --always: for agents too; on the card of an agent it always is
    #[arg(long, requires = "always", conflicts_with = "in_session")]
    pub(crate) agents: bool,
    /// With --always: for how long, like 12h or 30d [default: validation.always_expires]
    #[arg(long = "for", value_name = "DURATION", requires = "always")]
    pub(crate) lasts: Option<String>,
    /// With --always, or with --where, --expect and --seen: do not ask back on a terminal
    #[arg(long, requires = "confirmed")]
    pub(crate) yes: bool,
    /// Return as soon as the decision is recorded, if another process continues the work
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// `reject`
#[derive(Debug, clap::Args)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) which: CallSelectionArgs,
    /// Why; the model reads it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    /// With --where and --expect: do not ask back on a terminal
    #[arg(long, requires = "filters")]
    pub(crate) yes: bool,
    /// Return as soon as the decision is recorded, if another process continues the work
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// Which calls are decided on.
#[derive(Debug, clap::Args)]
pub(crate) struct CallSelectionArgs {
    /// Approvals, apr_…, all of one session
    #[arg(value_name = "ID", required_unless_present_any = ["all", "seen", "filters"], conflicts_with = "all")]
    pub(crate) ids: Vec<String>,
    /// With --all: the session
    #[arg(long, requires = "all")]
    pub(crate) session: Option<String>,
    /// Every open approval of the session: its card is shown first, and the decision covers these cards only
    #[arg(long, action = ArgAction::SetTrue, requires = "session")]
    pub(crate) all: bool,
    /// Only what was shown with this digest (inbox --json), which may be shortened; the rest stays open. With --where: the digest of all that was shown
    #[arg(long, value_name = "DIGEST", num_args = 1.., value_delimiter = ',')]
    pub(crate) seen: Vec<String>,
    /// Every open approval of the workspace that fits, as it is shown first; may be repeated to narrow it
    ///
    /// NAME is one of the filters of the inbox: q (words), kind, command, argument (a part of them), session (its id or a part
    /// of its name), automation, person, assigned (me, nobody), age (at least, like 3d), asked_before. What destroys something, needs four eyes or is
    /// not shown whole is left, and so is what came after it was shown. approve also leaves what leaves the workspace, cannot
    /// be undone or has a warning, and takes one command at a time.
    #[arg(long = "where", value_name = "NAME=VALUE", conflicts_with_all = ["ids", "all"])]
    pub(crate) filters: Vec<String>,
    /// With --where: decide only if exactly this many fit; without a terminal, with --yes
    #[arg(long, value_name = "COUNT", requires = "filters")]
    pub(crate) expect: Option<usize>,
}

/// Which items `inbox` shows, and how.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct InboxListArgs {
    /// Print them all at once, also on a terminal
    #[arg(long)]
    pub(crate) list: bool,
    /// Print at most this many of them; 0 prints all [default: 10 on a terminal, elsewhere all]
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<u32>,
    /// Print what you snooze, in place of all else
    #[arg(long)]
    pub(crate) snoozed: bool,
    /// Print only what is assigned to this person; me, nobody
    #[arg(long, value_name = "PERSON")]
    pub(crate) assigned: Option<String>,
}

/// `inbox …`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum InboxCommand {
    /// Mark runs that came to nothing, and long tasks with unread results, as seen: they leave the inbox, and who marked them is recorded
    ///
    /// A run is an item when it failed, when a limit ended it, or when an approval expired in it; a long task when its
    /// service reported two different outcomes, or when it ended after its session. Approvals, questions, unknown outcomes and parked runs stay until they are answered, settled or resumed.
    Seen {
        /// The runs, ses_…, and the tasks, tsk_…, as the inbox names them
        #[arg(value_name = "ITEM", required_unless_present = "all", conflicts_with = "all")]
        items: Vec<String>,
        /// Show all of them, and mark those that were shown
        #[arg(long)]
        all: bool,
    },
    /// Snooze items: they leave your inbox, and nobody else's, until then
    ///
    /// An item comes back earlier when something changes on it, when a person writes in its session, when another person
    /// assigns it, and always an hour before it expires (inbox.wake_before).
    Snooze {
        /// The items, as the inbox names them: apr_…, ses_…, cal_…, tsk_…
        #[arg(value_name = "ITEM", required = true)]
        items: Vec<String>,
        /// later, tomorrow, monday, a duration like 3h, a date or an instant, on the clock of the workspace
        #[arg(long, value_name = "WHEN")]
        until: String,
    },
    /// Bring snoozed items back into your inbox
    Unsnooze {
        /// The items, as inbox --snoozed names them
        #[arg(value_name = "ITEM", required = true)]
        items: Vec<String>,
    },
    /// Assign items to a person, who is notified; whoever may decide on them still may
    Assign {
        /// The items, as the inbox names them: apr_…, ses_…, cal_…, tsk_…
        #[arg(value_name = "ITEM", required = true)]
        items: Vec<String>,
        /// The person, by name; me
        #[arg(long, value_name = "PERSON", required_unless_present = "nobody", conflicts_with = "nobody")]
        to: Option<String>,
        /// Assign them to nobody
        #[arg(long)]
        nobody: bool,
    },
}

/// What a person found of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettlementFinding {
    /// It happened
    Happened,
    /// It did not happen
    #[value(alias = "absent")]
    DidNotHappen,
    /// It did not happen, and you want it: proposes a new call, which needs its own approval
    Again,
}
