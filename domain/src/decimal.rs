//! Exact decimal numbers: never a binary fraction.

use std::fmt;
use std::str::FromStr;

/// An exact decimal number in units of 10⁻¹².
///
/// ```
/// use entracte_domain::decimal::Decimal;
///
/// let tenth: Decimal = "0.1".parse().unwrap();
/// let fifth = tenth.plus(tenth).unwrap();
/// assert_eq!(fifth.plus(tenth).unwrap().to_string(), "0.3");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(i128);

/// Why a text is not a [`Decimal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalParseError {
    /// The text is not in plain notation: digits, perhaps a minus before them, and a point with more digits.
    NotPlain,
    /// The number has more than [`Decimal::DIGITS_MAX`] digits, or more than twelve decimal places.
    TooLong,
}

/// Number of decimal places.
const PLACES: usize = 12;
const ONE: i128 = 1_000_000_000_000;

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// Most digits of a number that is read. Receivers that calculate with binary fractions tell no longer numbers
    /// apart, so a longer number might mean another one to them.
    pub const DIGITS_MAX: usize = 15;

    /// Adds both numbers; `None` if the sum is out of range.
    pub const fn plus(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// Subtracts the other number; `None` if the difference is out of range.
    pub const fn minus(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }

    /// Reads plain notation of any length that is in range, such as a sum of many numbers.
    ///
    /// # Errors
    /// When it is not plain, or out of range.
    pub fn from_sum(text: &str) -> Result<Self, DecimalParseError> {
        Self::parse_plain(text, usize::MAX)
    }

    /// Whether the number is less than zero.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    fn parse_plain(text: &str, most_digits: usize) -> Result<Self, DecimalParseError> {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(part) || (whole.len() > 1 && whole.starts_with('0')) {
            return Err(DecimalParseError::NotPlain);
        }
        let part = part.trim_end_matches('0');
        let whole_digits = whole.trim_start_matches('0').len();
        if part.len() > PLACES || whole_digits + part.len() > most_digits {
            return Err(DecimalParseError::TooLong);
        }
        let read = |text: &str| text.parse::<i128>().map_err(|_| DecimalParseError::TooLong);
        let units = read(whole)?.checked_mul(ONE).ok_or(DecimalParseError::TooLong)?;
        let units =
            units.checked_add(read(&format!("{part:0<PLACES$}"))?).ok_or(DecimalParseError::TooLong)?;
        match (is_negative, units) {
            (true, 0) => Err(DecimalParseError::NotPlain),
            (true, units) => Ok(Self(-units)),
            (false, units) => Ok(Self(units)),
        }
    }
}

/// Reads plain notation only. `1e2`, `-0`, `+1`, `.5` and `007` are refused: what one receiver reads as the same number,
/// another may not.
impl FromStr for Decimal {
    type Err = DecimalParseError;

    fn from_str(text: &str) -> Result<Self, DecimalParseError> {
        Self::parse_plain(text, Self::DIGITS_MAX)
    }
}

/// Formats the number with as many digits as it needs.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative() { "-" } else { "" };
        let units = self.0.unsigned_abs();
        let (whole, part) = (units / ONE.unsigned_abs(), units % ONE.unsigned_abs());
        let part = format!("{part:0>PLACES$}");
        match part.trim_end_matches('0') {
            "" => write!(f, "{sign}{whole}"),
            part => write!(f, "{sign}{whole}.{part}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a text; expected: the same number with the digits that it needs.
    #[test]
    fn plain_numbers_round_trip() {
        for (text, written) in [
            ("0", "0"),
            ("200.00", "200"),
            ("-1.50", "-1.5"),
            ("0.000000000001", "0.000000000001"),
            ("123456789012345", "123456789012345"),
            ("1.00000000000000000000", "1"),
        ] {
            let number = text.parse::<Decimal>();
            assert_eq!(number.map(|number| number.to_string()), Ok(written.to_owned()), "{text}");
        }
    }

    /// Input: a number in another notation, or with more digits than every receiver reads; expected: the refusal.
    #[test]
    fn unusual_numbers_are_refused() {
        for text in ["", "-", ".5", "5.", "1e2", "1E2", "+1", "-0", "-0.00", "007", "1,5", "0x10", "١", " 1"]
        {
            assert_eq!(text.parse::<Decimal>(), Err(DecimalParseError::NotPlain), "{text}");
        }
        let huge = "9".repeat(400);
        for text in ["1234567890123456", "12345678.12345678", "0.0000000000001", huge.as_str()] {
            assert_eq!(text.parse::<Decimal>(), Err(DecimalParseError::TooLong), "{text}");
        }
    }

    #[test]
    fn sums_out_of_range_are_none() {
        let largest = Decimal(i128::MAX);
        assert_eq!(largest.plus("0.000000000001".parse().unwrap()), None);
        assert_eq!(Decimal(i128::MIN).minus("1".parse().unwrap()), None);
        let sum = "0.1".parse::<Decimal>().unwrap().plus("0.2".parse().unwrap());
        assert_eq!(sum, "0.3".parse().ok());
        let long = "12345678901234567890.000000000001";
        assert_eq!(Decimal::from_sum(long).map(|sum| sum.to_string()), Ok(long.to_owned()));
        assert_eq!(Decimal::from_sum(&"9".repeat(40)), Err(DecimalParseError::TooLong));
        assert_eq!(Decimal::from_sum("-0"), Err(DecimalParseError::NotPlain));
    }
}
