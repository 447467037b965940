use entracte_domain::time::Millis;

use super::ReaderSettings;

settings! {
    /// How large chunks are, in characters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ChunkSizeBounds {
        /// What a chunk should have.
        pub wanted: usize = 1_200,
        /// What it has at most: code and tables are kept whole up to it.
        pub most: usize = 2_000,
        /// What pieces of one paragraph have in common.
        pub overlap: usize = 150,
    }
}

settings! {
    /// Settings of documents and of the search in them.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct KnowledgeSettings {
        /// Whether models may search the documents of their workspace (`knowledge.commands`).
        pub commands: bool = true,
        /// The most documents of a workspace (`knowledge.documents`).
        pub documents: u64 = 10_000,
        /// The largest document, in bytes, as it comes and as it is kept (`knowledge.document_bytes`).
        pub document_bytes: u64 = 10 * 1024 * 1024,
        /// What a chunk should have, in characters (`knowledge.chunk_chars`).
        pub chunk_chars: usize = ChunkSizeBounds::default().wanted,
        /// What a chunk has at most: code and tables are kept whole up to it (`knowledge.chunk_max_chars`).
        pub chunk_max_chars: usize = ChunkSizeBounds::default().most,
        /// What the pieces of a long paragraph have in common, in characters (`knowledge.chunk_overlap`).
        pub chunk_overlap: usize = ChunkSizeBounds::default().overlap,
        /// How long reading one document may take (`knowledge.read_timeout`).
        pub read_timeout: Millis = Millis::seconds(30),
        /// How many documents are read at once (`knowledge.readers`).
        pub readers: usize = 2,
        /// How deep folders are followed (`knowledge.folder_depth`).
        pub folder_depth: usize = 16,
        /// The most files of a folder that are looked at (`knowledge.folder_files`).
        pub folder_files: usize = 20_000,
        /// What a search gives, unless it says otherwise (`knowledge.results`).
        pub results: usize = 5,
        /// The most chunks of one document in what a search gives (`knowledge.results_per_document`).
        pub results_per_document: usize = 2,
        /// The longest snippet of what was found, in characters (`knowledge.snippet_chars`).
        pub snippet_chars: usize = 240,
        /// What reading one document may take (`reader.…`).
        pub reader: ReaderSettings = ReaderSettings::default(),
    }
}

impl KnowledgeSettings {
    /// The most that a search gives, whatever it says.
    pub const RESULTS_MAX: usize = 50;

    /// How large chunks are.
    pub fn sizes(&self) -> ChunkSizeBounds {
        ChunkSizeBounds { wanted: self.chunk_chars, most: self.chunk_max_chars, overlap: self.chunk_overlap }
    }
}
