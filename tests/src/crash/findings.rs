//! Counted results of scenario runs.

use std::collections::BTreeMap;

/// The findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrashFindings {
    /// Processes that ended by SIGKILL.
    pub kills: u32,
    /// Completed runs by scenario.
    pub stories: BTreeMap<String, u32>,
    /// How often a process was killed at each point.
    pub points: BTreeMap<String, u32>,
    /// How often the last process without a kill passed each point.
    pub passed: BTreeMap<String, u32>,
    /// How often a killed process left a session in each phase.
    pub phases: BTreeMap<String, u32>,
    /// Calls by command and outcome.
    pub calls: BTreeMap<String, u32>,
    /// Automation runs by end reason.
    pub runs: BTreeMap<String, u32>,
    /// Missions of agents by agent and outcome.
    pub missions: BTreeMap<String, u32>,
    /// Acknowledged messages that are missing.
    pub lost: u32,
    /// Messages, effects, data changes and occurrences that exist twice, or happened without approval.
    pub doubled: u32,
    /// Sessions that did not come to rest, or whose journal does not reproduce the stored state.
    pub stuck: u32,
    /// Descriptions of all faults.
    pub faults: Vec<String>,
}

impl CrashFindings {
    /// Whether no fault was found.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty() && self.lost + self.doubled + self.stuck == 0
    }

    /// Records a fault.
    pub fn fault(&mut self, text: String) {
        self.faults.push(text);
    }

    /// Records that an acknowledged item is missing.
    pub fn record_loss(&mut self, text: String) {
        self.lost += 1;
        self.fault(text);
    }

    /// Records an item that exists twice or has no approval.
    pub fn record_duplicate(&mut self, text: String) {
        self.doubled += 1;
        self.fault(text);
    }

    /// Records something that makes no progress.
    pub fn record_stuck(&mut self, text: String) {
        self.stuck += 1;
        self.fault(text);
    }

    /// Adds the findings of another run.
    #[must_use]
    pub fn with(mut self, other: CrashFindings) -> Self {
        let add = |mine: &mut BTreeMap<String, u32>, theirs: BTreeMap<String, u32>| {
            for (name, count) in theirs {
                *mine.entry(name).or_default() += count;
            }
        };
        self.kills += other.kills;
        add(&mut self.stories, other.stories);
        add(&mut self.points, other.points);
        add(&mut self.passed, other.passed);
        add(&mut self.phases, other.phases);
        add(&mut self.calls, other.calls);
        add(&mut self.runs, other.runs);
        add(&mut self.missions, other.missions);
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.stuck += other.stuck;
        self.faults.extend(other.faults);
        self
    }
}

impl std::fmt::Display for CrashFindings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tables = [
            ("a life ended", &self.points),
            ("a death left sessions in", &self.phases),
            ("calls", &self.calls),
            ("runs ended", &self.runs),
            ("missions ended", &self.missions),
            ("stories", &self.stories),
        ];
        for (title, rows) in tables {
            writeln!(f, "{title}")?;
            for (name, count) in rows {
                writeln!(f, "  {count:>6}  {name}")?;
            }
        }
        for fault in &self.faults {
            writeln!(f, "FAULT {fault}")?;
        }
        let stories: u32 = self.stories.values().sum();
        let Self { kills, lost, doubled, stuck, .. } = self;
        write!(f, "{kills} kills, {stories} stories: {lost} lost, {doubled} doubled, {stuck} stuck")
    }
}
