//! Which checks are printed: of those of one kind the worst, so that a fault does not drown in its own repetitions.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{CheckStatus, DoctorCheck};

/// The most checks of one kind that are printed without `--all`.
const MOST_OF_A_KIND: usize = 10;

/// A line of the report.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DoctorLine<'c> {
    /// A check.
    Check(&'c DoctorCheck),
    /// The checks of a kind that are not printed, by grade.
    LeftOut {
        /// The kind.
        kind: &'c str,
        /// The number of each grade.
        grades: GradeCounts,
    },
}

/// How many checks have each grade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GradeCounts {
    /// No action is needed.
    pub(super) ok: usize,
    /// There may be a fault.
    pub(super) warn: usize,
    /// There is a fault.
    pub(super) fail: usize,
}

impl GradeCounts {
    /// Counts these checks.
    pub(super) fn of<'c>(checks: impl IntoIterator<Item = &'c DoctorCheck>) -> Self {
        checks.into_iter().fold(Self::default(), |mut counts, check| {
            match check.grade {
                CheckStatus::Ok => counts.ok += 1,
                CheckStatus::Warn => counts.warn += 1,
                CheckStatus::Fail => counts.fail += 1,
            }
            counts
        })
    }
}

/// The kind of a check: its name without its subject.
fn kind(check: &DoctorCheck) -> &str {
    check.check.split(' ').next().unwrap_or_default()
}

/// The lines of a report, in the order of the checks. Of more than ten of one kind it has the worst ten, at the place of
/// the first.
pub(super) fn lines(checks: &[DoctorCheck], all: bool) -> Vec<DoctorLine<'_>> {
    let mut kinds: BTreeMap<&str, Vec<&DoctorCheck>> = BTreeMap::new();
    for check in checks {
        kinds.entry(kind(check)).or_default().push(check);
    }
    kinds.retain(|_, alike| !all && alike.len() > MOST_OF_A_KIND);
    let mut lines = Vec::new();
    for check in checks {
        let kind = kind(check);
        match kinds.get_mut(kind).map(std::mem::take) {
            None => lines.push(DoctorLine::Check(check)),
            // The first of its kind has printed them.
            Some(alike) if alike.is_empty() => {}
            Some(mut worst) => {
                worst.sort_by_key(|check| Reverse(check.grade));
                let left_out = worst.split_off(MOST_OF_A_KIND);
                lines.extend(worst.into_iter().map(DoctorLine::Check));
                lines.push(DoctorLine::LeftOut { kind, grades: GradeCounts::of(left_out) });
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: 14 checks of one kind, of which the last fails and the one before warns, between two others; expected: the
    /// two bad ones first, then eight of the good ones and the number of the rest; everything with `--all`.
    #[test]
    fn worst_ten_of_a_kind_are_shown() {
        let session = |number: u32| DoctorCheck::ok(&format!("session ses_{number}"), "fine");
        let mut checks = vec![DoctorCheck::ok("clock", "fine")];
        checks.extend((1..=12).map(session));
        checks.push(DoctorCheck::warn("session ses_13", "odd", "look"));
        checks.push(DoctorCheck::fail("session ses_14", "bad", "mend"));
        checks.push(DoctorCheck::ok("owner", "fine"));
        let shown: Vec<String> = lines(&checks, false)
            .iter()
            .map(|line| match line {
                DoctorLine::Check(check) => check.check.clone(),
                DoctorLine::LeftOut { kind, grades } => format!("{kind}: {grades:?}"),
            })
            .collect();
        assert_eq!(shown[..3], ["clock", "session ses_14", "session ses_13"]);
        assert_eq!(shown[3..11], (1..=8).map(|number| format!("session ses_{number}")).collect::<Vec<_>>());
        assert_eq!(shown[11..], ["session: GradeCounts { ok: 4, warn: 0, fail: 0 }", "owner"]);
        assert_eq!(lines(&checks, true).len(), checks.len());
        assert_eq!(GradeCounts::of(&checks), GradeCounts { ok: 14, warn: 1, fail: 1 });
    }
}
