use entracte_domain::time::Millis;

use super::{OcrSettings, ReaderSettings};

settings! {
    /// The sizes of chunks, in characters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ChunkSizeBounds {
        /// The preferred size.
        pub wanted: usize = 1_200,
        /// The maximum size, up to which code and tables are not split.
        pub most: usize = 2_000,
        /// The overlap of the pieces of one paragraph.
        pub overlap: usize = 150,
    }
}

settings! {
    /// Settings of documents and their search.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct KnowledgeSettings {
        /// Whether models may search the documents of their workspace (`knowledge.commands`).
        pub commands: bool = true,
        /// The maximum number of documents in a workspace (`knowledge.documents`).
        pub documents: u64 = 10_000,
        /// The maximum size of a document in bytes, original and converted (`knowledge.document_bytes`).
        pub document_bytes: u64 = 10 * 1024 * 1024,
        /// The preferred size of a chunk, in characters (`knowledge.chunk_chars`).
        pub chunk_chars: usize = ChunkSizeBounds::default().wanted,
        /// The maximum size of a chunk, up to which code and tables are not split (`knowledge.chunk_max_chars`).
        pub chunk_max_chars: usize = ChunkSizeBounds::default().most,
        /// The overlap of the pieces of a long paragraph, in characters (`knowledge.chunk_overlap`).
        pub chunk_overlap: usize = ChunkSizeBounds::default().overlap,
        /// The time limit of converting one document by the clock, without the wait for its turn
        /// (`knowledge.read_timeout`). The last resort: `reader.cpu` bounds the work.
        pub read_timeout: Millis = Millis::minutes(10),
        /// The maximum number of concurrent conversions (`knowledge.readers`).
        pub readers: usize = 2,
        /// The maximum number of documents that wait to be converted, of all workspaces (`knowledge.waiting`).
        pub waiting: usize = 64,
        /// The time limit of the wait for a conversion to begin, by the clock (`knowledge.wait_timeout`).
        pub wait_timeout: Millis = Millis::minutes(5),
        /// The maximum size in bytes of a document that is converted beside the queue; never a PDF
        /// (`knowledge.small_bytes`).
        pub small_bytes: u64 = 256 * 1024,
        /// The maximum number of concurrent conversions of small documents (`knowledge.small_readers`).
        pub small_readers: usize = 2,
        /// The maximum depth of nested folders (`knowledge.folder_depth`).
        pub folder_depth: usize = 16,
        /// The maximum number of files examined in a folder (`knowledge.folder_files`).
        pub folder_files: usize = 20_000,
        /// The default number of search results (`knowledge.results`).
        pub results: usize = 5,
        /// The maximum number of chunks of one document in the search results (`knowledge.results_per_document`).
        pub results_per_document: usize = 2,
        /// The maximum length of a result's snippet, in characters (`knowledge.snippet_chars`).
        pub snippet_chars: usize = 240,
        /// The resource limits of converting one document (`reader.…`).
        pub reader: ReaderSettings = ReaderSettings::default(),
        /// The program that recognises words in pictures (`reader.ocr…`).
        pub ocr: OcrSettings = OcrSettings::default(),
    }
}

impl KnowledgeSettings {
    /// The maximum number of results a search may request.
    pub const RESULTS_MAX: usize = 50;

    /// The sizes of chunks.
    pub fn sizes(&self) -> ChunkSizeBounds {
        ChunkSizeBounds { wanted: self.chunk_chars, most: self.chunk_max_chars, overlap: self.chunk_overlap }
    }
}
