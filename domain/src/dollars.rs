//! Money, exact: a decimal number of US dollars, never a binary fraction.

use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

/// An amount of US dollars, to a millionth of a millionth: what one token costs is a whole number of these.
///
/// ```
/// use entracte_domain::dollars::Dollars;
///
/// let token: Dollars = "0.0000003".parse().unwrap();
/// assert_eq!(token.times(1_000_000).to_string(), "0.3");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dollars(u128);

/// A text that is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DollarsParseError {
    /// It is not written as digits, at most one point and digits.
    NotDecimal,
    /// It has more than twelve digits behind the point.
    TooFine,
    /// It is more than can be counted.
    TooLarge,
}

/// Digits behind the point.
const PLACES: usize = 12;
const ONE: u128 = 1_000_000_000_000;

impl Dollars {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many times this amount; the largest one when it is more than can be counted.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count as u128))
    }

    /// Both together; the largest amount when it is more than can be counted.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The millionth part of it; none when that is finer than an amount can be.
    pub const fn per_million(self) -> Option<Self> {
        const MILLION: u128 = 1_000_000;
        if self.0.is_multiple_of(MILLION) { Some(Self(self.0 / MILLION)) } else { None }
    }
}

impl Sum for Dollars {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::plus)
    }
}

impl FromStr for Dollars {
    type Err = DollarsParseError;

    fn from_str(text: &str) -> Result<Self, DollarsParseError> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) {
            return Err(DollarsParseError::NotDecimal);
        }
        let part = part.trim_end_matches('0');
        if part.len() > PLACES {
            return Err(DollarsParseError::TooFine);
        }
        let whole: u128 = whole.parse().map_err(|_| DollarsParseError::TooLarge)?;
        let part: u128 = format!("{part:0<PLACES$}").parse().map_err(|_| DollarsParseError::TooFine)?;
        let whole = whole.checked_mul(ONE).ok_or(DollarsParseError::TooLarge)?;
        whole.checked_add(part).map(Self).ok_or(DollarsParseError::TooLarge)
    }
}

/// As a decimal number with as many digits as it needs.
impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / ONE, self.0 % ONE);
        let part = format!("{part:0>PLACES$}");
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            part => write!(f, "{whole}.{part}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_read_and_written_digit_for_digit() {
        for (text, written) in [
            ("0", "0"),
            ("4", "4"),
            ("4.00", "4"),
            ("0.1", "0.1"),
            ("10.250", "10.25"),
            ("0.000000000001", "0.000000000001"),
            ("0.0000000000010", "0.000000000001"),
            ("123456789.5", "123456789.5"),
        ] {
            assert_eq!(text.parse::<Dollars>().map(|amount| amount.to_string()), Ok(written.to_owned()));
        }
        for (text, wrong) in [
            ("", DollarsParseError::NotDecimal),
            (".5", DollarsParseError::NotDecimal),
            ("5.", DollarsParseError::NotDecimal),
            ("-1", DollarsParseError::NotDecimal),
            ("1e3", DollarsParseError::NotDecimal),
            ("1,5", DollarsParseError::NotDecimal),
            ("1.2.3", DollarsParseError::NotDecimal),
            ("0.0000000000001", DollarsParseError::TooFine),
            ("999999999999999999999999999999999999999", DollarsParseError::TooLarge),
        ] {
            assert_eq!(text.parse::<Dollars>(), Err(wrong), "{text}");
        }
    }

    #[test]
    fn ten_tenths_are_one() {
        let tenth: Dollars = "0.1".parse().unwrap();
        assert_eq!((0..10).map(|_| tenth).sum::<Dollars>().to_string(), "1");
        assert_eq!(tenth.times(3).to_string(), "0.3");
        assert_eq!(tenth.per_million().unwrap().to_string(), "0.0000001");
        assert_eq!("0.0000001".parse::<Dollars>().unwrap().per_million(), None, "finer than can be counted");
    }
}
