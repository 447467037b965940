//! `task …`

use clap::Subcommand;

/// `task …`
#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// List long tasks: first those with a question, then those that run, then those that ended
    List {
        /// Only those that have not ended
        #[arg(long)]
        open: bool,
        /// Only those of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Show a task: its state, its result and every report of its task server
    Show {
        /// The task, tsk_…
        task: String,
    },
    /// Cancel a task and tell its task server to stop
    ///
    /// Whether it stopped is known when the task server answers; until then the task may still finish.
    Cancel {
        /// The task, tsk_…
        task: String,
    },
    /// Answer the question of a task
    Answer {
        /// The task, tsk_…
        task: String,
        /// The answer: a text for one field, a JSON object for more; null to decline
        #[arg(allow_hyphen_values = true)]
        text: String,
    },
}
