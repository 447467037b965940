//! Overrides of the importance of parts of the prompt in a workspace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ChunkImportance;

/// The overridden importance of level-1 parts, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChunkImportances(BTreeMap<String, ChunkImportance>);

impl ChunkImportances {
    /// The parts whose importance may be changed. Without the others a model cannot work at all.
    pub const PARTS: [&str; 5] = ["examples", "approvals", "results", "limits", "types"];

    /// No overrides.
    pub const NONE: Self = Self(BTreeMap::new());

    /// Whether there are no overrides.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The importance of a part; `given` is its default.
    pub fn importance_of(&self, part: &str, given: ChunkImportance) -> ChunkImportance {
        self.0.get(part).copied().unwrap_or(given)
    }

    /// The text form of the setting: `examples=vital,limits=needed`.
    pub fn text(&self) -> String {
        let parts = self.0.iter().map(|(part, grade)| format!("{part}={}", grade.word()));
        parts.collect::<Vec<_>>().join(",")
    }

    /// Parses that form; `None` if a part or an importance is unknown, or a part is repeated.
    pub fn read(text: &str) -> Option<Self> {
        let mut grades = BTreeMap::new();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (part, grade) = pair.split_once('=')?;
            let part = Self::PARTS.into_iter().find(|known| *known == part.trim())?;
            let grade = ChunkImportance::ALL.into_iter().find(|known| known.word() == grade.trim())?;
            if grades.insert(part.to_owned(), grade).is_some() {
                return None;
            }
        }
        Some(Self(grades))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_are_read_as_they_are_written() {
        let read = |text: &str| ChunkImportances::read(text).map(|grades| grades.text());
        assert_eq!(read(" limits = needed, examples=vital,").unwrap(), "examples=vital,limits=needed");
        assert_eq!(read("").unwrap(), "");
        for wrong in ["role=helpful", "limits=high", "limits", "limits=vital,limits=needed"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
