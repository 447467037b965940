//! The first byte of a value. Part of the format: a number is never given another meaning.

/// Numbers from 0 to 63.
pub(super) const SMALL: u8 = 0x00;
/// Texts of at most 63 bytes; they follow.
pub(super) const SHORT_TEXT: u8 = 0x40;
/// Nothing.
pub(super) const NULL: u8 = 0x80;
/// `false`.
pub(super) const FALSE: u8 = 0x81;
/// `true`.
pub(super) const TRUE: u8 = 0x82;
/// A number; its groups of 7 bits follow, the low ones first.
pub(super) const NUMBER: u8 = 0x83;
/// A number below 0; what it lacks to -1 follows in the same way.
pub(super) const NEGATIVE: u8 = 0x84;
/// A text; its length follows, then the text.
pub(super) const TEXT: u8 = 0x85;
/// Bytes; their length follows, then they.
pub(super) const BYTES: u8 = 0x86;
/// A hash: 32 bytes follow.
pub(super) const HASH: u8 = 0x87;
/// A list; how many items it has follows, then they.
pub(super) const LIST: u8 = 0x88;
/// Names with values; how many follows, then they in turn.
pub(super) const MAP: u8 = 0x89;
/// A word whose number is at least [`FREQUENT`]; how much more follows.
pub(super) const WORD: u8 = 0x8a;
/// A hash that recurs, and stands before the shape; its place there follows.
pub(super) const RECURRING: u8 = 0x8b;
/// Lists of at most 15 items; they follow.
pub(super) const SHORT_LIST: u8 = 0x90;
/// At most 15 names with values; they follow in turn.
pub(super) const SHORT_MAP: u8 = 0xa0;
/// The most frequent words.
pub(super) const FREQUENT_WORD: u8 = 0xb0;

/// How many numbers, and lengths of texts, are in their tag.
pub(super) const SMALL_COUNT: u8 = 64;
/// How many lengths of lists and maps are.
pub(super) const SHORT_COUNT: u8 = 16;
/// How many words are.
pub(super) const FREQUENT: u8 = 80;
