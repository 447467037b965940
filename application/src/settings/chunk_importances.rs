//! How much single parts of the prompt matter in a workspace, where that differs from what they are given.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ChunkImportance;

/// How much parts of level 1 matter, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChunkImportances(BTreeMap<String, ChunkImportance>);

impl ChunkImportances {
    /// The parts that may be graded. Without the others a model cannot work at all.
    pub const PARTS: [&str; 5] = ["examples", "approvals", "results", "limits", "types"];

    /// As every part is given.
    pub const NONE: Self = Self(BTreeMap::new());

    /// Whether every part is as it is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How much a part matters here; `given` is what it is given.
    pub fn importance_of(&self, part: &str, given: ChunkImportance) -> ChunkImportance {
        self.0.get(part).copied().unwrap_or(given)
    }

    /// As a setting has them: `examples=vital,limits=needed`.
    pub fn text(&self) -> String {
        let parts = self.0.iter().map(|(part, grade)| format!("{part}={}", grade.word()));
        parts.collect::<Vec<_>>().join(",")
    }

    /// What a person wrote; none when a part or a grade is unknown, or a part stands there twice.
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
