//! How the values of a column are written: dates in an order of day, month and year, numbers with a unit, or neither.

use std::borrow::Cow;
use std::collections::BTreeSet;

use entracte_domain::value::JsonValue;

use super::decimal_separator::DecimalSeparator;

/// The most characters of a unit.
const UNIT_CHARS: usize = 10;

/// The order in which dates are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// `2026-11-02`, `2026/11/02`.
    YearFirst,
    /// `02.11.2026`, `2/11/2026`, `02-11-2026`.
    DayFirst,
    /// `11/02/2026`, `11-2-2026`.
    MonthFirst,
}

/// How the values of a column are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnNotation {
    /// The column has no values.
    Empty,
    /// Numbers.
    Numbers,
    /// Numbers with one unit, or with several (`None`).
    Quantities(Option<String>),
    /// Dates.
    Dates(DateOrder),
    /// Dates that may have the day or the month first: none of them tells.
    AmbiguousDates,
    /// Texts, or values of several kinds.
    Mixed,
}

impl ColumnNotation {
    /// The notation of most of these values. Missing values do not count.
    pub fn of<'a>(values: impl Iterator<Item = &'a JsonValue> + Clone) -> Self {
        ColumnValues::of(values).notation
    }
}

/// How the values of a column are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnValues {
    pub(super) notation: ColumnNotation,
    decimals: DecimalSeparator,
}

impl ColumnValues {
    /// How most of these values are written. Missing values do not count.
    pub(super) fn of<'a>(values: impl Iterator<Item = &'a JsonValue> + Clone) -> Self {
        let decimals = DecimalSeparator::of(values.clone().filter_map(JsonValue::as_text));
        let mut counts = NotationCounts::default();
        values.filter(|value| **value != JsonValue::Null).for_each(|value| counts.add(value, decimals));
        Self { notation: counts.notation(), decimals }
    }

    /// Whether equal values may be written in several ways.
    pub(super) const fn has_variants(&self) -> bool {
        match self.notation {
            ColumnNotation::Dates(_) | ColumnNotation::Quantities(_) => true,
            ColumnNotation::Empty
            | ColumnNotation::Numbers
            | ColumnNotation::AmbiguousDates
            | ColumnNotation::Mixed => false,
        }
    }

    /// A text that is a number without a unit, with a decimal point; every other value as it is.
    pub(super) fn number_with_point<'a>(&self, value: &'a JsonValue) -> Cow<'a, JsonValue> {
        let number = match (self.decimals, value) {
            // Without more of the column, texts are compared as they are.
            (DecimalSeparator::Unknown, _) => None,
            (decimals, JsonValue::Text(text)) => decimals.with_point(text),
            _ => None,
        };
        number.map_or(Cow::Borrowed(value), |number| Cow::Owned(JsonValue::Text(number)))
    }

    /// Whether two values that are written differently may be equal without the column telling so: dates that have the
    /// day or the month first, and a date or quantity of another kind than the column's.
    pub(super) fn cannot_tell_equality(&self, found: &JsonValue, wanted: &JsonValue) -> bool {
        let is_date = |value: &JsonValue| {
            let orders = [DateOrder::YearFirst, DateOrder::DayFirst, DateOrder::MonthFirst];
            value.as_text().is_some_and(|text| orders.iter().any(|order| iso_date(text, *order).is_some()))
        };
        let is_different = found != wanted && *found != JsonValue::Null;
        match self.notation {
            ColumnNotation::AmbiguousDates => is_different && is_date(found) && is_date(wanted),
            ColumnNotation::Quantities(_) => {
                let is_quantity = |value| Quantity::read(value, self.decimals).is_some();
                let are_both = is_quantity(found) && is_quantity(wanted);
                is_different && are_both && self.comparable(found, wanted).is_none()
            }
            ColumnNotation::Dates(_)
            | ColumnNotation::Empty
            | ColumnNotation::Numbers
            | ColumnNotation::Mixed => false,
        }
    }

    /// The two values in a form that orders as their meanings do; `None` if the column's notation does not compare
    /// them.
    pub(super) fn comparable<'a>(
        &self,
        found: &'a JsonValue,
        wanted: &'a JsonValue,
    ) -> Option<(Cow<'a, JsonValue>, Cow<'a, JsonValue>)> {
        match &self.notation {
            ColumnNotation::Empty | ColumnNotation::Numbers | ColumnNotation::Mixed => {
                Some((self.number_with_point(found), self.number_with_point(wanted)))
            }
            ColumnNotation::Dates(order) => {
                let found = iso_date(found.as_text()?, *order)?;
                let wanted = wanted_date(wanted.as_text()?, *order)?;
                Some((Cow::Owned(JsonValue::Text(found)), Cow::Owned(JsonValue::Text(wanted))))
            }
            ColumnNotation::AmbiguousDates => None,
            ColumnNotation::Quantities(unit) => {
                let quantity = |value| Quantity::read(value, self.decimals);
                let (found, wanted) = (quantity(found)?, quantity(wanted)?);
                let wanted_unit = wanted.unit.or_else(|| unit.clone())?;
                let found_unit = found.unit.or_else(|| unit.clone())?;
                let is_same = found_unit == wanted_unit;
                let as_text = |number: String| Cow::Owned(JsonValue::Text(number));
                is_same.then_some((as_text(found.number), as_text(wanted.number)))
            }
        }
    }
}

