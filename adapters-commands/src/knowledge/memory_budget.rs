//! How much memory the values of a document would take, counted before they are made.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The memory that is left, in bytes.
pub(super) struct MemoryBudget(u64);

/// There is no more.
pub(super) struct MemoryBudgetExceeded;

impl MemoryBudget {
    /// So many bytes.
    pub(super) fn with_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Takes bytes.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), MemoryBudgetExceeded> {
        let left = self.0.checked_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.0 = left.ok_or(MemoryBudgetExceeded)?;
        Ok(())
    }

    /// Takes what an object takes without its members.
    pub(super) fn object(&mut self) -> Result<(), MemoryBudgetExceeded> {
        self.spend(OBJECT)
    }

    /// Takes what a member of an object takes without its value.
    pub(super) fn member(&mut self, name: &str) -> Result<(), MemoryBudgetExceeded> {
        self.spend(MEMBER + name.len())
    }

    /// Takes what a text takes.
    pub(super) fn text(&mut self, text: &str) -> Result<(), MemoryBudgetExceeded> {
        self.spend(TEXT + text.len())
    }

    /// Takes what a JSON text takes as a value. A text that is no JSON takes what its readable beginning does: reading it
    /// tells what is wrong with it.
    pub(super) fn json(&mut self, text: &str) -> Result<(), MemoryBudgetExceeded> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        // It is one value, or as many as there are.
        loop {
            let mut is_spent = false;
            let weighed =
                MemoryCostVisitor { budget: self, is_spent: &mut is_spent }.deserialize(&mut deserializer);
            match weighed {
                _ if is_spent => return Err(MemoryBudgetExceeded),
                // Several are the items of a list.
                Ok(()) => self.spend(ITEM)?,
                Err(_) => return Ok(()),
            }
        }
    }
}

/// Counts a value instead of making it.
struct MemoryCostVisitor<'a> {
    budget: &'a mut MemoryBudget,
    is_spent: &'a mut bool,
}

impl MemoryCostVisitor<'_> {
    fn count<E: Error>(
        &mut self,
        taken: impl FnOnce(&mut MemoryBudget) -> Result<(), MemoryBudgetExceeded>,
    ) -> Result<(), E> {
        taken(self.budget).map_err(|MemoryBudgetExceeded| {
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
            // This is how the library hands over a number with all its digits.
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

/// The name under which `serde_json` hands over a number.
const NUMBER: &str = "$serde_json::private::Number";
/// A map with its first node, of eleven members.
const OBJECT: usize = 640;
/// A name, and the part of another node.
const MEMBER: usize = 64;
/// A place in a list that grows by doubling.
const ITEM: usize = 64;
/// A number that the library did not hand over as a text; as a value it is one.
const NUMBER_TEXT: usize = TEXT + 24;
/// A text that is not empty, without its characters.
const TEXT: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_before_they_are_made() {
        let left = |text: &str| {
            let mut budget = MemoryBudget::with_bytes(10_000);
            budget.json(text).ok().map(|()| budget.0)
        };
        assert_eq!(left("[1.50, null, \"abc\"]"), Some(10_000 - 4 * 64 - (16 + 4) - (16 + 3)));
        assert_eq!(left("{\"a\": {\"b\": true}}"), Some(10_000 - 64 - 2 * (640 + 64 + 1)));
        assert_eq!(left("{\"a\":1}\n{\"a\":2}"), Some(10_000 - 2 * (64 + 640 + 64 + 1 + 40)));
        assert_eq!(left(&format!("[{}1]", "{\"\":0},".repeat(20))), None);
        // What is no JSON is refused by whoever reads it.
        assert_eq!(left("[[[["), Some(10_000));
    }
}
