//! What a child is told, and what it answers: one line of JSON each.

use serde::{Deserialize, Serialize};

/// What a child is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchWorkerRole {
    /// The application.
    Entracte,
    /// The least loop.
    Reference,
    /// Commits alone.
    Raw,
    /// The scheduler.
    Tick,
    /// The least loop that hands on server-sent events.
    Relay,
    /// A client that asks the model as fast as it can.
    Hammer,
}

/// What a child is told when it starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchWorkerConfig {
    /// What it is.
    pub role: BenchWorkerRole,
    /// Path or URL of the database.
    pub database: String,
    /// Host and port of the model.
    pub model: String,
    /// Name of the story; of several sessions each has its number behind it.
    pub story: String,
    /// Every how many rounds the model says that all is done.
    pub calls: usize,
    /// The round from which on the model is silent; 0: never.
    pub last: usize,
    /// Sessions, each in a workspace of its own; 0: those that are there already.
    pub sessions: usize,
    /// Whether actions need approval.
    pub guarded: bool,
    /// All sessions follow one story.
    pub one_story: bool,
    /// Bytes of the prompt of the reference loop, so that as much goes over the wire.
    pub prompt_bytes: usize,
    /// Commits, requests, automations: what there is to do.
    pub amount: usize,
}

impl BenchWorkerConfig {
    /// What the story of a session is called in requests.
    pub fn model_of(&self, session: usize) -> String {
        let Self { story, calls, last, one_story, .. } = self;
        if *one_story {
            format!("{story}/{calls}/{last}")
        } else {
            format!("{story}-{session:04}/{calls}/{last}")
        }
    }
}

/// What a child has used and done so far.
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
    /// What else was measured, milliseconds or a number; by the child's role.
    pub value: f64,
    /// And another.
    pub second: f64,
}
