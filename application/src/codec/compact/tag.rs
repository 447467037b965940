//! The first byte of a value. Part of the format: a number never gets another meaning.

/// Numbers from 0 to 63, contained in the tag.
pub(super) const SMALL: u8 = 0x00;
/// Texts of at most 63 bytes; the bytes follow.
pub(super) const SHORT_TEXT: u8 = 0x40;
/// A null value.
pub(super) const NULL: u8 = 0x80;
/// `false`.
pub(super) const FALSE: u8 = 0x81;
/// `true`.
pub(super) const TRUE: u8 = 0x82;
/// A number; it follows in groups of 7 bits, lowest first.
pub(super) const NUMBER: u8 = 0x83;
/// A negative number; its distance below -1 follows as for [`NUMBER`].
pub(super) const NEGATIVE: u8 = 0x84;
/// A text; its length and its bytes follow.
pub(super) const TEXT: u8 = 0x85;
/// Bytes; their length and the bytes follow.
pub(super) const BYTES: u8 = 0x86;
/// A hash; its 32 bytes follow.
pub(super) const HASH: u8 = 0x87;
/// A list; the number of items and the items follow.
pub(super) const LIST: u8 = 0x88;
/// A map; the number of entries follows, then names and values alternate.
pub(super) const MAP: u8 = 0x89;
/// A word with a number of at least [`FREQUENT`]; the difference follows.
pub(super) const WORD: u8 = 0x8a;
/// A recurring hash; its index in the header follows.
pub(super) const RECURRING: u8 = 0x8b;
/// Lists of at most 15 items; the items follow.
pub(super) const SHORT_LIST: u8 = 0x90;
/// Maps of at most 15 entries; names and values follow alternately.
pub(super) const SHORT_MAP: u8 = 0xa0;
/// The most frequent words, their numbers contained in the tag.
pub(super) const FREQUENT_WORD: u8 = 0xb0;

/// Exclusive bound of the numbers, and lengths of texts, that a tag contains.
pub(super) const SMALL_COUNT: u8 = 64;
/// Exclusive bound of the lengths of lists and maps that a tag contains.
pub(super) const SHORT_COUNT: u8 = 16;
/// The number of words that a tag contains.
pub(super) const FREQUENT: u8 = 80;
