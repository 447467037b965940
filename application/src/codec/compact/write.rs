//! Encodes shapes to bytes.

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::{CompactError, RECURRING};
use super::{tag, word_table};

/// The initial capacity: the size of a small entry, so that the buffer seldom grows.
const EXPECTED: usize = 512;

/// Encodes a shape; returns its bytes and the recurring hashes in it, without duplicates.
pub(in crate::codec) fn to_vec<S: Serialize>(shape: &S) -> Result<(Vec<u8>, Vec<[u8; 32]>), CompactError> {
    let mut writer =
        CompactWriter { bytes: Vec::with_capacity(EXPECTED), recurring: Vec::new(), is_recurring: false };
    shape.serialize(&mut writer)?;
    Ok((writer.bytes, writer.recurring))
}

/// The tags of a number: it is contained in a small one if it is below `small_count`.
struct NumberTags {
    small: u8,
    small_count: u8,
    large: u8,
}

struct CompactWriter {
    bytes: Vec<u8>,
    /// The recurring hashes that the shape refers to by index.
    recurring: Vec<[u8; 32]>,
    /// Whether the next value is a recurring hash.
    is_recurring: bool,
}

impl CompactWriter {
    /// Writes groups of 7 bits, lowest first, all but the last with their high bit set.
    fn groups(&mut self, mut number: u64) {
        while number > 0x7f {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }

    /// Writes a tag that contains the number if it fits, otherwise the larger tag followed by the number.
    fn counted(&mut self, tags: NumberTags, number: u64) {
        match u8::try_from(number) {
            Ok(number) if number < tags.small_count => self.bytes.push(tags.small + number),
            Ok(_) | Err(_) => {
                self.bytes.push(tags.large);
                self.groups(number);
            }
        }
    }

    fn number(&mut self, number: u64) {
        self.counted(
            NumberTags { small: tag::SMALL, small_count: tag::SMALL_COUNT, large: tag::NUMBER },
            number,
        );
    }

    fn list(&mut self, length: usize) {
        let tags = NumberTags { small: tag::SHORT_LIST, small_count: tag::SHORT_COUNT, large: tag::LIST };
        self.counted(tags, length as u64);
    }

    fn map(&mut self, length: usize) {
        let tags = NumberTags { small: tag::SHORT_MAP, small_count: tag::SHORT_COUNT, large: tag::MAP };
        self.counted(tags, length as u64);
    }

    /// Writes a text; a built-in word is written as its number.
    fn text(&mut self, text: &str) {
        if let Some(word) = word_table::word_number(text) {
            return self.word(word);
        }
        let tags = NumberTags { small: tag::SHORT_TEXT, small_count: tag::SMALL_COUNT, large: tag::TEXT };
        self.counted(tags, text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn word(&mut self, number: u16) {
        match u8::try_from(number) {
            Ok(number) if number < tag::FREQUENT => self.bytes.push(tag::FREQUENT_WORD + number),
            Ok(_) | Err(_) => {
                self.bytes.push(tag::WORD);
                self.groups(u64::from(number - u16::from(tag::FREQUENT)));
            }
        }
    }

    /// Writes a recurring hash as its index among those of this shape.
    fn recurring(&mut self, hash: [u8; 32]) {
        let known = self.recurring.iter().position(|known| *known == hash);
        match u8::try_from(known.unwrap_or(self.recurring.len())) {
            Ok(place) => {
                if known.is_none() {
                    self.recurring.push(hash);
                }
                self.bytes.extend_from_slice(&[tag::RECURRING, place]);
            }
            // Longer than any known case: the hash is written in place.
            Err(_) => self.hash(&hash),
        }
    }

    fn hash(&mut self, hash: &[u8; 32]) {
        self.bytes.push(tag::HASH);
        self.bytes.extend_from_slice(hash);
    }

    /// Writes the name of a field or a variant.
    fn name(&mut self, name: &'static str) {
        #[cfg(test)]
        super::tests::note(name);
        self.text(name);
    }

    /// Writes the name of a variant with content.
    fn variant(&mut self, name: &'static str) {
        self.map(1);
        self.name(name);
    }
}

impl Serializer for &mut CompactWriter {
    type Ok = ();
    type Error = CompactError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), CompactError> {
        self.bytes.push(if value { tag::TRUE } else { tag::FALSE });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), CompactError> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result<(), CompactError> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result<(), CompactError> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i64(self, value: i64) -> Result<(), CompactError> {
        match u64::try_from(value) {
            Ok(value) => self.number(value),
            Err(_) => {
                self.bytes.push(tag::NEGATIVE);
                self.groups(!value.cast_unsigned());
            }
        }
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), CompactError> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<(), CompactError> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<(), CompactError> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), CompactError> {
        self.number(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), CompactError> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, _: f64) -> Result<(), CompactError> {
        Err(CompactError::custom("numbers of people are kept as they were written, others are whole"))
    }

    fn serialize_char(self, value: char) -> Result<(), CompactError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), CompactError> {
        self.text(text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), CompactError> {
        let is_recurring = std::mem::take(&mut self.is_recurring);
        match <&[u8; 32]>::try_from(bytes) {
            Ok(hash) if is_recurring => self.recurring(*hash),
            Ok(hash) => self.hash(hash),
            Err(_) => {
                self.bytes.push(tag::BYTES);
                self.groups(bytes.len() as u64);
                self.bytes.extend_from_slice(bytes);
            }
        }
        Ok(())
    }

    fn serialize_none(self) -> Result<(), CompactError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), CompactError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), CompactError> {
        self.bytes.push(tag::NULL);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), CompactError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<(), CompactError> {
        self.name(name);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), CompactError> {
        self.is_recurring = name == RECURRING;
        value.serialize(&mut *self)?;
        self.is_recurring = false;
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), CompactError> {
        self.variant(name);
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, CompactError> {
        self.list(length.ok_or_else(unknown_length)?);
        Ok(self)
    }

    fn serialize_tuple(self, length: usize) -> Result<Self, CompactError> {
        self.list(length);
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Self, CompactError> {
        self.serialize_tuple(length)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Self, CompactError> {
        self.variant(name);
        self.serialize_tuple(length)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, CompactError> {
        self.map(length.ok_or_else(unknown_length)?);
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Self, CompactError> {
        self.map(length);
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Self, CompactError> {
        self.variant(name);
        self.map(length);
        Ok(self)
    }
}

fn unknown_length() -> CompactError {
    CompactError::new("the length of a list is not known before it is written")
}

/// Implements a serde trait for a sequence whose items are written as they come.
macro_rules! items {
    ($($holder:ident: $method:ident),* $(,)?) => { $(
        impl $holder for &mut CompactWriter {
            type Ok = ();
            type Error = CompactError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CompactError> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), CompactError> {
                Ok(())
            }
        }
    )* };
}

items! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

/// Implements a serde trait for values that are written under field names.
macro_rules! fields {
    ($($holder:ident),* $(,)?) => { $(
        impl $holder for &mut CompactWriter {
            type Ok = ();
            type Error = CompactError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), CompactError> {
                self.name(name);
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), CompactError> {
                Ok(())
            }
        }
    )* };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for &mut CompactWriter {
    type Ok = ();
    type Error = CompactError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), CompactError> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CompactError> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), CompactError> {
        Ok(())
    }
}
