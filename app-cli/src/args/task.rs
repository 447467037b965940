//! `task …`

use clap::Subcommand;

/// `task …`
#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// List long tasks: those that ask something first, then those that run, then those that have ended
    List {
        /// Only those that have not ended
        #[arg(long)]
        open: bool,
        /// Only those of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Show a task: how it stands, what came of it, all that its other side told
    Show {
        /// The task, tsk_…
        task: String,
    },
    /// Cancel a task: its other side is told to stop
    ///
    /// Whether it stopped is known when it answers; a task that cannot be told may finish all the same.
    Cancel {
        /// The task, tsk_…
        task: String,
    },
    /// Answer what a task asks
    Answer {
        /// The task, tsk_…
        task: String,
        /// The answer: a text for one field, a JSON object for more; null to decline
        #[arg(allow_hyphen_values = true)]
        text: String,
    },
}
