use entracte_domain::time::Millis;

/// How large chunks are, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSizes {
    /// What a chunk should have.
    pub wanted: usize,
    /// What it has at most: code and tables are kept whole up to it.
    pub most: usize,
    /// What pieces of one paragraph have in common.
    pub overlap: usize,
}

impl Default for ChunkSizes {
    fn default() -> Self {
        Self { wanted: 1_200, most: 2_000, overlap: 150 }
    }
}

/// Settings of documents and of the search in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeSettings {
    /// Whether models may search the documents of their workspace (`knowledge.commands`).
    pub commands: bool,
    /// The most documents of a workspace (`knowledge.documents`).
    pub documents: u64,
    /// The largest document, in bytes, as it comes and as it is kept (`knowledge.document_bytes`).
    pub document_bytes: u64,
    /// What a chunk should have, in characters (`knowledge.chunk_chars`).
    pub chunk_chars: usize,
    /// What a chunk has at most: code and tables are kept whole up to it (`knowledge.chunk_max_chars`).
    pub chunk_max_chars: usize,
    /// What the pieces of a long paragraph have in common, in characters (`knowledge.chunk_overlap`).
    pub chunk_overlap: usize,
    /// How long reading one document may take (`knowledge.read_timeout`).
    pub read_timeout: Millis,
    /// How many documents are read at once (`knowledge.readers`).
    pub readers: usize,
    /// How deep folders are followed (`knowledge.folder_depth`).
    pub folder_depth: usize,
    /// The most files of a folder that are looked at (`knowledge.folder_files`).
    pub folder_files: usize,
    /// What a search gives, unless it says otherwise (`knowledge.results`).
    pub results: usize,
    /// The most chunks of one document in what a search gives (`knowledge.results_per_document`).
    pub results_per_document: usize,
    /// The longest snippet of what was found, in characters (`knowledge.snippet_chars`).
    pub snippet_chars: usize,
}

impl KnowledgeSettings {
    /// The most that a search gives, whatever it says.
    pub const RESULTS_MAX: usize = 50;

    /// How large chunks are.
    pub fn sizes(&self) -> ChunkSizes {
        ChunkSizes { wanted: self.chunk_chars, most: self.chunk_max_chars, overlap: self.chunk_overlap }
    }
}

impl Default for KnowledgeSettings {
    fn default() -> Self {
        let sizes = ChunkSizes::default();
        Self {
            commands: true,
            documents: 10_000,
            document_bytes: 10 * 1024 * 1024,
            chunk_chars: sizes.wanted,
            chunk_max_chars: sizes.most,
            chunk_overlap: sizes.overlap,
            read_timeout: Millis::seconds(30),
            readers: 2,
            folder_depth: 16,
            folder_files: 20_000,
            results: 5,
            results_per_document: 2,
            snippet_chars: 240,
        }
    }
}
