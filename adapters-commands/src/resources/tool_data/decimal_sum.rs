//! Exact arithmetic on numbers that are stored as text.

use rust_decimal::{Decimal, RoundingStrategy};

/// The most decimal places of an exactly counted number, without trailing zeros.
pub(crate) const MOST_SCALE: u32 = 9;
/// The exclusive upper bound of an exactly counted number's absolute value. With [`MOST_SCALE`] the sum of all
/// numbers that one call may scan is exact.
pub(crate) const BELOW: i64 = 1_000_000_000_000_000;
/// The decimal places of a mean, rounded half away from zero.
pub(crate) const MEAN_SCALE: u32 = 6;

/// The value of a JSON number's text; `None` if it cannot be counted exactly.
pub(crate) fn exact(text: &str) -> Option<Decimal> {
    let scientific = text.contains(['e', 'E']);
    let read = if scientific { Decimal::from_scientific(text) } else { Decimal::from_str_exact(text) };
    let number = read.ok()?.normalize();
    (number.scale() <= MOST_SCALE && number.abs() < Decimal::from(BELOW)).then_some(number)
}

/// The count, sum and range of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DecimalSum {
    /// How many numbers were added.
    pub(crate) count: u32,
    /// The sum of the numbers.
    pub(crate) sum: Decimal,
    /// The least and the greatest number; `None` if there are none.
    pub(crate) range: Option<(Decimal, Decimal)>,
}

impl DecimalSum {
    /// Adds a number.
    pub(crate) fn add(&mut self, number: Decimal) {
        self.count += 1;
        self.sum = self.sum.saturating_add(number);
        self.range =
            Some(self.range.map_or((number, number), |(min, max)| (min.min(number), max.max(number))));
    }

    /// The mean, rounded to [`MEAN_SCALE`] decimal places; `None` if there are no numbers.
    pub(crate) fn mean(&self) -> Option<Decimal> {
        let mean = self.sum.checked_div(Decimal::from(self.count))?;
        Some(mean.round_dp_with_strategy(MEAN_SCALE, RoundingStrategy::MidpointAwayFromZero))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_or_not_counted() {
        let cases = [
            ("72.50", Some("72.5")),
            ("-0.10", Some("-0.1")),
            ("7.25e1", Some("72.5")),
            ("1E-9", Some("0.000000001")),
            ("0", Some("0")),
            ("1.0000000001", None),
            ("999999999999999.999999999", Some("999999999999999.999999999")),
            ("1000000000000000", None),
            ("1e999", None),
            ("1e-999", None),
        ];
        for (text, expected) in cases {
            assert_eq!(exact(text).map(|number| number.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn sums_have_no_rounding_error() {
        let mut sum = DecimalSum::default();
        for text in ["0.1", "0.2", "-0.4"] {
            sum.add(exact(text).unwrap());
        }
        assert_eq!(
            (sum.sum.to_string(), sum.mean().unwrap().to_string()),
            ("-0.1".into(), "-0.033333".into())
        );
        let (min, max) = sum.range.unwrap();
        assert_eq!((min.to_string(), max.to_string()), ("-0.4".into(), "0.2".into()));
        assert_eq!(DecimalSum::default().mean(), None);
    }

    #[test]
    fn largest_sum_of_one_call_is_exact() {
        let greatest = exact("999999999999999.999999999").unwrap();
        let rows = Decimal::from(crate::resources::scan::MOST_ROWS);
        let sum = greatest.checked_mul(rows).unwrap();
        assert_eq!(sum.checked_div(rows).unwrap(), greatest);
        assert_eq!(sum.scale(), MOST_SCALE);
    }
}
