//! Finds a name that stands twice in one object. The parser of values keeps only the last one, so the others would be
//! lost in silence.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::memory_budget::NUMBER;

/// The first name that is repeated in the values of a text, with its place; `None` if there is none, or up to where
/// the text is no JSON.
pub(super) fn repeated_name(text: &str) -> Option<String> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut search = NameSearch { path: Vec::new(), is_found: false };
    loop {
        let read = NameVisitor(&mut search).deserialize(&mut deserializer);
        match read {
            Ok(()) => {}
            Err(fault) if search.is_found => return Some(fault.to_string()),
            Err(_) => return None,
        }
    }
}

struct NameSearch {
    /// The keys and indexes that lead to the value being read.
    path: Vec<String>,
    is_found: bool,
}

impl NameSearch {
    fn pointer(&self) -> String {
        self.path.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
    }
}

struct NameVisitor<'a>(&'a mut NameSearch);

impl<'de> DeserializeSeed<'de> for NameVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NameVisitor<'_> {
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

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            self.0.path.push(index.to_string());
            let item = items.next_element_seed(NameVisitor(self.0))?;
            self.0.path.pop();
            if item.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut names: HashSet<Cow<'de, str>> = HashSet::new();
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            if names.is_empty() && name == NUMBER {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            self.0.path.push(name.to_string());
            if !names.insert(name.clone()) {
                self.0.is_found = true;
                let place = self.0.pointer();
                return Err(Error::custom(format!("the name “{name}” stands twice, at {place}")));
            }
            members.next_value_seed(NameVisitor(self.0))?;
            self.0.path.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_name_is_found_with_its_place() {
        let found = |text: &str| repeated_name(text).unwrap_or_default();
        let text =
            "{\"rooms\": [{\"name\": \"Blue\"},\n {\"name\": \"Red\", \"beds\": 1.50, \"name\": \"Green\"}]}";
        assert_eq!(found(text), "the name “name” stands twice, at /rooms/1/name at line 2 column 37");
        assert_eq!(
            found("{\"a/b\": {\"\\u0063\": 1, \"c\": 2}}"),
            "the name “c” stands twice, at /a~1b/c at line 1 column 25"
        );
        let lines = "{\"a\": 1}\n{\"a\": 1, \"a\": 2}\n";
        assert_eq!(found(lines), "the name “a” stands twice, at /a at line 2 column 12");
        for text in
            ["[{\"a\": 1}, {\"a\": 2}]", "{\"a\": {\"a\": 1e5}, \"b\": 1}", "{\"a\": 1, \"a\"", "[", ""]
        {
            let expected = if text.ends_with("\"a\"") { "stands twice" } else { "" };
            assert!(
                found(text).contains(expected) && found(text).is_empty() == expected.is_empty(),
                "{text}"
            );
        }
    }
}
