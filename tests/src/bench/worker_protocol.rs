//! Protocol between the benchmark and its child processes: one line of JSON each way.

use serde::{Deserialize, Serialize};

/// The role of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchWorkerRole {
    /// The application.
    Entracte,
    /// The minimal reference loop.
    Reference,
    /// Commits alone.
    Raw,
    /// The scheduler.
    Tick,
    /// The application with ended sessions.
    Retention,
    /// The minimal relay of server-sent events.
    Relay,
    /// A client that sends requests to the model as fast as it can.
    Hammer,
}

/// What model calls cost, and whether caps reserve for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchSpending {
    /// The model has no prices.
    #[default]
    Unpriced,
    /// The model has prices, and no cap is set.
    Priced,
    /// The model has prices, and each call reserves its worst case of caps that leave room for all of them.
    Capped,
}

/// The configuration a child process starts with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchWorkerConfig {
    /// Its role.
    pub role: BenchWorkerRole,
    /// Path or URL of the database.
    pub database: String,
    /// Host and port of the model.
    pub model: String,
    /// Name of the story; with several sessions each appends its number.
    pub story: String,
    /// The model ends the turn every this many rounds.
    pub calls: usize,
    /// The round from which on the model stays silent; 0: never.
    pub last: usize,
    /// Sessions to create, each in its own workspace; 0: use the existing ones.
    pub sessions: usize,
    /// Whether actions need approval.
    pub guarded: bool,
    /// Whether all sessions share one story.
    pub one_story: bool,
    /// Prompt bytes of the reference loop, so that both loops send the same amount.
    pub prompt_bytes: usize,
    /// Amount of work: commits, requests, automations, or the messages of each session.
    pub amount: usize,
    /// What model calls cost, and whether caps reserve for them.
    #[serde(default)]
    pub spending: BenchSpending,
    /// How many messages of each session come with an image, from its first one on.
    #[serde(default)]
    pub images: usize,
}

impl BenchWorkerConfig {
    /// The model name that a session sends in its requests.
    pub fn model_of(&self, session: usize) -> String {
        let Self { story, calls, last, one_story, .. } = self;
        if *one_story {
            format!("{story}/{calls}/{last}")
        } else {
            format!("{story}-{session:04}/{calls}/{last}")
        }
    }
}

/// Resource usage of a child process so far.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct BenchWorkerReport {
    /// CPU time, milliseconds.
    pub cpu_ms: f64,
    /// Resident memory, kilobytes.
    pub resident_kb: u64,
    /// Commits of the application.
    pub works: u64,
    /// Transactions: each costs one sync of the disk.
    pub transactions: u64,
    /// A further measurement in milliseconds or as a count, depending on the role.
    pub value: f64,
    /// A second further measurement.
    pub second: f64,
}
