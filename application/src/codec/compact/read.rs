//! Decodes shapes from bytes. Arbitrary bytes cause at worst an error.

use serde::Deserialize;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::CompactError;
use super::{tag, word_table};

/// The maximum nesting depth of lists and maps; no shape is nested deeper.
const DEPTH_MAX: u32 = 128;

/// Decodes a shape; `recurring` are the hashes from the header in front of it.
pub(in crate::codec) fn from_slice<'de, S: Deserialize<'de>>(
    bytes: &'de [u8],
    recurring: &'de [[u8; 32]],
) -> Result<S, CompactError> {
    let mut reader = CompactReader { rest: bytes, recurring, depth: 0 };
    let shape = S::deserialize(&mut reader)?;
    match reader.rest.len() {
        0 => Ok(shape),
        more => Err(CompactError::new(format!("{more} bytes follow its end"))),
    }
}

struct CompactReader<'de> {
    rest: &'de [u8],
    recurring: &'de [[u8; 32]],
    depth: u32,
}

/// The type of a value, with the part of its content that is in its header.
enum CompactValueHeader<'de> {
    Null,
    Bool(bool),
    Number(u64),
    Negative(i64),
    Text(&'de str),
    Bytes(&'de [u8]),
    List(u64),
    Map(u64),
}

impl<'de> CompactReader<'de> {
    fn byte(&mut self) -> Result<u8, CompactError> {
        let (first, rest) = self.rest.split_first().ok_or_else(truncated_input_error)?;
        self.rest = rest;
        Ok(*first)
    }

    fn bytes(&mut self, length: u64) -> Result<&'de [u8], CompactError> {
        let length = usize::try_from(length).map_err(|_| truncated_input_error())?;
        let (found, rest) = self.rest.split_at_checked(length).ok_or_else(truncated_input_error)?;
        self.rest = rest;
        Ok(found)
    }

    fn text(&mut self, length: u64) -> Result<&'de str, CompactError> {
        std::str::from_utf8(self.bytes(length)?).map_err(|error| CompactError::new(error.to_string()))
    }

    fn groups(&mut self) -> Result<u64, CompactError> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let group = u64::from(byte & 0x7f);
            let shifted = group << shift;
            if shifted >> shift != group {
                break;
            }
            number |= shifted;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(CompactError::new("a number is too large"))
    }

    fn head(&mut self) -> Result<CompactValueHeader<'de>, CompactError> {
        let first = self.byte()?;
        Ok(match first {
            tag::SMALL..tag::SHORT_TEXT => CompactValueHeader::Number(u64::from(first)),
            tag::SHORT_TEXT..tag::NULL => {
                CompactValueHeader::Text(self.text(u64::from(first - tag::SHORT_TEXT))?)
            }
            tag::NULL => CompactValueHeader::Null,
            tag::FALSE => CompactValueHeader::Bool(false),
            tag::TRUE => CompactValueHeader::Bool(true),
            tag::NUMBER => CompactValueHeader::Number(self.groups()?),
            tag::NEGATIVE => {
                let lacks = i64::try_from(self.groups()?);
                CompactValueHeader::Negative(!lacks.map_err(|_| CompactError::new("a number is too small"))?)
            }
            tag::TEXT => {
                let length = self.groups()?;
                CompactValueHeader::Text(self.text(length)?)
            }
            tag::BYTES => {
                let length = self.groups()?;
                CompactValueHeader::Bytes(self.bytes(length)?)
            }
            tag::HASH => CompactValueHeader::Bytes(self.bytes(32)?),
            tag::RECURRING => {
                let hash = self.recurring.get(usize::from(self.byte()?));
                CompactValueHeader::Bytes(
                    hash.ok_or_else(|| CompactError::new("a hash that recurs does not stand before it"))?,
                )
            }
            tag::LIST => CompactValueHeader::List(self.groups()?),
            tag::MAP => CompactValueHeader::Map(self.groups()?),
            tag::WORD => {
                CompactValueHeader::Text(word(self.groups()?.saturating_add(u64::from(tag::FREQUENT)))?)
            }
            tag::SHORT_LIST..tag::SHORT_MAP => CompactValueHeader::List(u64::from(first - tag::SHORT_LIST)),
            tag::SHORT_MAP..tag::FREQUENT_WORD => CompactValueHeader::Map(u64::from(first - tag::SHORT_MAP)),
            tag::FREQUENT_WORD..=u8::MAX => {
                CompactValueHeader::Text(word(u64::from(first - tag::FREQUENT_WORD))?)
            }
            other => return Err(CompactError::new(format!("a value begins with {other:#04x}"))),
        })
    }

    /// Reads the content of a list or a map, checking the nesting depth.
    fn read_nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, CompactError>,
    ) -> Result<T, CompactError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(CompactError::new("lists and objects are nested too deeply"));
        }
        let found = read(self);
        self.depth -= 1;
        found
    }
}

