use std::path::PathBuf;

use clap::Subcommand;

use super::copies::CopyCommand;

/// `session …`
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions: those that wait for a person first, then those that work, then those that ended
    List {
        /// Without those that ended
        #[arg(long)]
        open: bool,
        /// At most that many
        #[arg(long, default_value_t = 0, hide_default_value = true)]
        limit: u32,
    },
    /// Show one session
    Show {
        /// The session
        session: String,
    },
    /// Show its conversation
    Messages {
        /// The session
        session: String,
        /// Only what you have not read
        #[arg(long)]
        unread: bool,
        /// Remember that you have read it
        #[arg(long)]
        mark_read: bool,
    },
    /// Show its log, a line for each event
    Journal {
        /// The session
        session: String,
        /// Only what came after this number
        #[arg(long, default_value_t = 0, hide_default_value = true)]
        after: u64,
    },
    /// Show its calls and what became of them
    Calls {
        /// The session
        session: String,
        /// Show this call alone, and all of it
        call: Option<String>,
    },
    /// Print the exact request of a past model call, rebuilt from what is stored
    ///
    /// A session's journal names its model calls. What is printed are the bytes of the body that was sent; whether
    /// they are, the hash shows that was recorded with the reply.
    Prompt {
        /// The model call, mc_… or a unique beginning of it
        #[arg(value_name = "MODEL_CALL")]
        call: String,
        /// Show what the prompt is made of, with estimated tokens, instead of the bytes
        #[arg(long)]
        parts: bool,
        /// Write the bytes into this new file
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Stop its work
    Stop {
        /// The session
        session: String,
        /// End the session too: it takes nothing in any more
        #[arg(long)]
        end: bool,
    },
    /// Interrupt its round
    Interrupt {
        /// The session
        session: String,
    },
    /// Let it go on from where it rests
    Resume {
        /// The session
        session: String,
        /// Return when the request is committed, where another process carries the work on
        #[arg(long)]
        no_wait: bool,
    },
    /// Agree that a run's work is done
    Confirm {
        /// The session
        session: String,
    },
    /// Say that a run's work is not done
    RejectCompletion {
        /// The session
        session: String,
        /// What is missing
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        reason: Option<String>,
    },
    /// Copy, delete, change.
    #[command(flatten)]
    Copies(CopyCommand),
    /// Replay the journal and compare with what is stored, of one session or of the whole database
    Verify {
        /// The session; all of the database when none is named
        session: Option<String>,
        /// All sessions of the database
        #[arg(long, conflicts_with = "session")]
        all: bool,
    },
}
