use entracte_domain::time::{Millis, Timestamp};

use super::FallbackModels;
use super::LiveTextBounds;
use super::PlanBounds;
use super::SchemaBounds;
use crate::texts::Language;

settings! {
    /// Settings of the runtime.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RuntimeSettings {
        /// The longest sleep between two looks at deadlines, so that a suspended machine loses nothing
        /// (`runtime.longest_sleep`).
        pub longest_sleep: Millis = Millis::seconds(30),
        /// How often mail of other processes is looked for (`runtime.mail_poll`).
        pub mail_poll: Millis = Millis(250),
        /// How long the conversation of a resting session stays in memory, and a workspace where nothing is to be done
        /// (`runtime.keep_in_memory`).
        pub keep_in_memory: Millis = Millis::minutes(1),
        /// How long the right to the database counts after it was verified; nothing is sent later than that, but for the
        /// margin, before it was verified again (`runtime.lease`).
        pub lease: Millis = Millis::seconds(30),
        /// How long before the end of the lease the last effect may be sent (`runtime.lease_margin`).
        pub lease_margin: Millis = Millis::seconds(5),
        /// How long a server or `automation watch` that lost the database tries to own it again before it ends with code 75, so that
        /// a supervisor starts it anew (`runtime.reclaim`).
        pub reclaim: Millis = Millis::seconds(60),
        /// How long a command that waits beside a server or `automation watch` leaves a database alone that no process owns any
        /// more; 0 = it takes over at once (`runtime.takeover_wait`).
        pub takeover_wait: Millis = Millis::seconds(5),
        /// How long a session counts as open in a place, unless that place says so again before it is over
        /// (`runtime.attachment_lease`).
        pub attachment_lease: Millis = Millis::seconds(60),
        /// Most pieces that a conversation is read in to be summed up, where it is larger than its model reads at once
        /// (`runtime.summary_pieces`). Of a longer one the end is read.
        pub summary_pieces: usize = 12,
        /// The longest user message, in characters (`message.max_chars`).
        pub message_max_chars: usize = 200_000,
        /// The most enrichments of one user message (`message.max_enrichments`).
        pub message_max_enrichments: usize = 20,
        /// The longest result that goes into the prompt, in characters (`result.max_chars`).
        pub result_max_chars: usize = 25_000,
        /// The longest random addition to a wait for a provider (`network.jitter`).
        pub jitter: Millis = Millis::seconds(10),
        /// Model calls that may be under way at once for one account; 0 = no limit (`network.calls_at_once`).
        pub calls_at_once: usize = 16,
        /// Model calls that may be under way at once for the agents below one session, all levels together; 0 = no limit
        /// (`network.calls_in_tree`).
        pub calls_in_tree: usize = 4,
        /// How often it is asked whether a provider that could not be reached can be reached again (`network.probe`).
        pub network_probe: Millis = Millis::seconds(5),
        /// Whether every action of every session needs approval, whatever a workspace itself says (`validation.workspace`).
        pub require_validation: bool = false,
        /// How long standing approval counts, unless it says otherwise (`validation.always_expires`).
        pub always_expires: Millis = Millis::hours(30 * 24),
        /// The most standing approvals that a workspace keeps (`validation.always_max`).
        pub always_max: usize = 200,
        /// The latest records of deleted sessions that a workspace keeps; 0 = all (`runtime.deletions_kept`).
        pub deletions_kept: u32 = 1_000,
        /// The latest changes of settings, rules, data and automations that a workspace keeps for its streams; 0 = all
        /// (`runtime.changes_kept`).
        pub changes_kept: u32 = 10_000,
        /// The most open calls that the record of a deleted session names; more are counted (`runtime.deletion_calls`).
        pub deletion_calls: usize = 100,
        /// How long it is remembered what was done under a key that the client drew (`runtime.receipts_kept`).
        pub receipts_kept: Millis = Millis::hours(24),
        /// The most bytes of the instructions of a workspace, an automation or a session (`instructions.max_bytes`).
        pub instruction_bytes: usize = 32 * 1024,
        /// The latest versions that are kept of each of them; 0 = all (`instructions.versions_kept`).
        pub instruction_versions: u32 = 100,
        /// Occurrences of automations that are decided in one turn (`automation.occurrences_per_turn`).
        pub occurrences_per_turn: usize = 500,
        /// The longest payload of an event, in characters (`automation.event_max_chars`).
        pub event_max_chars: usize = 100_000,
        /// How long a dry run is played at most (`automation.dry_run_lasts`).
        pub dry_run_lasts: Millis = Millis::seconds(20),
        /// Dry runs that may be under way at once in a process (`automation.dry_runs_at_once`).
        pub dry_runs_at_once: usize = 2,
        /// How long the other side of a task may take to answer when it is asked how it stands, told to stop, or given an answer
        /// (`runtime.task_answer`).
        pub task_answer: Millis = Millis::seconds(30),
        /// The latest entries of each tool whose data is always sent (`prompt.data_entries`).
        pub data_entries: u32 = 20,
        /// The most characters of each section of data that is always sent; 0 = no limit (`prompt.data_max_chars`).
        pub data_max_chars: usize = 10_000,
        /// Whether models that speak with native tools are told what the moment asks for ([`Layer`](crate::prompt::Layer)). Off
        /// for programs that embed this: their own prompt says it.
        pub situational_layers: bool = false,
        /// What a new workspace speaks, until its setting `language` says otherwise. The command line takes the language of its
        /// environment.
        pub language: Language = Language::En,
        /// How much of what models say is kept while they speak (`stream.…`).
        pub live: LiveTextBounds = LiveTextBounds::default(),
        /// How long the token counts by which another process hears what a server’s models say; it is renewed
        /// (`stream.relay_lasts`).
        pub relay_lasts: Millis = Millis::minutes(5),
        /// How large a plan may be (`plan.…`).
        pub plans: PlanBounds = PlanBounds::default(),
        /// How large schemas and arguments may be (`bounds.…`).
        pub bounds: SchemaBounds = SchemaBounds::default(),
        /// Who goes on where a provider fails (`providers.NAME.fallback`).
        pub fallbacks: FallbackModels = FallbackModels::default(),
    }
}

impl RuntimeSettings {
    /// What was done under a key before this instant is not remembered any more.
    pub fn receipt_expiry_cutoff(&self, now: Timestamp) -> Timestamp {
        now.plus(Millis(-self.receipts_kept.0))
    }
}
