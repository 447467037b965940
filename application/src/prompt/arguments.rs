//! Arguments of a command in words.
