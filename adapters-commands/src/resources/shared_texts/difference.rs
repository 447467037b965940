//! What differs between two texts, line by line; pure.

use similar::{DiffOp, TextDiff};

/// Lines of both texts together up to which they are compared; the comparison may take as many steps as the square of it.
const LINES_MAX: usize = 4_000;
/// Lines around a change that are shown with it.
const AROUND: usize = 2;

/// One place where two texts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextDifference {
    /// Its first line, counted from 1: of the old text, or where the new lines come in.
    pub(super) line: usize,
    /// What stood there.
    pub(super) old: String,
    /// What stands there.
    pub(super) new: String,
}

/// The places where two texts differ; of very long ones, one place that is all of both.
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

/// The difference as lines with `-` and `+`, and some lines around them.
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
    fn each_place_has_what_stood_there_and_what_stands_there() {
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
    fn texts_of_too_many_lines_are_one_place() {
        let (old, new) = ("a\n".repeat(LINES_MAX), "b\n".repeat(9));
        assert_eq!(places(&old, &new), [place(1, &old, &new)]);
        assert!(unified(&old, &new).ends_with("-a\n+b\n+b\n+b\n+b\n+b\n+b\n+b\n+b\n+b\n"));
    }
}
