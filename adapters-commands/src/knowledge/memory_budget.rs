//! Counts the memory that the values of a document would take, before they are built.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The remaining memory in bytes.
pub(super) struct MemoryBudget(u64);

/// The budget is exhausted.
pub(super) struct MemoryBudgetError;

impl MemoryBudget {
    /// A budget of `bytes`.
    pub(super) fn with_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Takes `bytes` from the budget.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        let left = self.0.checked_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.0 = left.ok_or(MemoryBudgetError)?;
        Ok(())
    }

    /// Takes the cost of an object without its members.
    pub(super) fn object(&mut self) -> Result<(), MemoryBudgetError> {
        self.spend(OBJECT)
    }

    /// Takes the cost of an object member without its value.
    pub(super) fn member(&mut self, name: &str) -> Result<(), MemoryBudgetError> {
        self.spend(MEMBER + name.len())
    }

    /// Takes the cost of a string.
    pub(super) fn text(&mut self, text: &str) -> Result<(), MemoryBudgetError> {
        self.spend(TEXT + text.len())
    }

    /// Takes the cost of a JSON text as a value. Invalid JSON costs what its readable beginning does: parsing it
    /// reports the fault.
    pub(super) fn json(&mut self, text: &str) -> Result<(), MemoryBudgetError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        // The text is one value, or several.
        loop {
            let mut is_spent = false;
            let weighed =
                MemoryCostVisitor { budget: self, is_spent: &mut is_spent }.deserialize(&mut deserializer);
            match weighed {
                _ if is_spent => return Err(MemoryBudgetError),
                // Several values become items of a list.
                Ok(()) => self.spend(ITEM)?,
                Err(_) => return Ok(()),
            }
        }
    }
}

/// Deserializes a value only to count its cost.
struct MemoryCostVisitor<'a> {
    budget: &'a mut MemoryBudget,
    is_spent: &'a mut bool,
}

impl MemoryCostVisitor<'_> {
    fn count<E: Error>(
        &mut self,
        taken: impl FnOnce(&mut MemoryBudget) -> Result<(), MemoryBudgetError>,
    ) -> Result<(), E> {
        taken(self.budget).map_err(|MemoryBudgetError| {
            *self.is_spent = true;
            E::custom("it takes too much memory")
        })
    }

    fn inner(&mut self) -> MemoryCostVisitor<'_> {
        MemoryCostVisitor { budget: self.budget, is_spent: self.is_spent }
    }
}

impl<'de> DeserializeSeed<'de> for MemoryCostVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MemoryCostVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.count(|budget| budget.spend(NUMBER_TEXT))
    }

    fn visit_u64<E: Error>(mut self, _: u64) -> Result<(), E> {
        self.count(|budget| budget.spend(NUMBER_TEXT))
    }

    fn visit_f64<E: Error>(mut self, _: f64) -> Result<(), E> {
        self.count(|budget| budget.spend(NUMBER_TEXT))
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<(), E> {
        self.count(|budget| budget.text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.inner())?.is_some() {
            self.count(|budget| budget.spend(ITEM))?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut is_first = true;
        while let Some(name) = members.next_key::<std::borrow::Cow<'_, str>>()? {
            // `serde_json` represents a number with all its digits this way.
            let is_number = is_first && name == NUMBER;
            if is_first && !is_number {
                self.count(MemoryBudget::object)?;
            }
            is_first = false;
            if !is_number {
                self.count(|budget| budget.member(&name))?;
            }
            members.next_value_seed(self.inner())?;
        }
        Ok(())
    }
}

/// The member name under which `serde_json` passes on a number.
pub(super) const NUMBER: &str = "$serde_json::private::Number";
/// The bytes of a map with its first node, of eleven members.
const OBJECT: usize = 640;
/// The bytes of a member name and its share of a further node.
const MEMBER: usize = 64;
/// The bytes of an item in a list that grows by doubling.
const ITEM: usize = 64;
/// The bytes of a number that `serde_json` did not pass as text; as a value it is text.
const NUMBER_TEXT: usize = TEXT + 24;
/// The bytes of a non-empty string without its characters.
const TEXT: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_cost_is_counted_before_building() {
        let left = |text: &str| {
            let mut budget = MemoryBudget::with_bytes(10_000);
            budget.json(text).ok().map(|()| budget.0)
        };
        assert_eq!(left("[1.50, null, \"abc\"]"), Some(10_000 - 4 * 64 - (16 + 4) - (16 + 3)));
        assert_eq!(left("{\"a\": {\"b\": true}}"), Some(10_000 - 64 - 2 * (640 + 64 + 1)));
        assert_eq!(left("{\"a\":1}\n{\"a\":2}"), Some(10_000 - 2 * (64 + 640 + 64 + 1 + 40)));
        assert_eq!(left(&format!("[{}1]", "{\"\":0},".repeat(20))), None);
        // Invalid JSON is refused by the parser, not here.
        assert_eq!(left("[[[["), Some(10_000));
    }
}
