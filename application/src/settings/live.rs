//! How much of what models say is kept while they speak.

/// How much of what models say is kept while they speak. Beyond it, readers get the rest when it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveBounds {
    /// Bytes of the text of one attempt (`stream.text_bytes`).
    pub text: usize,
    /// Bytes of the reasoning of one attempt (`stream.reasoning_bytes`).
    pub thoughts: usize,
    /// Bytes of all of it, in a process (`stream.total_bytes`).
    pub total: usize,
}

impl Default for LiveBounds {
    fn default() -> Self {
        Self { text: 1024 * 1024, thoughts: 256 * 1024, total: 64 * 1024 * 1024 }
    }
}
