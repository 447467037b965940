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
        /// The maximum number of pixels of the longer side of an image that models get (`files.model_image_side`); a
        /// larger image is stored as it is, and scaled down for them. Claude takes no longer side in a request of more
        /// than 20 images, and no model looks at much more.
        pub model_image_side: u32 = 2_000,
        /// The maximum size of an image that models get, in bytes (`files.model_image_bytes`); a larger one is scaled down
        /// for them. As much is 5 MiB in base64, which is the most that Claude takes.
        pub model_image_bytes: u64 = 3_932_160,
        /// The maximum number of pages of a PDF (`files.pages`).
        pub pages: u64 = 100,
        /// The maximum size of the images and PDFs of one message, of one result, and of one request to a model, in bytes
        /// (`files.request_bytes`); an image has the size that models get. Providers refuse a request that is larger than
        /// they take, and it would be sent again with each round.
        pub request_bytes: u64 = 20 * 1024 * 1024,
        /// The maximum size of all files of a session, in bytes (`files.session_bytes`).
        pub session_bytes: u64 = 200 * 1024 * 1024,
        /// The maximum size of all files of a workspace that no session names yet, in bytes (`files.unnamed_bytes`).
        pub unnamed_bytes: u64 = 1024 * 1024 * 1024,
        /// How long a file is kept that no session names (`files.keep_unnamed`).
        pub keep_unnamed: Millis = Millis::hours(24),
    }
}
