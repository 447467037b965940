//! `notify …`

use clap::Subcommand;

/// `notify …`
#[derive(Debug, Subcommand)]
pub(crate) enum NotifyCommand {
    /// List the targets and the latest notifications
    List {
        /// The most notifications to list
        #[arg(long, value_name = "COUNT", default_value = "10")]
        limit: usize,
    },
    /// Send a target a test notification now, to see whether it works
    Test {
        /// The target's name or id
        target: String,
    },
    /// Add a target: entracte serve notifies it of what waits for you
    ///
    /// A secret is named and never stored: env:NAME is a variable of entracte serve, file:/PATH a file that holds nothing
    /// else. A program gets the same JSON as a webhook on its standard input, without a shell; it has the variables
    /// ENTRACTE_TITLE, ENTRACTE_BODY, ENTRACTE_LINK and ENTRACTE_ID alone, and {title}, {body}, {link} and {id} in its
    /// arguments stand for the same: --command /usr/bin/notify-send {title} {body}.
    Add(Box<AddTargetArgs>),
    /// Remove a target with all its notifications, and the links that it was sent
    Remove {
        /// The target's name or id
        target: String,
    },
}

/// `notify add`
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("way").required(true))]
pub(crate) struct AddTargetArgs {
    /// Its name
    pub(crate) name: String,
    /// Address of a webhook, signed as Standard Webhooks says; one that is secret is kept elsewhere: env:NAME or file:/PATH
    #[arg(long, value_name = "URL", group = "way", requires = "secret")]
    pub(crate) webhook: Option<String>,
    /// Where the key of the webhook's signature is kept: env:NAME or file:/PATH
    #[arg(long, value_name = "PLACE", requires = "webhook")]
    pub(crate) secret: Option<String>,
    /// Address of a topic of ntfy: https, a host, and the topic; or where it is kept
    #[arg(long, value_name = "URL", group = "way")]
    pub(crate) ntfy: Option<String>,
    /// Where the access token of ntfy is kept: env:NAME or file:/PATH
    #[arg(long, value_name = "PLACE", requires = "ntfy")]
    pub(crate) token: Option<String>,
    /// Path of a program, and its arguments: must come last
    #[arg(long, value_name = "PROGRAM", group = "way", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
    /// Notify it only of these: approval.requested, approval.waits, question.asked, outcome.unknown, call.failed, run.ended, task.ended, occurrence.missed, rule.expiring
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,
    /// Do not notify it during these hours, on the clock of the workspace, like 22:00-07:00
    #[arg(long, value_name = "HOURS")]
    pub(crate) quiet_hours: Option<String>,
    /// Language of its messages: en, fr; unless given that of your shell, else of the workspace
    #[arg(long)]
    pub(crate) language: Option<String>,
    /// Gather what comes up within this time into one notification, like 15m
    #[arg(long, value_name = "DURATION")]
    pub(crate) gather: Option<String>,
    /// Only you read it: whoever follows its links acts as you
    #[arg(long)]
    pub(crate) private: bool,
    /// With argument values; only for a private target
    #[arg(long, requires = "private")]
    pub(crate) full: bool,
    /// With links that approve or reject, once; needs server.public_url
    #[arg(long)]
    pub(crate) links: bool,
}