/// How many values have which notation.
#[derive(Default)]
struct NotationCounts {
    all: usize,
    numbers: usize,
    quantities: usize,
    units: BTreeSet<String>,
    year_first: usize,
    /// Values that are dates with the day first, with the month first, and with either.
    day_first: usize,
    month_first: usize,
    either: usize,
}

impl NotationCounts {
    fn add(&mut self, value: &JsonValue, decimals: DecimalSeparator) {
        self.all += 1;
        if matches!(value, JsonValue::Number(_)) {
            self.numbers += 1;
            return;
        }
        let Some(text) = value.as_text() else { return };
        if iso_date(text, DateOrder::YearFirst).is_some() {
            self.year_first += 1;
            return;
        }
        let day = iso_date(text, DateOrder::DayFirst).is_some();
        let month = iso_date(text, DateOrder::MonthFirst).is_some();
        self.day_first += usize::from(day);
        self.month_first += usize::from(month);
        self.either += usize::from(day || month);
        if day || month {
            return;
        }
        if let Some(quantity) = Quantity::read(value, decimals) {
            self.quantities += 1;
            // More than two units are told like two.
            self.units.extend(quantity.unit.filter(|_| self.units.len() < 2));
        }
    }

    fn notation(self) -> ColumnNotation {
        let is_most = |count: usize| count > 0 && count * 2 >= self.all;
        if self.all == 0 {
            ColumnNotation::Empty
        } else if is_most(self.year_first) {
            ColumnNotation::Dates(DateOrder::YearFirst)
        } else if is_most(self.either) {
            match (self.day_first == self.either, self.month_first == self.either) {
                (true, false) => ColumnNotation::Dates(DateOrder::DayFirst),
                (false, true) => ColumnNotation::Dates(DateOrder::MonthFirst),
                // Every date fits both orders, or the orders are mixed.
                (true, true) | (false, false) => ColumnNotation::AmbiguousDates,
            }
        } else if self.numbers == self.all {
            ColumnNotation::Numbers
        } else if !self.units.is_empty() && is_most(self.quantities + self.numbers) {
            let unit = self.units.first().filter(|_| self.units.len() == 1).cloned();
            ColumnNotation::Quantities(unit)
        } else {
            ColumnNotation::Mixed
        }
    }
}

/// A date of this order as ISO 8601, with the time of day that may follow it.
fn iso_date(text: &str, order: DateOrder) -> Option<String> {
    let text = text.trim();
    let (date, time) = text.split_at(text.find(['T', ' ']).unwrap_or(text.len()));
    let time = if time.is_empty() { String::new() } else { time_of_day(time.get(1..)?)? };
    let separator = date.chars().find(|char| !char.is_ascii_digit())?;
    let is_known = match order {
        DateOrder::YearFirst | DateOrder::MonthFirst => matches!(separator, '-' | '/'),
        DateOrder::DayFirst => matches!(separator, '-' | '/' | '.'),
    };
    let parts: Vec<&str> = date.split(separator).collect();
    let [first, second, third] = *parts.as_slice() else { return None };
    let (year, month, day) = match order {
        DateOrder::YearFirst => (first, second, third),
        DateOrder::DayFirst => (third, second, first),
        DateOrder::MonthFirst => (third, first, second),
    };
    let are_digits =
        parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_known || !are_digits || year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let (month, day) = (month.parse::<u8>().ok()?, day.parse::<u8>().ok()?);
    let is_date = (1..=12).contains(&month) && (1..=days_of(year.parse().ok()?, month)).contains(&day);
    is_date.then(|| format!("{year}-{month:02}-{day:02}{time}"))
}

/// A time of day, `9:05` or `09:05:30`, as `T09:05:00`. One with a zone, or of twelve hours, has no order beside others.
fn time_of_day(text: &str) -> Option<String> {
    let mut parts = text.split(':');
    let mut number = |digits: &[usize], most: u8| {
        let part = parts.next()?;
        let is_number = digits.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u8>().ok().filter(|number| is_number && *number <= most)
    };
    let (hour, minute) = (number(&[1, 2], 23)?, number(&[2], 59)?);
    let second = if text.matches(':').count() > 1 { number(&[2], 60)? } else { 0 };
    parts.next().is_none().then(|| format!("T{hour:02}:{minute:02}:{second:02}"))
}

fn days_of(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The date of a filter: ISO 8601, also without day or month, or as the column writes it.
fn wanted_date(text: &str, order: DateOrder) -> Option<String> {
    let text = text.trim();
    let is_part = matches!(text.len(), 4 | 7)
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 { byte == b'-' } else { byte.is_ascii_digit() });
    if is_part {
        return Some(text.to_owned());
    }
    let as_column = match order {
        // Points stand in dates with the day first only.
        DateOrder::YearFirst => text.contains('.').then_some(DateOrder::DayFirst),
        DateOrder::DayFirst | DateOrder::MonthFirst => Some(order),
    };
    iso_date(text, DateOrder::YearFirst).or_else(|| iso_date(text, as_column?))
}

