//! Reads shapes that a member tells apart. serde keeps the members of such a shape in a buffer until it knows which one
//! it is, and raw JSON cannot pass through that: here they are kept as text.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object, each as text.
pub(crate) struct RawMembers(BTreeMap<String, Box<RawValue>>);

impl RawMembers {
    /// Reads the members of an object. A member that stands twice is a fault: the second would be used, and the first
    /// be what a person saw.
    pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }

    /// Takes a required member out.
    pub(crate) fn take<T: DeserializeOwned, E: Error>(&mut self, name: &'static str) -> Result<T, E> {
        let member = self.0.remove(name).ok_or_else(|| E::missing_field(name))?;
        serde_json::from_str(member.get()).map_err(|fault| inner_fault(&fault))
    }

    /// Reads a shape from the members that are left.
    pub(crate) fn into_shape<T: DeserializeOwned, E: Error>(self) -> Result<T, E> {
        let text = serde_json::to_string(&self.0).map_err(E::custom)?;
        serde_json::from_str(&text).map_err(|fault| inner_fault(&fault))
    }

    /// Whether the tag is one of these words.
    pub(crate) fn has_tag(&self, tag: &str, words: &[&str]) -> bool {
        self.0.get(tag).is_some_and(|word| words.contains(&word.get().trim_matches('"')))
    }

    /// The text of an enum that serde tags from outside: `{"kind": "a", "b": 1}` becomes `{"a": {"b": 1}}`, and the word
    /// alone for a variant without fields.
    pub(crate) fn externally_tagged<E: Error>(
        mut self,
        tag: &'static str,
        units: &[&str],
    ) -> Result<String, E> {
        let word = self.0.remove(tag).ok_or_else(|| E::missing_field(tag))?;
        if units.iter().any(|unit| word.get().trim_matches('"') == *unit) {
            return Ok(word.get().to_owned());
        }
        let members = serde_json::to_string(&self.0).map_err(E::custom)?;
        Ok(format!("{{{}:{members}}}", word.get()))
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = RawMembers;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut access: M) -> Result<RawMembers, M::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, member)) = access.next_entry::<String, Box<RawValue>>()? {
            if members.contains_key(&name) {
                return Err(M::Error::custom(format_args!("duplicate field `{name}`")));
            }
            members.insert(name, member);
        }
        Ok(RawMembers(members))
    }
}

/// A fault of a part, whose place in its own text would be taken for one in the whole.
pub(crate) fn inner_fault<E: Error>(fault: &serde_json::Error) -> E {
    let says = fault.to_string();
    E::custom(says.split(" at line ").next().unwrap_or(&says))
}

