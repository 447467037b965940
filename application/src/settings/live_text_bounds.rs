//! The limits of live text held in memory.

settings! {
    /// The limits of live text held in memory. Beyond them, readers get the rest once it is stored.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LiveTextBounds {
        /// Bytes of the text of one attempt (`stream.text_bytes`).
        pub text: usize = 1024 * 1024,
        /// Bytes of the reasoning of one attempt (`stream.reasoning_bytes`).
        pub thoughts: usize = 256 * 1024,
        /// Bytes of all live text in a process (`stream.total_bytes`).
        pub total: usize = 64 * 1024 * 1024,
    }
}
