//! At most one trial of an entry at a time: a trial may start a program.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use entracte_application::ports::ConfigSection;

use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The entries that are being tried, by section and name.
#[derive(Debug, Default)]
pub(super) struct TrialTurns(Mutex<BTreeSet<String>>);

/// The turn of the only trial of an entry; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct TrialTurn<'a> {
    turns: &'a TrialTurns,
    entry: String,
}

impl TrialTurns {
    /// Begins the trial of an entry, unless it is being tried.
    pub(super) fn begin(&self, section: ConfigSection, name: &str) -> Result<TrialTurn<'_>, CliError> {
        let entry = format!("{}/{name}", section.word());
        let is_first = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.clone());
        if is_first {
            return Ok(TrialTurn { turns: self, entry });
        }
        Err(CliError::new(CliExitCode::Failure, message!("entry-is-tried", entry = name)))
    }
}

impl Drop for TrialTurn<'_> {
    fn drop(&mut self) {
        self.turns.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: trials of two entries of one name and of one of them again; expected: the last one is refused until the first one
    /// has ended.
    #[test]
    fn entry_is_tried_once_at_a_time() {
        let turns = TrialTurns::default();
        let first = turns.begin(ConfigSection::McpServers, "a").unwrap();
        let other = turns.begin(ConfigSection::Agents, "a");
        assert!(other.is_ok());
        assert!(turns.begin(ConfigSection::McpServers, "a").is_err());
        drop(first);
        assert!(turns.begin(ConfigSection::McpServers, "a").is_ok());
        assert!(turns.begin(ConfigSection::Agents, "a").is_err(), "its turn has not ended");
    }
}
