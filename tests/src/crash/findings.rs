//! What stories left behind, counted.

use std::collections::BTreeMap;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrashFindings {
    /// Lives that ended with -9.
    pub kills: u32,
    /// Stories played to their end, by their scene.
    pub stories: BTreeMap<String, u32>,
    /// How often a life ended here.
    pub points: BTreeMap<String, u32>,
    /// How often a life that was not killed passed each point; of the last such life.
    pub passed: BTreeMap<String, u32>,
    /// How often a dead process left a session in this phase.
    pub phases: BTreeMap<String, u32>,
    /// Calls by command and what became of them.
    pub calls: BTreeMap<String, u32>,
    /// Runs by why they ended.
    pub runs: BTreeMap<String, u32>,
    /// Missions of agents, by who had them and how they ended.
    pub missions: BTreeMap<String, u32>,
    /// Acknowledged messages that are missing.
    pub lost: u32,
    /// Messages, effects, changes of data and occurrences that are there twice, or happened without approval.
    pub doubled: u32,
    /// Sessions that did not come to rest, or whose journal does not give the stored state.
    pub stuck: u32,
    /// What was wrong, in words.
    pub faults: Vec<String>,
}

impl CrashFindings {
    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty() && self.lost + self.doubled + self.stuck == 0
    }

    /// Something was wrong.
    pub fn fault(&mut self, text: String) {
        self.faults.push(text);
    }

    /// Something acknowledged is missing.
    pub fn record_loss(&mut self, text: String) {
        self.lost += 1;
        self.fault(text);
    }

    /// Something is there twice, or without approval.
    pub fn record_duplicate(&mut self, text: String) {
        self.doubled += 1;
        self.fault(text);
    }

    /// Something does not go on.
    pub fn record_stuck(&mut self, text: String) {
        self.stuck += 1;
        self.fault(text);
    }

    /// With what others found.
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