/// Declares an enum that is written with a tag among its members, and read without serde's buffer through a mirror of the
/// same variants, which serde tags from outside. `units` are the words of variants without fields. A word that is not among
/// those of an `else` becomes its variant, whatever other members there are. What the macro takes are items, so that tools
/// which read the source find the enum.
macro_rules! read_by_tag {
    (
        $(#[$($own:tt)*])*
        $vis:vis enum $name:ident { $($variants:tt)* }

        $(#[$($mirrored:tt)*])*
        mirror! {
            $mirror:ident by $tag:literal, units [$($unit:literal),*], [$($word:literal),*] else $other:ident
        }
    ) => {
        $(#[$($own)*])*
        $vis enum $name { $($variants)* }

        $(#[$($mirrored)*])*
        enum $mirror { $($variants)* }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let members = $crate::shapes::tagged::RawMembers::read(deserializer)?;
                if !members.has_tag($tag, &[$($unit,)* $($word),*]) {
                    return Ok($name::$other);
                }
                let text = members.externally_tagged::<D::Error>($tag, &[$($unit),*])?;
                let mut reader = serde_json::Deserializer::from_str(&text);
                $mirror::deserialize(&mut reader).map_err(|fault| $crate::shapes::tagged::inner_fault(&fault))
            }
        }
    };
    (
        $(#[$($own:tt)*])*
        $vis:vis enum $name:ident { $($variants:tt)* }

        $(#[$($mirrored:tt)*])*
        mirror! { $mirror:ident by $tag:literal, units [$($unit:literal),*] }
    ) => {
        $(#[$($own)*])*
        $vis enum $name { $($variants)* }

        $(#[$($mirrored)*])*
        enum $mirror { $($variants)* }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let members = $crate::shapes::tagged::RawMembers::read(deserializer)?;
                let text = members.externally_tagged::<D::Error>($tag, &[$($unit),*])?;
                let mut reader = serde_json::Deserializer::from_str(&text);
                $mirror::deserialize(&mut reader).map_err(|fault| $crate::shapes::tagged::inner_fault(&fault))
            }
        }
    };
}
pub(crate) use read_by_tag;

#[cfg(test)]
mod tests {
    use entracte_application::json_value::ExactJson;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    read_by_tag! {
        /// A thing.
        #[derive(Debug, PartialEq, Serialize)]
        #[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
        enum Thing {
            /// Nothing of it is told.
            Plain,
            /// With a size.
            Sized {
                /// In metres.
                size: u32,
                /// Its name.
                #[serde(default)]
                name: Option<String>,
            },
        }

        #[derive(Deserialize)]
        #[serde(remote = "Thing", rename_all = "snake_case", deny_unknown_fields)]
        mirror! { ThingByKind by "kind", units ["plain"] }
    }

    read_by_tag! {
        /// News.
        #[derive(Debug, PartialEq, Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        enum News {
            /// Nothing.
            Quiet,
            /// A number.
            Counted {
                /// It.
                count: ExactJson,
            },
            /// Of a later version.
            Other,
        }

        #[derive(Deserialize)]
        #[serde(remote = "News", rename_all = "snake_case")]
        mirror! { NewsByType by "type", units ["quiet", "other"], ["counted"] else Other }
    }

    /// Input: numbers with more digits than a machine number has, and a word of a later version; expected: each is read.
    #[test]
    fn unknown_word_is_the_other_variant() {
        let read = |text: &str| serde_json::from_str::<News>(text).unwrap();
        let counted = r#"{"type":"counted","count":12345678901234567890.12}"#;
        assert_eq!(serde_json::to_string(&read(counted)).unwrap(), counted);
        assert_eq!(read(r#"{"type":"quiet","more":1}"#), News::Quiet);
        for other in [r#"{"type":"loud","more":1e999}"#, r#"{"count":1}"#, r#"{"type":7}"#] {
            assert_eq!(read(other), News::Other, "{other}");
        }
        assert!(serde_json::from_str::<News>(r#"{"type":"counted"}"#).is_err());
    }

    fn fault(text: &str) -> String {
        serde_json::from_str::<Thing>(text).unwrap_err().to_string()
    }

    #[test]
    fn tagged_shape_is_read_as_it_is_written() {
        for thing in [Thing::Plain, Thing::Sized { size: 3, name: Some("“a” \u{1}".into()) }] {
            let text = serde_json::to_string(&thing).unwrap();
            assert_eq!(serde_json::from_str::<Thing>(&text).unwrap(), thing);
            assert_eq!(
                serde_json::from_value::<Thing>(serde_json::to_value(&thing).unwrap()).unwrap(),
                thing
            );
        }
        let read: Thing = serde_json::from_value(json!({ "size": 1, "kind": "sized" })).unwrap();
        assert_eq!(read, Thing::Sized { size: 1, name: None });
    }

    #[test]
    fn faults_are_told_as_serde_tells_them() {
        assert!(fault(r#"{"size":1}"#).starts_with("missing field `kind`"));
        assert!(
            fault(r#"{"kind":"round"}"#).starts_with("unknown variant `round`, expected `plain` or `sized`")
        );
        assert!(fault(r#"{"kind":"sized"}"#).starts_with("missing field `size`"));
        assert!(fault(r#"{"kind":"sized","size":1,"size":2}"#).starts_with("duplicate field `size`"));
        assert!(fault(r#"{"kind":"sized","size":1,"more":2}"#).starts_with("unknown field `more`, expected"));
        assert!(
            fault(r#"{"kind":"sized","size":"x"}"#).starts_with("invalid type: string \"x\", expected u32")
        );
    }
}
