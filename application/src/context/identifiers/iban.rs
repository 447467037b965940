//! IBANs written in groups: `DE89 3704 0044 0532 0130 00`. One without spaces is an ordinary word.

/// Minimum characters of an IBAN without its spaces.
const SHORTEST: usize = 15;
const LONGEST: usize = 34;
/// Characters of a group; the last may have fewer.
const GROUP: usize = 4;

/// The length in bytes of the grouped IBAN at the beginning of a text; `None` if there is none.
pub(super) fn length(text: &str) -> Option<usize> {
    let first = group(text);
    let is_begin = matches!(first.as_bytes(), [a, b, c, d]
        if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_digit() && d.is_ascii_digit());
    if !is_begin {
        return None;
    }
    let mut compact = first.to_owned();
    let mut end = first.len();
    let mut ends = Vec::new();
    while let Some(space) = text.get(end..).and_then(|rest| rest.chars().next()) {
        if !matches!(space, ' ' | '\u{a0}' | '\u{202f}') {
            break;
        }
        let next = group(text.get(end + space.len_utf8()..).unwrap_or_default());
        if next.is_empty() || next.len() > GROUP || compact.len() + next.len() > LONGEST {
            break;
        }
        compact.push_str(next);
        end += space.len_utf8() + next.len();
        let has_digit = next.bytes().any(|byte| byte.is_ascii_digit());
        if compact.len() >= SHORTEST {
            ends.push((end, is_right(&compact), has_digit));
        }
        if next.len() < GROUP {
            break;
        }
    }
    // If no candidate has valid check digits it may be mistyped: then words in capitals do not count as groups.
    let right = ends.iter().rev().find(|(_, is_right, _)| *is_right);
    right.or_else(|| ends.iter().rev().find(|(_, _, has_digit)| *has_digit)).map(|(end, ..)| *end)
}

fn group(text: &str) -> &str {
    let fits = |one: char| one.is_ascii_uppercase() || one.is_ascii_digit();
    let end = text.find(|one| !fits(one)).unwrap_or(text.len());
    let is_whole =
        text.get(end..).and_then(|rest| rest.chars().next()).is_none_or(|next| !next.is_alphanumeric());
    if is_whole { text.get(..end).unwrap_or_default() } else { "" }
}

/// Whether the check digits are valid (ISO 13616: the first four characters moved to the end, letters as numbers,
/// modulo 97 is 1).
fn is_right(compact: &str) -> bool {
    let (begin, rest) = compact.split_at(GROUP);
    let digit = |rest: u32, one: char| one.to_digit(36).map(|value| (rest, value));
    let mut left = 0;
    for one in rest.chars().chain(begin.chars()) {
        let Some((before, value)) = digit(left, one) else { return false };
        let times = if value > 9 { 100 } else { 10 };
        left = (before * times + value) % 97;
    }
    left == 1
}
