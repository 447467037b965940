//! What the source must keep: layers and imports, words, points of failure.

mod architecture;
mod failpoints;
mod language;
mod parsers;