fn truncated_input_error() -> CompactError {
    CompactError::new("it is cut short")
}

fn word(number: u64) -> Result<&'static str, CompactError> {
    word_table::word_by_number(number)
        .ok_or_else(|| CompactError::new(format!("it has the word {number}, which a newer Entracte knows")))
}

impl<'de> Deserializer<'de> for &mut CompactReader<'de> {
    type Error = CompactError;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        match self.head()? {
            CompactValueHeader::Null => visitor.visit_unit(),
            CompactValueHeader::Bool(value) => visitor.visit_bool(value),
            CompactValueHeader::Number(number) => visitor.visit_u64(number),
            CompactValueHeader::Negative(number) => visitor.visit_i64(number),
            CompactValueHeader::Text(text) => visitor.visit_borrowed_str(text),
            CompactValueHeader::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            CompactValueHeader::List(left) => self.read_nested(|reader| {
                let mut items = CompactSequenceReader { reader, left };
                let value = visitor.visit_seq(&mut items)?;
                items.end(value)
            }),
            CompactValueHeader::Map(left) => self.read_nested(|reader| {
                let mut items = CompactSequenceReader { reader, left };
                let value = visitor.visit_map(&mut items)?;
                items.end(value)
            }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        match self.rest.split_first() {
            Some((&tag::NULL, rest)) => {
                self.rest = rest;
                visitor.visit_none()
            }
            Some(_) | None => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, CompactError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CompactError> {
        match self.head()? {
            CompactValueHeader::Text(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
            CompactValueHeader::Map(1) => {
                self.read_nested(|reader| visitor.visit_enum(CompactVariantReader { reader }))
            }
            CompactValueHeader::Null
            | CompactValueHeader::Bool(_)
            | CompactValueHeader::Number(_)
            | CompactValueHeader::Negative(_)
            | CompactValueHeader::Bytes(_)
            | CompactValueHeader::List(_)
            | CompactValueHeader::Map(_) => Err(CompactError::new("a variant has no name")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The remaining items of a list or a map.
struct CompactSequenceReader<'a, 'de> {
    reader: &'a mut CompactReader<'de>,
    left: u64,
}

impl<'de> CompactSequenceReader<'_, 'de> {
    /// Counts down one item; returns whether there was one.
    fn next(&mut self) -> bool {
        let is_one = self.left > 0;
        self.left -= u64::from(is_one);
        is_one
    }

    fn end<T>(self, value: T) -> Result<T, CompactError> {
        match self.left {
            0 => Ok(value),
            more => Err(CompactError::new(format!("a list has {more} items more than expected"))),
        }
    }

    fn expected(&self) -> Option<usize> {
        usize::try_from(self.left).ok()
    }
}

impl<'de> SeqAccess<'de> for CompactSequenceReader<'_, 'de> {
    type Error = CompactError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, CompactError> {
        if self.next() { seed.deserialize(&mut *self.reader).map(Some) } else { Ok(None) }
    }

    fn size_hint(&self) -> Option<usize> {
        self.expected()
    }
}

impl<'de> MapAccess<'de> for CompactSequenceReader<'_, 'de> {
    type Error = CompactError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, CompactError> {
        if self.next() { seed.deserialize(&mut *self.reader).map(Some) } else { Ok(None) }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, CompactError> {
        seed.deserialize(&mut *self.reader)
    }

    fn size_hint(&self) -> Option<usize> {
        self.expected()
    }
}

/// An enum variant with content.
struct CompactVariantReader<'a, 'de> {
    reader: &'a mut CompactReader<'de>,
}

impl<'de> EnumAccess<'de> for CompactVariantReader<'_, 'de> {
    type Error = CompactError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), CompactError> {
        let name = seed.deserialize(&mut *self.reader)?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for CompactVariantReader<'_, 'de> {
    type Error = CompactError;

    fn unit_variant(self) -> Result<(), CompactError> {
        <()>::deserialize(self.reader)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, CompactError> {
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, CompactError> {
        self.reader.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CompactError> {
        self.reader.deserialize_any(visitor)
    }
}
