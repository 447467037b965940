//! Counts the memory that the values of a document would take, before they are built.

use entracte_application::json_value::JsonTokens;
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
            self.value(value.get())?;
        }
        Ok(())
    }

    /// Takes the cost of one value that is an item of a list, with all its parts.
    fn value(&mut self, text: &str) -> Result<(), MemoryBudgetError> {
        let mut tokens = JsonTokens::new(text).map(|token| token.text).peekable();
        let mut before = "";
        while let Some(token) = tokens.next() {
            let is_name = tokens.peek() == Some(&":");
            self.spend(match token.as_bytes().first() {
                Some(b'}' | b']' | b',' | b':') | None => 0,
                Some(b'"') if is_name => {
                    let object = if before == "{" { OBJECT } else { 0 };
                    object + MEMBER + quoted_len(token)
                }
                Some(b'"') => value_place(before) + TEXT + quoted_len(token),
                Some(b'-' | b'0'..=b'9') => value_place(before) + TEXT + token.len(),
                Some(_) => value_place(before),
            })?;
            before = token;
        }
        Ok(())
    }
}

/// The bytes of the place of a value behind this token: a member has its own with its name.
fn value_place(before: &str) -> usize {
    if before == ":" { 0 } else { ITEM }
}

/// The most bytes of a text in quotes, which is not longer without its escapes.
fn quoted_len(token: &str) -> usize {
    token.len().saturating_sub(2)
}

/// The bytes of a map with its first node, of eleven members.
const OBJECT: usize = 640;
/// The bytes of a member name and its share of a further node.
const MEMBER: usize = 64;
/// The bytes of an item in a list that grows by doubling.
const ITEM: usize = 64;
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
        // However deep it is, each part is counted once.
        let deep = |depth: usize| format!("{}\"abc\"{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(left(&deep(100)), Some(10_000 - 101 * 64 - (16 + 3)));
        assert_eq!(left(&deep(200)), None);
        // Invalid JSON is refused by the parser, not here.
        assert_eq!(left("[[[["), Some(10_000));
    }
}
