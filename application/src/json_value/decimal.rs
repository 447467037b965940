//! Decimal numbers with all their digits, for comparisons.

use std::cmp::Ordering;

use entracte_domain::value::JsonValue;

/// Orders two numbers by their value, with all their digits; `None` if one of them is not a number.
pub fn compare_numbers(one: &JsonValue, other: &JsonValue) -> Option<Ordering> {
    let decimal = |value: &JsonValue| match value {
        JsonValue::Number(text) => ExactDecimal::parse(text),
        JsonValue::Null
        | JsonValue::Bool(_)
        | JsonValue::Text(_)
        | JsonValue::List(_)
        | JsonValue::Object(_) => None,
    };
    Some(decimal(one)?.cmp(&decimal(other)?))
}

/// A decimal number: `digits` times ten to the power of `exponent`. Digits begin and end without zeros and zero has
/// none, so equal numbers are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExactDecimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl ExactDecimal {
    /// The number of a JSON number's text; `None` if the text is not a number.
    pub(crate) fn parse(number: &str) -> Option<Self> {
        let (is_negative, rest) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !are_digits(whole) || !are_digits(part) || mantissa.ends_with('.') {
            return None;
        }
        let exponent = parse_exponent(exponent)?;
        let written = format!("{whole}{part}");
        let digits = written.trim_end_matches('0');
        let zeros = written.len() - digits.len();
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits: String::new(), exponent: 0 });
        }
        Some(Self {
            is_negative,
            digits: digits.to_owned(),
            exponent: exponent.saturating_sub(part.len() as i64).saturating_add(zeros as i64),
        })
    }

    /// Whether it has no fraction.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Whether it is `divisor` times an integer. Of a divisor with more than 37 digits only its own digits are a
    /// multiple.
    pub(crate) fn is_multiple_of(&self, divisor: &Self) -> bool {
        if self.digits.is_empty() || divisor.digits.is_empty() {
            return self.digits.is_empty() && !divisor.digits.is_empty();
        }
        // Digits end without a zero, so a number with more decimal places is not a multiple.
        let Ok(places) = usize::try_from(self.exponent.saturating_sub(divisor.exponent)) else {
            return false;
        };
        if divisor.digits.len() > DIVISOR_DIGITS_MAX {
            return self.digits == divisor.digits;
        }
        let Ok(divided_by) = divisor.digits.parse::<u128>() else { return false };
        let rest = |rest: u128, digit: u8| (rest * 10 + u128::from(digit - b'0')) % divided_by;
        // More zeros than the divisor has factors of two and five change nothing.
        let zeros = places.min(4 * divisor.digits.len());
        let digits = self.digits.bytes().chain(std::iter::repeat_n(b'0', zeros));
        digits.fold(0, rest) == 0
    }

    /// The power of ten above its first digit.
    fn size(&self) -> i64 {
        self.exponent.saturating_add(self.digits.len() as i64)
    }

    fn cmp_without_sign(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.size().cmp(&other.size()).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl Ord for ExactDecimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.cmp_without_sign(other),
            (true, true) => other.cmp_without_sign(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for ExactDecimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The exponent, at most [`EXPONENT_MAX`] in size; `None` if the text is not one.
fn parse_exponent(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i64>().map_or(EXPONENT_MAX, |size| size.min(EXPONENT_MAX));
    Some(if is_negative { -size } else { size })
}

/// The largest exponent that is told from larger ones.
const EXPONENT_MAX: i64 = 1_000_000_000_000;
/// The most digits of a divisor whose ten-fold fits in 128 bits.
const DIVISOR_DIGITS_MAX: usize = 37;

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> ExactDecimal {
        ExactDecimal::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn spellings_of_a_number_are_equal() {
        for same in
            [["100", "1e2"], ["0.10", "1E-1"], ["-0", "0.0e9"], ["72.50", "7.25e+1"], ["-5e-1", "-0.5"]]
        {
            assert_eq!(decimal(same[0]), decimal(same[1]), "{same:?}");
        }
        assert_ne!(decimal("1"), decimal("1.00000000000000000001"));
        for wrong in ["", "-", "x", "1.", "1.x", "1e", "1e+", ".5", "+1"] {
            assert_eq!(ExactDecimal::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_all_digits() {
        let ordered = [
            "-1e999999999999999999999",
            "-12.5",
            "-12",
            "-0.09",
            "0",
            "1e-400",
            "0.0999999999999999999999",
            "0.1",
            "1",
            "9007199254740992",
            "9007199254740993",
            "1e17",
            "1e400",
        ];
        for pair in ordered.windows(2) {
            assert!(decimal(pair[0]) < decimal(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn only_numbers_are_compared() {
        let number = |text: &str| JsonValue::Number(text.to_owned());
        let (less, more) = (number("12345678901234567890.12"), number("12345678901234567890.13"));
        assert_eq!(compare_numbers(&less, &more), Some(Ordering::Less));
        assert_eq!(compare_numbers(&number("72.50"), &number("72.5")), Some(Ordering::Equal));
        assert_eq!(compare_numbers(&less, &JsonValue::from("1")), None);
    }

    #[test]
    fn multiples_are_exact() {
        let check = |number: &str, divisor: &str, expected: bool| {
            assert_eq!(decimal(number).is_multiple_of(&decimal(divisor)), expected, "{number} {divisor}");
        };
        check("19.99", "0.01", true);
        check("19.990000000000000000001", "0.01", false);
        check("-7.5", "2.5", true);
        check("1e300", "7", false);
        check("7e300", "7", true);
        check("1e300", "1024", true);
        check("1e-5", "1e-6", true);
        check("0", "3", true);
        check("5", "0", false);
        check("0.3", "1e-99999999999", true);
        check("12345678901234567890123456789012345678901234567890", "3", true);
        check("1", "1.00000000000000000000000000000000000000001", false);
        check(
            "1.00000000000000000000000000000000000000001",
            "1.00000000000000000000000000000000000000001",
            true,
        );
    }

    #[test]
    fn integers_have_no_fraction() {
        for (text, expected) in
            [("1.0", true), ("1e2", true), ("1.5e1", true), ("1.5", false), ("1e-1", false)]
        {
            assert_eq!(decimal(text).is_integer(), expected, "{text}");
        }
    }
}
