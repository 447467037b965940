use entracte_domain::time::Millis;

use super::FallbackModels;
use super::FileSettings;
use super::InboxSettings;
use super::LiveTextBounds;
use super::PlanBounds;
use super::PolicyHookSettings;
use super::RetentionSettings;
use super::SchemaBounds;
use crate::texts::Language;

settings! {
    /// Settings of the runtime.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RuntimeSettings {
        /// The maximum sleep between two checks of deadlines, so that a suspended machine misses none
        /// (`runtime.longest_sleep`).
        pub longest_sleep: Millis = Millis::seconds(30),
        /// The polling interval for mail of other processes (`runtime.mail_poll`).
        pub mail_poll: Millis = Millis(250),
        /// How long the conversation of a resting session, and a workspace without work, stay in memory
        /// (`runtime.keep_in_memory`).
        pub keep_in_memory: Millis = Millis::minutes(1),
        /// How long the ownership of the database is valid after its verification; later effects, minus the margin,
        /// are not sent before it was verified again. Servers that share a database: 10 s, unless it is set
        /// (`runtime.lease`).
        pub lease: Millis = Millis::seconds(30),
        /// How long before the end of the lease the last effect may be sent. Servers that share a database: 2 s, unless
        /// it is set (`runtime.lease_margin`).
        pub lease_margin: Millis = Millis::seconds(5),
        /// Whether several servers work on the same Postgres database, each workspace handled by one of them at a time
        /// (`runtime.shares_database`).
        pub shares_database: bool = false,
        /// How long a server or `automation watch` that lost the database tries to own it again before it ends with
        /// code 75, so that a supervisor restarts it (`runtime.reclaim`).
        pub reclaim: Millis = Millis::seconds(60),
        /// How long a command that waits beside a server or `automation watch` leaves an unowned database alone; 0 =
        /// it takes over immediately (`runtime.takeover_wait`).
        pub takeover_wait: Millis = Millis::seconds(5),
        /// How long a session counts as open in a client, unless the client renews it (`runtime.attachment_lease`).
        pub attachment_lease: Millis = Millis::seconds(60),
        /// The maximum number of pieces in which a conversation larger than its model's context window is summarised;
        /// of a longer one the last pieces are used (`runtime.summary_pieces`).
        pub summary_pieces: usize = 12,
        /// The maximum length of a user message, in characters (`message.max_chars`).
        pub message_max_chars: usize = 200_000,
        /// The maximum number of enrichments of one user message (`message.max_enrichments`).
        pub message_max_enrichments: usize = 20,
        /// The limits of files in conversations (`files.…`).
        pub files: FileSettings = FileSettings::default(),
        /// The maximum length of a result in the prompt, in characters (`result.max_chars`).
        pub result_max_chars: usize = 25_000,
        /// The maximum random addition to a wait for a provider (`network.jitter`).
        pub jitter: Millis = Millis::seconds(10),
        /// The maximum number of concurrent model calls per account; 0 = no limit (`network.calls_at_once`).
        pub calls_at_once: usize = 16,
        /// The maximum number of concurrent model calls of all agents below one session; 0 = no limit
        /// (`network.calls_in_tree`).
        pub calls_in_tree: usize = 4,
        /// The interval for probing an unreachable provider (`network.probe`).
        pub network_probe: Millis = Millis::seconds(5),
        /// Whether every action of every session needs approval, overriding the workspace's setting
        /// (`validation.workspace`).
        pub require_validation: bool = false,
        /// The default validity of standing approvals (`validation.always_expires`).
        pub always_expires: Millis = Millis::hours(30 * 24),
        /// The maximum number of standing approvals in a workspace (`validation.always_max`).
        pub always_max: usize = 200,
        /// After how many approvals in a row that changed nothing a card suggests a rule for its command; 0 = never
        /// (`rules.suggest_after`).
        pub suggest_after: u32 = 10,
        /// The maximum number of open calls in the record of a deleted session; further ones are counted
        /// (`runtime.deletion_calls`).
        pub deletion_calls: usize = 100,
        /// The limits of the policy hook (`policy.…`).
        pub policy_hook: PolicyHookSettings = PolicyHookSettings::default(),
        /// How long what a workspace stores is retained (`retention.…`).
        pub retention: RetentionSettings = RetentionSettings::default(),
        /// Snoozes and assignments of inbox items (`inbox.…`).
        pub inbox: InboxSettings = InboxSettings::default(),
        /// The maximum size of the instructions of a workspace, an automation or a session, in bytes
        /// (`instructions.max_bytes`).
        pub instruction_bytes: usize = 32 * 1024,
        /// The number of latest versions of each of them to retain; 0 = all (`instructions.versions_kept`).
        pub instruction_versions: u32 = 100,
        /// The maximum number of occurrences decided in one turn (`automation.occurrences_per_turn`).
        pub occurrences_per_turn: usize = 500,
        /// The maximum length of an event's payload, in characters (`automation.event_max_chars`).
        pub event_max_chars: usize = 100_000,
        /// The maximum duration of a dry run (`automation.dry_run_lasts`).
        pub dry_run_lasts: Millis = Millis::seconds(20),
        /// The maximum number of concurrent dry runs in a process (`automation.dry_runs_at_once`).
        pub dry_runs_at_once: usize = 2,
        /// The time limit for a task server to answer a poll, a cancellation or an answer (`runtime.task_answer`).
        pub task_answer: Millis = Millis::seconds(30),
        /// The number of latest entries of each tool whose data is always sent (`prompt.data_entries`).
        pub data_entries: u32 = 20,
        /// The maximum length of each section of always-sent data, in characters; 0 = no limit
        /// (`prompt.data_max_chars`).
        pub data_max_chars: usize = 10_000,
        /// Whether models with native tools get situational instructions
        /// ([`PromptLayer`](crate::prompt::PromptLayer)). Off by default for embedding programs, whose own prompt
        /// contains them.
        pub situational_layers: bool = false,
        /// The language of a new workspace, until its setting `language` is changed. The command line uses the
        /// language of its environment.
        pub language: Language = Language::En,
        /// The IANA time zone of a new workspace, until its setting `zone` is changed. The command line uses the zone of
        /// its machine.
        pub zone: String = "UTC".into(),
        /// The limits of live text held in memory (`stream.…`).
        pub live: LiveTextBounds = LiveTextBounds::default(),
        /// The validity of the token by which another process streams a server’s live text; it is renewed
        /// (`stream.relay_lasts`).
        pub relay_lasts: Millis = Millis::minutes(5),
        /// The limits of plans (`plan.…`).
        pub plans: PlanBounds = PlanBounds::default(),
        /// The limits of schemas and arguments (`bounds.…`).
        pub bounds: SchemaBounds = SchemaBounds::default(),
        /// The fallback models of failed providers (`providers.NAME.fallback`).
        pub fallbacks: FallbackModels = FallbackModels::default(),
    }
}

impl RuntimeSettings {
    /// The default of `runtime.lease` for servers that share a database: it is the time after which the workspaces of a
    /// server that died are taken over.
    pub const SHARED_LEASE: Millis = Millis::seconds(10);

    /// The default of `runtime.lease_margin` for servers that share a database.
    pub const SHARED_LEASE_MARGIN: Millis = Millis::seconds(2);
}
