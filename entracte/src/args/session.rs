use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::session_copy::SessionCopyCommand;

/// `session …`
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions: first those that wait for you, then those that work, then those that ended
    List {
        /// Leave out sessions that ended
        #[arg(long)]
        open: bool,
        /// Show at most this many
        #[arg(long, default_value_t = 0, hide_default_value = true)]
        limit: u32,
        /// Only sessions that wait for you
        #[arg(long)]
        waiting: bool,
        /// Only sessions of this kind
        #[arg(long, value_name = "KIND")]
        kind: Option<KindName>,
        /// Only sessions with this text in their name
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        search: String,
    },
    /// Show which sessions were deleted, when, by whom, and what was open
    ///
    /// The log of a deleted session is gone. Kept are its open approvals and unfinished calls: ids, commands and
    /// digests, no arguments and no texts.
    Deleted {
        /// Show at most this many
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// Show a session
    Show {
        /// The session
        session: String,
    },
    /// Open a chat: ask for its slot without calling a model
    ///
    /// Runs cannot take the slot of a chat that you have open, for as long as chat_eviction says. The chat counts as
    /// open for runtime.attachment_lease; run the command again to keep it open. The output is ACTIVATED,
    /// ALREADY_ACTIVE, or QUEUED and its place.
    Open {
        /// The session
        session: String,
        /// Return at once, even if the chat has to wait for its slot
        #[arg(long)]
        no_wait: bool,
    },
    /// Show a session's conversation
    Messages {
        /// The session
        session: String,
        /// Only messages you have not read
        #[arg(long)]
        unread: bool,
        /// Mark them as read
        #[arg(long)]
        mark_read: bool,
    },
    /// Show a session's journal, one line per event
    Journal {
        /// The session
        session: String,
        /// Only events after this number
        #[arg(long, default_value_t = 0, hide_default_value = true)]
        after: u64,
    },
    /// Follow a session: show what happens in it, as it happens, until it ends or Ctrl-C
    ///
    /// It only reads: another process does the work. With --json it prints one object per line, with what the model says as
    /// it says it.
    Follow {
        /// The session
        session: String,
        /// Begin with the events after this number, as session journal numbers them [default: with what comes now]
        #[arg(long, value_name = "SEQ")]
        after: Option<u64>,
        /// Stop also when the session rests; exit 3 when it waits for a person
        #[arg(long)]
        until_rest: bool,
    },
    /// Show a session's calls and their outcomes
    Calls {
        /// The session
        session: String,
        /// Show only this call, in full
        call: Option<String>,
    },
    /// Print the exact request of a past model call, rebuilt from the database
    ///
    /// The journal of a session names its model calls. The output is the body that was sent, byte for byte; the
    /// digest recorded with the reply proves it.
    Prompt {
        /// The model call, mc_… or the start of its id
        #[arg(value_name = "MODEL_CALL")]
        call: String,
        /// Show the parts of the prompt with estimated tokens instead of the bytes
        #[arg(long)]
        parts: bool,
        /// Write the bytes to this new file
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Ask the provider to count its tokens, without an answer, and compare
        #[arg(long, conflicts_with_all = ["parts", "output"])]
        count: bool,
    },
    /// Stop a session's work
    Stop {
        /// The session
        session: String,
        /// Also end the session: it accepts nothing more
        #[arg(long)]
        end: bool,
    },
    /// Summarize the conversation of a chat that rests, so that its prompt is shorter from now on
    Compact {
        /// The session
        session: String,
    },
    /// Interrupt the current round
    Interrupt {
        /// The session
        session: String,
    },
    /// Resume a session from where it rests
    Resume {
        /// The session
        session: String,
        /// Return as soon as the request is recorded, if another process continues the work
        #[arg(long)]
        no_wait: bool,
    },
    /// Accept a run's work as complete
    Confirm {
        /// The session
        session: String,
        /// Return as soon as the request is recorded, if another process continues the work
        #[arg(long)]
        no_wait: bool,
    },
    /// Reject a run's work as incomplete
    RejectCompletion {
        /// The session
        session: String,
        /// What is missing
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        reason: Option<String>,
        /// Return as soon as the request is recorded, if another process continues the work
        #[arg(long)]
        no_wait: bool,
    },
    /// Copy, delete, change.
    #[command(flatten)]
    Copies(SessionCopyCommand),
    /// Replay the journals and compare the result with what is stored
    Verify {
        /// The session [default: every session of the workspace]
        session: Option<String>,
        /// Verify every session of the database, or with --workspace every session of that workspace
        #[arg(long, conflicts_with = "session")]
        all: bool,
    },
}

/// A kind of session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// A chat
    Chat,
    /// The messages that an automation begins with
    Seed,
    /// A run of an automation
    Automation,
    /// A model that a session called for a mission
    Agent,
}
