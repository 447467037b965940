//! Line difference of two texts. Pure.

use similar::{DiffOp, TextDiff};

/// The most lines of both texts together that are compared, because the comparison may take quadratic time.
const LINES_MAX: usize = 4_000;
/// The number of context lines around a change.
const AROUND: usize = 2;

/// One place where two texts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextDifference {
    /// The line number, from 1: its first line in the old text, or where new lines are inserted.
    pub(super) line: usize,
    /// The old lines.
    pub(super) old: String,
    /// The new lines.
    pub(super) new: String,
}

/// The places where two texts differ; very long texts have a single place with all of both.
pub(super) fn places(old: &str, new: &str) -> Vec<TextDifference> {
    if is_too_long(old, new) {
        return vec![TextDifference { line: 1, old: old.to_owned(), new: new.to_owned() }];
    }
    let diff = TextDiff::from_lines(old, new);
    let mut places: Vec<TextDifference> = Vec::new();
    let mut goes_on = false;
    for op in diff.ops() {
        if matches!(op, DiffOp::Equal { .. }) {
            goes_on = false;
            continue;
        }
        let gone: String = op.old_range().filter_map(|at| diff.old_slice(at)).collect();
        let came: String = op.new_range().filter_map(|at| diff.new_slice(at)).collect();
        match places.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.old.push_str(&gone);
                last.new.push_str(&came);
            }
            None => places.push(TextDifference { line: op.old_range().start + 1, old: gone, new: came }),
        }
        goes_on = true;
    }
    places
}

/// A unified diff with `-` and `+` lines and some context.
pub(super) fn unified(old: &str, new: &str) -> String {
    if is_too_long(old, new) {
        let signed =
            |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
        return format!("{}{}", signed('-', old), signed('+', new));
    }
    TextDiff::from_lines(old, new).unified_diff().context_radius(AROUND).to_string()
}

fn is_too_long(old: &str, new: &str) -> bool {
    old.lines().count() + new.lines().count() > LINES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize, old: &str, new: &str) -> TextDifference {
        TextDifference { line, old: old.into(), new: new.into() }
    }

    #[test]
    fn each_difference_has_old_and_new_lines() {
        let old = "one\ntwo\nthree\nfour\n";
        assert_eq!(places(old, old), []);
        assert_eq!(
            places(old, "one\n2\nthree\nfour\nfive\n"),
            [place(2, "two\n", "2\n"), place(5, "", "five\n")]
        );
        assert_eq!(places("", "one\n"), [place(1, "", "one\n")]);
        assert_eq!(places(old, "one\nfour\n"), [place(2, "two\nthree\n", "")]);
        assert_eq!(unified(old, "one\n2\nthree\nfour\n"), "@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n four\n");
    }

    #[test]
    fn too_long_texts_are_one_difference() {
        let (old, new) = ("a\n".repeat(LINES_MAX), "b\n".repeat(9));
        assert_eq!(places(&old, &new), [place(1, &old, &new)]);
        assert!(unified(&old, &new).ends_with("-a\n+b\n+b\n+b\n+b\n+b\n+b\n+b\n+b\n+b\n"));
    }
}
