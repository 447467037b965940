//! Exact amounts of money: decimal US dollars, never a binary fraction.

use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

/// An amount of US dollars in units of 10⁻¹² dollars, so that the price of one token is a whole number.
///
/// ```
/// use entracte_domain::dollars::Dollars;
///
/// let token: Dollars = "0.0000003".parse().unwrap();
/// assert_eq!(token.times(1_000_000).to_string(), "0.3");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dollars(u128);

/// Why a text is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DollarsParseError {
    /// The text is not digits, optionally with one decimal point and more digits.
    NotDecimal,
    /// The text has more than twelve decimal places.
    TooFine,
    /// The amount exceeds the range of the type.
    TooLarge,
}

/// Number of decimal places.
const PLACES: usize = 12;
const ONE: u128 = 1_000_000_000_000;
/// A millionth of a dollar.
const MICRO: u128 = 1_000_000;

impl Dollars {
    /// Zero dollars.
    pub const ZERO: Self = Self(0);

    /// Builds the amount of a number of millionths of a dollar, and of a rest in units of 10⁻¹² dollars; saturates at
    /// the largest amount.
    #[must_use]
    pub const fn from_micros(micros: u64, rest: u128) -> Self {
        Self((micros as u128).saturating_mul(MICRO).saturating_add(rest))
    }

    /// Splits the amount into millionths of a dollar, and the rest in units of 10⁻¹² dollars, which is less than a
    /// millionth. Sums of both parts are exact. `None` if the amount has more millionths than 64 bits.
    pub fn to_micros(self) -> Option<(u64, u32)> {
        Some((u64::try_from(self.0 / MICRO).ok()?, u32::try_from(self.0 % MICRO).ok()?))
    }

    /// Multiplies the amount; saturates at the largest amount.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count as u128))
    }

    /// Adds both amounts; saturates at the largest amount.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Subtracts the other amount; zero if it is larger.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// So many hundredths of the amount, rounded down to units of 10⁻¹² dollars; saturates at the largest amount.
    #[must_use]
    pub const fn percent(self, percent: u32) -> Self {
        let percent = percent as u128;
        let (whole, rest) = (self.0 / 100, self.0 % 100);
        Self(whole.saturating_mul(percent).saturating_add(rest * percent / 100))
    }

    /// Splits the amount into so many parts, at least one, that differ by 10⁻¹² dollars at most and are the amount
    /// together. The larger ones come first.
    pub fn split(self, parts: usize) -> impl Iterator<Item = Self> {
        let count = parts.max(1);
        let (part, rest) = (self.0 / count as u128, self.0 % count as u128);
        (0..count).map(move |index| Self(part + u128::from((index as u128) < rest)))
    }

    /// Divides the amount by one million; `None` if the result needs more than twelve decimal places.
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

/// Formats the amount as a decimal number with as many digits as it needs.
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
    fn amounts_round_trip_digit_for_digit() {
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

    /// Input: an amount that no number of parts divides; expected: parts that are the amount together.
    #[test]
    fn shares_of_an_amount_are_the_amount() {
        let amount: Dollars = "0.000000000007".parse().unwrap();
        for parts in 0..9 {
            let shares: Vec<Dollars> = amount.split(parts).collect();
            assert_eq!(shares.len(), parts.max(1));
            assert_eq!(shares.into_iter().sum::<Dollars>(), amount, "{parts}");
        }
        let three: Vec<String> = amount.split(3).map(|share| share.to_string()).collect();
        assert_eq!(three, ["0.000000000003", "0.000000000002", "0.000000000002"]);
    }

    #[test]
    fn amounts_are_split_into_exact_parts() {
        let amount: Dollars = "12.345678901234".parse().unwrap();
        assert_eq!(amount.to_micros(), Some((12_345_678, 901_234)));
        assert_eq!(Dollars::from_micros(12_345_678, 901_234), amount);
        assert_eq!(
            Dollars::from_micros(1, 3_000_000).to_string(),
            "0.000004",
            "a sum of rests may be larger"
        );
        assert_eq!(Dollars(u128::MAX).to_micros(), None);
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
