//! Level 1 is made of chunks, each about one thing, with an importance.

/// How much a chunk matters. A small model may be spared the lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Importance {
    /// Helps to work well.
    Helpful,
    /// Without it the model makes mistakes that cost rounds.
    Needed,
    /// Without it the model cannot work at all.
    Vital,
}

/// A part of level 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its name, for settings.
    pub name: &'static str,
    /// How much it matters.
    pub importance: Importance,
    /// What the model reads.
    pub text: String,
}
