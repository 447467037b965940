use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::KnowledgeError;
use super::read_notes::note_reads;
use crate::knowledge::{
    CANDIDATES, ChunkFrequencies, ENOUGH, FUSED_FROM, IndexLanguage, SearchTerms, fuse, rank, snippet,
};
use crate::ports::{
    ChunkHit, Clock, DocumentChunk, KnowledgeDocument, KnowledgeStatistics, KnowledgeStore,
    SemanticRetrievalError, SemanticRetriever,
};
use crate::settings::KnowledgeSettings;

/// A found chunk, with its citation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChunkCitation {
    /// The document of the chunk.
    pub document: KnowledgeDocument,
    /// The found chunk.
    pub chunk: DocumentChunk,
    /// The relevance; comparable only within the same search.
    pub score: f64,
    /// The passage of the chunk that contains the query terms.
    pub snippet: String,
}

/// The result of a search.
#[derive(Debug)]
#[non_exhaustive]
pub struct KnowledgeSearchResult {
    /// The chunks found, best first.
    pub chunks: Vec<ChunkCitation>,
    /// The number of chunks that have no vector yet; 0 if semantic search is disabled.
    pub left: u64,
    /// Why semantic search failed, if it is enabled.
    pub text_only: Option<SemanticRetrievalError>,
    /// The number of searchable documents.
    pub documents: u64,
}

use_case! {
    /// Searches the documents of a workspace: by keywords, and semantically if enabled.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::knowledge::{IndexLanguage, terms};
    /// # example(async {
    /// let mut store = MockKnowledgeStore::new();
    /// # store.expect_library().returning(|_| {
    /// #     let languages = vec!["en".to_owned()];
    /// #     Ok(KnowledgeStatistics { documents: 1, chunks: 1, terms: 3, revision: 1, languages })
    /// # });
    /// # store.expect_frequencies().returning(|_, terms| Ok(terms.iter().map(|term| (term.clone(), 1)).collect()));
    /// # store.expect_document().returning(|_, _| Ok(Some(samples::document())));
    /// # store.expect_note_reads().returning(|_, _, _| Ok(()));
    /// store.expect_search_chunks().returning(|_, _, _| {
    ///     let chunk = samples::chunk();
    ///     let terms = terms(&chunk.text, IndexLanguage::En);
    ///     Ok(vec![ChunkCandidate { chunk, heading_terms: Vec::new(), terms }])
    /// });
    /// let clock = Arc::new(SystemClock);
    /// let search = SearchKnowledge::new(Arc::new(store), clock, None, KnowledgeSettings::default());
    /// let found = search.run(&samples::workspace(), "When does the spa open?", None).await?;
    /// assert_eq!(found.chunks[0].document.name, "spa.md");
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Reads, and notes at most once a day that a document was found: dropping it leaves nothing else behind.
    pub struct SearchKnowledge over (
        store: dyn KnowledgeStore, clock: dyn Clock
    ) with (semantic: Option<Arc<dyn SemanticRetriever>>, settings: KnowledgeSettings)
}

impl SearchKnowledge {
    /// The chunks that match a question, at most `limit`; `None` uses the configured number.
    ///
    /// # Errors
    /// [`KnowledgeError::Store`] when the database cannot be read. A failure of semantic search is not an error: see
    /// [`KnowledgeSearchResult::text_only`].
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        question: &str,
        limit: Option<usize>,
    ) -> Result<KnowledgeSearchResult, KnowledgeError> {
        let limit = limit.unwrap_or(self.settings.results).clamp(1, KnowledgeSettings::RESULTS_MAX);
        let library = self.store.library(workspace).await?;
        let mut found = KnowledgeSearchResult {
            chunks: Vec::new(),
            left: 0,
            text_only: None,
            documents: library.documents,
        };
        if library.chunks == 0 {
            return Ok(found);
        }
        let asked = SearchTerms::from_question(question, &tongues(&library));
        let mut hits = self.by_words(workspace, &asked, &library).await?;
        if let Some(semantic) = &self.semantic {
            let most = u32::try_from(FUSED_FROM).unwrap_or(u32::MAX);
            match semantic.search_chunks(workspace, question, most).await {
                Ok(by_meaning) => {
                    hits = fuse(&hits, &by_meaning.hits);
                    found.left = by_meaning.left;
                }
                Err(error) => found.text_only = Some(error),
            }
        }
        found.chunks = self.shown(workspace, hits, &asked, limit).await?;
        let documents = found.chunks.iter().map(|hit| &hit.document);
        note_reads(&*self.store, &*self.clock, workspace, documents).await;
        Ok(found)
    }

    /// The chunks that contain every term; if there are few, also those that contain the rarest terms.
    async fn by_words(
        &self,
        workspace: &WorkspaceKey,
        asked: &SearchTerms,
        library: &KnowledgeStatistics,
    ) -> Result<Vec<ChunkHit>, KnowledgeError> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let frequencies: ChunkFrequencies =
            self.store.frequencies(workspace, &asked.terms()).await?.into_iter().collect();
        let mut candidates = match asked.match_all(&frequencies) {
            Some(all) => self.store.search_chunks(workspace, &all, CANDIDATES).await?,
            None => Vec::new(),
        };
        if candidates.len() < ENOUGH
            && let Some(rarest) = asked.match_rarest(&frequencies)
        {
            candidates.append(&mut self.store.search_chunks(workspace, &rarest, CANDIDATES).await?);
        }
        Ok(rank(candidates, asked, &frequencies, library))
    }

    /// The first hits with their documents, with a maximum per document.
    async fn shown(
        &self,
        workspace: &WorkspaceKey,
        hits: Vec<ChunkHit>,
        asked: &SearchTerms,
        limit: usize,
    ) -> Result<Vec<ChunkCitation>, KnowledgeError> {
        let wanted = asked.terms();
        let mut shown = Vec::with_capacity(limit);
        let mut documents: BTreeMap<String, (KnowledgeDocument, usize)> = BTreeMap::new();
        for hit in hits {
            if shown.len() == limit {
                break;
            }
            let id = hit.chunk.document.clone();
            if !documents.contains_key(&id) {
                // The document may have been removed meanwhile.
                let Some(document) = self.store.document(workspace, &id).await? else { continue };
                documents.insert(id.clone(), (document, 0));
            }
            let Some((document, times)) = documents.get_mut(&id) else { continue };
            *times += 1;
            if *times > self.settings.results_per_document.max(1) {
                continue;
            }
            let tongue = IndexLanguage::from_word(&document.language).unwrap_or(IndexLanguage::Other);
            let snippet = snippet(&hit.chunk.text, tongue, &wanted, self.settings.snippet_chars);
            shown.push(ChunkCitation {
                document: document.clone(),
                chunk: hit.chunk,
                score: hit.score,
                snippet,
            });
        }
        Ok(shown)
    }
}

/// The index languages of the documents.
fn tongues(library: &KnowledgeStatistics) -> Vec<IndexLanguage> {
    library.languages.iter().filter_map(|word| IndexLanguage::from_word(word)).collect()
}
