//! What the source must keep: layers and imports, names, words, points of failure.

mod architecture;
mod failpoints;
mod language;
mod names;
mod parsers;
mod syntax;