/// A number with its unit.
struct Quantity {
    /// With a decimal point.
    number: String,
    unit: Option<String>,
}

impl Quantity {
    /// Reads `12.5`, `12,5 kg`, `1 234,50 €` or `$12`.
    fn read(value: &JsonValue, decimals: DecimalSeparator) -> Option<Self> {
        let text = match value {
            JsonValue::Number(number) => return Some(Self { number: number.clone(), unit: None }),
            JsonValue::Text(text) => text.trim(),
            JsonValue::Null | JsonValue::Bool(_) | JsonValue::List(_) | JsonValue::Object(_) => return None,
        };
        let is_digit = |char: char| char.is_ascii_digit();
        let (begin, end) = (text.find(is_digit)?, text.rfind(is_digit)? + 1);
        let (before, number, after) = (text.get(..begin)?, text.get(begin..end)?, text.get(end..)?);
        // `INV-001`, `A1` and `007` are codes.
        let is_code = number.len() > 1 && number.starts_with('0') && number[1..].starts_with(is_digit);
        let is_glued = before.ends_with(|char: char| char.is_alphabetic() || char == '-')
            && before.contains(char::is_alphabetic);
        if is_code || is_glued {
            return None;
        }
        // The sign stands before the number or before its symbol.
        let before = before.trim();
        let (before, sign) = match before.strip_suffix('-').or_else(|| before.strip_prefix('-')) {
            Some(before) => (before, "-"),
            None => (before, ""),
        };
        let number = format!("{sign}{}", decimals.with_point(number)?);
        let unit = match (before.trim(), after.trim()) {
            ("", "") => return Some(Self { number, unit: None }),
            (unit, "") => unit,
            // A letter beside a number is a code more often than a unit.
            ("", unit)
                if unit.len() == 1 && unit == after && unit.is_ascii() && unit != "%" && unit != "$" =>
            {
                return None;
            }
            ("", unit) => unit,
            _ => return None,
        };
        let is_unit = unit.chars().count() <= UNIT_CHARS
            && unit.chars().all(|char| char.is_alphabetic() || "€$£¥%‰°²³µ/·".contains(char));
        is_unit.then(|| Self { number, unit: Some(unit.to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notation(texts: &[&str]) -> ColumnNotation {
        let values: Vec<JsonValue> = texts.iter().map(|text| JsonValue::from(*text)).collect();
        ColumnNotation::of(values.iter())
    }

    /// Inputs: columns of dates; expected: the order that all of them fit, if only one does.
    #[test]
    fn date_order_follows_whole_column() {
        assert_eq!(
            notation(&["2026-11-02", "2026-11-03T10:00"]),
            ColumnNotation::Dates(DateOrder::YearFirst)
        );
        assert_eq!(notation(&["02.11.2026", "03.11.2026"]), ColumnNotation::Dates(DateOrder::DayFirst));
        assert_eq!(
            notation(&["02/11/2026", "31/11/2026", "30/11/2026"]),
            ColumnNotation::Dates(DateOrder::DayFirst)
        );
        assert_eq!(notation(&["11/02/2026", "11/30/2026"]), ColumnNotation::Dates(DateOrder::MonthFirst));
        assert_eq!(notation(&["02/11/2026", "03/11/2026"]), ColumnNotation::AmbiguousDates);
        assert_eq!(notation(&["30/11/2026", "11/30/2026"]), ColumnNotation::AmbiguousDates);
        assert_eq!(notation(&["29/02/2026", "1.2.3", "2/11/26"]), ColumnNotation::Mixed);
    }

    /// Inputs: columns of numbers with and without units; expected: the one unit, or that there are several.
    #[test]
    fn unit_follows_whole_column() {
        let one = |unit: &str| ColumnNotation::Quantities(Some(unit.to_owned()));
        assert_eq!(notation(&["12 kg", "1 234,5 kg", "free"]), one("kg"));
        assert_eq!(notation(&["$12", "-$3.50"]), one("$"));
        assert_eq!(notation(&["€ 12", "€ -3,50"]), one("€"));
        assert_eq!(notation(&["15%", "7 %"]), one("%"));
        assert_eq!(notation(&["12 kg", "300 g"]), ColumnNotation::Quantities(None));
        assert_eq!(notation(&["12A", "3B"]), ColumnNotation::Mixed);
        assert_eq!(notation(&["INV-001", "INV-002"]), ColumnNotation::Mixed);
        assert_eq!(notation(&["A1", "A2"]), ColumnNotation::Mixed);
        assert_eq!(notation(&["007 kg", "008 kg"]), ColumnNotation::Mixed);
        assert_eq!(notation(&["10 rue de Lyon", "Lyon"]), ColumnNotation::Mixed);
        assert_eq!(ColumnNotation::of([JsonValue::from(1), JsonValue::Null].iter()), ColumnNotation::Numbers);
        assert_eq!(ColumnNotation::of([JsonValue::Null].iter()), ColumnNotation::Empty);
    }
}
