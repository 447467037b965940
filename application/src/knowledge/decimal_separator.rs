//! How the numbers of a column are written: whether the point or the comma is before decimals, the other between
//! thousands. A single number like `1,234` does not tell; the others of its column may.

/// The characters between thousands, besides the point or comma that is not before decimals.
const SPACES: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];

/// Which character is before the decimals in the numbers of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecimalSeparator {
    /// No number tells, or they tell different things. A point is taken for the decimal one.
    #[default]
    Unknown,
    /// The point: `1,234.50`.
    Point,
    /// The comma: `1.234,50`.
    Comma,
}

/// A number as it is written.
struct WrittenNumber<'a> {
    /// `-` or nothing.
    sign: &'a str,
    /// The digits before the decimals, with the separators of thousands.
    whole: &'a str,
    /// The decimals with the character before them.
    part: Option<(char, &'a str)>,
}

impl DecimalSeparator {
    /// The separator that the numbers among these texts tell.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut tally = DecimalSeparatorTally::default();
        texts.for_each(|text| tally.add(text));
        tally.separator()
    }

    /// A number with a decimal point and without separators of thousands; `None` if the text is no number, or may mean
    /// two.
    pub fn with_point(self, text: &str) -> Option<String> {
        let WrittenNumber { sign, whole, part } = self.parse(text)?;
        let mut number = sign.to_owned();
        number.extend(whole.chars().filter(char::is_ascii_digit));
        if let Some((_, part)) = part {
            number.push('.');
            number.push_str(part);
        }
        Some(number)
    }

    fn parse(self, text: &str) -> Option<WrittenNumber<'_>> {
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
            Some(digits) => ("-", digits),
            None => ("", text.strip_prefix('+').unwrap_or(text)),
        };
        let decimal = self.decimal_position(digits)?;
        let (whole, part) = match decimal.and_then(|at| digits.split_at_checked(at)) {
            Some((whole, rest)) => {
                let mut rest = rest.chars();
                (whole, rest.next().map(|mark| (mark, rest.as_str())))
            }
            None => (digits, None),
        };
        let is_number = are_thousands(whole) && part.is_none_or(|(_, part)| are_digits(part));
        is_number.then_some(WrittenNumber { sign, whole, part })
    }

    /// Where the decimals begin, if there are any; `None` if the text may be read both ways, or is no number.
    fn decimal_position(self, digits: &str) -> Option<Option<usize>> {
        let (point, comma) = (digits.rfind('.'), digits.rfind(','));
        let count = |mark| digits.matches(mark).count();
        match (point, comma) {
            (None, None) => Some(None),
            // The last of both is the decimal one, and stands once.
            (Some(point), Some(comma)) if point > comma => (count('.') == 1).then_some(Some(point)),
            (Some(_), Some(comma)) => (count(',') == 1).then_some(Some(comma)),
            (Some(at), None) if count('.') == 1 => {
                let is_thousand = self == Self::Comma && may_be_thousands(digits, at);
                Some((!is_thousand).then_some(at))
            }
            (None, Some(at)) if count(',') == 1 => match self {
                _ if !may_be_thousands(digits, at) => Some(Some(at)),
                Self::Comma => Some(Some(at)),
                Self::Point => Some(None),
                Self::Unknown => None,
            },
            // Several of one are between thousands.
            (Some(_), None) | (None, Some(_)) => Some(None),
        }
    }
}

/// What the numbers of a column tell so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecimalSeparatorTally {
    has_points: bool,
    has_commas: bool,
}

impl DecimalSeparatorTally {
    /// Takes a text into account: a number, maybe with a unit before or after it. One that is no number, or may mean
    /// two, tells nothing.
    pub fn add(&mut self, text: &str) {
        let text = text.trim_matches(|char: char| !char.is_ascii_digit());
        let by = |separator: DecimalSeparator| separator.parse(text);
        let Some((as_point, as_comma)) = by(DecimalSeparator::Point).zip(by(DecimalSeparator::Comma)) else {
            return;
        };
        let mark = match (as_point.part, as_comma.part) {
            (Some((mark, _)), Some(_)) => Some(mark),
            // A separator of thousands, which leaves the other for decimals.
            (None, None) if as_point.whole.contains('.') => Some(','),
            (None, None) if as_point.whole.contains(',') => Some('.'),
            (None, None) | (Some(_), None) | (None, Some(_)) => None,
        };
        self.has_points |= mark == Some('.');
        self.has_commas |= mark == Some(',');
    }

    /// The separator that they tell.
    pub const fn separator(self) -> DecimalSeparator {
        match (self.has_points, self.has_commas) {
            (true, false) => DecimalSeparator::Point,
            (false, true) => DecimalSeparator::Comma,
            (true, true) | (false, false) => DecimalSeparator::Unknown,
        }
    }
}

/// Whether a point or comma at `at` may be one between thousands: `1,234`, but not `0,125`.
fn may_be_thousands(digits: &str, at: usize) -> bool {
    let (whole, part) = digits.split_at(at);
    part.len() == 4 && (1..=3).contains(&whole.len()) && !whole.starts_with('0')
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is a whole number, maybe with one kind of separator between thousands.
fn are_thousands(text: &str) -> bool {
    let is_separator = |char: char| matches!(char, '.' | ',') || SPACES.contains(&char);
    let Some(separator) = text.chars().find(|char| is_separator(*char)) else { return are_digits(text) };
    let mut groups = text.split(separator);
    let first = groups.next().unwrap_or_default();
    are_digits(first) && first.len() <= 3 && groups.all(|group| are_digits(group) && group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Vec<Option<String>> {
        let separator = DecimalSeparator::of(texts.iter().copied());
        texts.iter().map(|text| separator.with_point(text)).collect()
    }

    /// Inputs: columns of numbers; expected: each number by what the others tell.
    #[test]
    fn thousands_follow_whole_column() {
        let some = |numbers: &[&str]| numbers.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(read(&["12,50", "1.234", "-2.000,5"]), some(&["12.50", "1234", "-2000.5"]));
        assert_eq!(read(&["12.50", "1,234", "+3"]), some(&["12.50", "1234", "3"]));
        assert_eq!(read(&["1.234.567", "2.500"]), some(&["1234567", "2500"]));
        assert_eq!(read(&["1,234,567", "2,500", "0.5"]), some(&["1234567", "2500", "0.5"]));
        assert_eq!(read(&["1 234,50", "2\u{202f}000,00"]), some(&["1234.50", "2000.00"]));
        assert_eq!(read(&["1'234.50", "2\u{2019}000"]), some(&["1234.50", "2000"]));
        assert_eq!(DecimalSeparator::of(["-12,50 €", "1.234 €"].into_iter()), DecimalSeparator::Comma);
        assert_eq!(
            DecimalSeparator::of(["$12.50", "02.11.2026", "12:30"].into_iter()),
            DecimalSeparator::Point
        );
        assert_eq!(read(&["0,125", "1.234"]), some(&["0.125", "1234"]));
        assert_eq!(read(&["1.234", "5.678"]), some(&["1.234", "5.678"]), "nothing tells: as JSON writes it");
        assert_eq!(read(&["1,234", "5,678"]), [None, None], "thousands or decimals");
        assert_eq!(read(&["12 34", "1.23.45", "1,", ".5", "x", "", "1.234,5,6"]), vec![None; 7]);
    }
}
