use entracte_domain::time::Millis;

settings! {
    /// Settings of the files in conversations.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FileSettings {
        /// The maximum size of a file, in bytes (`files.max_bytes`).
        pub max_bytes: u64 = 10 * 1024 * 1024,
        /// The maximum number of files of one message, and of one result (`files.per_message`).
        pub per_message: usize = 20,
        /// The maximum number of pixels of an image, in millions (`files.megapixels`). An image that claims more is
        /// refused before anything decodes it.
        pub megapixels: u64 = 50,
        /// The maximum number of pages of a PDF (`files.pages`).
        pub pages: u64 = 100,
        /// The maximum size of the images and PDFs of one message, of one result, and of one request to a model, in bytes
        /// (`files.request_bytes`). Providers refuse a request that is larger than they take, and it would be sent again
        /// with each round.
        pub request_bytes: u64 = 20 * 1024 * 1024,
        /// The maximum size of all files of a session, in bytes (`files.session_bytes`).
        pub session_bytes: u64 = 200 * 1024 * 1024,
        /// The maximum size of all files of a workspace that no session names yet, in bytes (`files.unnamed_bytes`).
        pub unnamed_bytes: u64 = 1024 * 1024 * 1024,
        /// How long a file is kept that no session names (`files.keep_unnamed`).
        pub keep_unnamed: Millis = Millis::hours(24),
    }
}
