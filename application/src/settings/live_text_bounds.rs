//! How much of what models say is kept while they speak.

settings! {
    /// How much of what models say is kept while they speak. Beyond it, readers get the rest when it is stored.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LiveTextBounds {
        /// Bytes of the text of one attempt (`stream.text_bytes`).
        pub text: usize = 1024 * 1024,
        /// Bytes of the reasoning of one attempt (`stream.reasoning_bytes`).
        pub thoughts: usize = 256 * 1024,
        /// Bytes of all of it, in a process (`stream.total_bytes`).
        pub total: usize = 64 * 1024 * 1024,
    }
}
