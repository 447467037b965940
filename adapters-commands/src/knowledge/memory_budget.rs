//! Counts the memory that the values of a document would take, before they are built.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

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

    /// Takes the cost of a JSON text as a value. Invalid JSON costs nothing: parsing it reports the fault, before
    /// anything is built.
    pub(super) fn json(&mut self, text: &str) -> Result<(), MemoryBudgetError> {
        // The text is one value, or several, which become items of a list.
        for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
            let Ok(value) = value else { return Ok(()) };
            self.value(value.get(), 0)?;
            self.spend(ITEM)?;
        }
        Ok(())
    }

    /// Takes the cost of one value.
    fn value(&mut self, piece: &str, depth: usize) -> Result<(), MemoryBudgetError> {
        match piece.as_bytes().first() {
            // The parser refuses what is nested more deeply.
            Some(b'[' | b'{') if depth < DEPTH_MAX => {
                let mut is_spent = false;
                let parts = PartCostVisitor { budget: self, is_spent: &mut is_spent, depth: depth + 1 };
                let mut reader = serde_json::Deserializer::from_str(piece);
                // A piece is valid JSON, so the budget alone ends it early.
                let _counted = reader.deserialize_any(parts);
                if is_spent { Err(MemoryBudgetError) } else { Ok(()) }
            }
            // As text, a string is not longer than with its quotes and escapes.
            Some(b'"') => self.spend(TEXT + piece.len().saturating_sub(2)),
            Some(b'-' | b'0'..=b'9') => self.spend(TEXT + piece.len()),
            Some(_) | None => Ok(()),
        }
    }
}

/// Takes the cost of the parts of a list or an object, one after the other, each from its text.
struct PartCostVisitor<'a> {
    budget: &'a mut MemoryBudget,
    is_spent: &'a mut bool,
    depth: usize,
}

impl PartCostVisitor<'_> {
    fn count<E: Error>(
        &mut self,
        taken: impl FnOnce(&mut MemoryBudget) -> Result<(), MemoryBudgetError>,
    ) -> Result<(), E> {
        taken(self.budget).map_err(|MemoryBudgetError| {
            *self.is_spent = true;
            E::custom("it takes too much memory")
        })
    }
}

impl<'de> Visitor<'de> for PartCostVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let depth = self.depth;
        while let Some(item) = items.next_element::<&RawValue>()? {
            self.count(|budget| budget.value(item.get(), depth))?;
            self.count(|budget| budget.spend(ITEM))?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let depth = self.depth;
        let mut is_first = true;
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            if is_first {
                self.count(MemoryBudget::object)?;
            }
            is_first = false;
            self.count(|budget| budget.member(&name))?;
            let member = members.next_value::<&RawValue>()?;
            self.count(|budget| budget.value(member.get(), depth))?;
        }
        Ok(())
    }
}

/// The bytes of a map with its first node, of eleven members.
const OBJECT: usize = 640;
/// The bytes of a member name and its share of a further node.
const MEMBER: usize = 64;
/// The bytes of an item in a list that grows by doubling.
const ITEM: usize = 64;
/// The maximum nesting of lists and objects that the parser of documents accepts, or more.
const DEPTH_MAX: usize = 128;
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
        assert_eq!(left("{\"a\":1}\n{\"a\":2}"), Some(10_000 - 2 * (64 + 640 + 64 + 1 + (16 + 1))));
        // A number that no machine number holds does not end the count.
        assert_eq!(left(&format!("[1e999,{}1]", "{\"\":0},".repeat(20))), None);
        assert_eq!(left(&format!("[{}1]", "{\"\":0},".repeat(20))), None);
        // Invalid JSON is refused by the parser, not here.
        assert_eq!(left("[[[["), Some(10_000));
    }
}
