//! The document use cases over the adapters of this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_commands::knowledge::{DocumentReader, KnowledgeExecutor};
use entracte_adapters_providers::embedder::EmbeddingsConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    Clock, DocumentConverter, EmbeddingClient, EmbeddingError, EmbeddingKind, EmbeddingModel, ImageConverter,
    KnowledgeStore, SemanticRetriever,
};
use entracte_application::semantic::{KnowledgeEmbedder, SemanticSearch};
use entracte_application::settings::KnowledgeSettings;
use entracte_application::system::RandomIdGenerator;
use entracte_application::use_cases::{AddDocument, QueryStructuredDocument, ReadDocuments, SearchKnowledge};

use crate::config::AppSettings;
use crate::program_stores::ProgramStores;
use crate::secrets::provider_keys;

/// A factory of the document use cases.
pub(crate) struct KnowledgeServices {
    /// The stored documents.
    pub(crate) store: Arc<dyn KnowledgeStore>,
    /// Converts files into documents.
    pub(crate) converter: Arc<dyn DocumentConverter>,
    /// Converts the images of conversations, in the places of documents.
    pub(crate) images: Arc<dyn ImageConverter>,
    /// The semantic search; `None` if it is off.
    pub(crate) semantic: Option<Arc<dyn SemanticRetriever>>,
    /// Computes missing embeddings; `None` if semantic search is off.
    pub(crate) embed: Option<Arc<KnowledgeEmbedder>>,
    /// Limits of documents and searches.
    pub(crate) settings: KnowledgeSettings,
    clock: Arc<dyn Clock>,
}

impl KnowledgeServices {
    /// The services of a configuration.
    pub(crate) fn new(settings: &AppSettings, stores: &ProgramStores, clock: &Arc<dyn Clock>) -> Self {
        let (store, vectors) = (stores.knowledge.clone(), stores.vectors.clone());
        let (embeddings, terms) = (embedding_client(settings), settings.embeddings.terms);
        let search = |embeddings: &Arc<dyn EmbeddingClient>| -> Arc<dyn SemanticRetriever> {
            let (vectors, store) = (vectors.clone(), store.clone());
            Arc::new(SemanticSearch::new(embeddings.clone(), vectors, store, clock.clone(), terms))
        };
        let semantic = embeddings.as_ref().map(search);
        let fill = |embeddings| Arc::new(KnowledgeEmbedder::new(embeddings, vectors.clone(), clock.clone()));
        let embed = embeddings.map(fill);
        let (parts, settings) = (&settings.parts, settings.knowledge.clone());
        let reader = DocumentReader::new(&settings);
        let reader = match &parts.document_reader {
            Some(program) => reader.isolated_by(program.clone()),
            None => reader,
        };
        let reader = Arc::new(reader);
        Self {
            store,
            converter: reader.clone(),
            images: reader,
            semantic,
            embed,
            settings,
            clock: clock.clone(),
        }
    }

    /// The use case that adds documents.
    pub(crate) fn add(&self) -> AddDocument {
        AddDocument::new(
            self.store.clone(),
            self.converter.clone(),
            self.clock.clone(),
            Arc::new(RandomIdGenerator),
            self.settings.clone(),
        )
    }

    /// The use case that lists and reads documents.
    pub(crate) fn read(&self) -> ReadDocuments {
        ReadDocuments::new(self.store.clone(), self.clock.clone())
    }

    /// The use case that searches documents.
    pub(crate) fn search(&self) -> SearchKnowledge {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        SearchKnowledge::new(store, clock, self.semantic.clone(), self.settings.clone())
    }

    /// The executor of the commands by which models search and read documents.
    pub(crate) fn executor(&self) -> KnowledgeExecutor {
        let structured = QueryStructuredDocument::new(self.store.clone(), self.clock.clone());
        KnowledgeExecutor::new(self.search(), self.read(), structured)
    }
}

/// The program file of this process, for starting it again to read documents. The Linux path stays valid for this version after the
/// file was replaced.
pub(crate) fn own_program() -> PathBuf {
    let running = Path::new("/proc/self/exe");
    match std::env::current_exe() {
        Ok(program) if !running.exists() => program,
        Ok(_) | Err(_) => running.to_owned(),
    }
}

/// The embedding client: that of the host under the configured name, else that of the configured entry. An unusable one only
/// reports its fault when it is called.
pub(crate) fn embedding_client(settings: &AppSettings) -> Option<Arc<dyn EmbeddingClient>> {
    let config = settings.embeddings.config()?;
    if let Some(of_host) = settings.parts.embeddings.get(&config.provider) {
        return Some(of_host.clone());
    }
    let entries = settings.providers.iter().map(|entry| (entry.name.clone(), entry.config.clone()));
    let registry = ConfigProviderRegistry::new(
        entries.collect(),
        provider_keys(&settings.parts, &settings.providers),
        settings.parts.clock.clone(),
        settings.parts.crypto(),
    );
    Some(registry.embeddings(config.clone()).unwrap_or_else(|failure| {
        Arc::new(UnusableEmbeddings { config: config.clone(), why: failure.message })
    }))
}

/// An embedding client that always returns its configuration fault.
struct UnusableEmbeddings {
    config: EmbeddingsConfig,
    why: String,
}

#[async_trait]
impl EmbeddingClient for UnusableEmbeddings {
    fn model(&self) -> EmbeddingModel {
        self.config.embedding_model()
    }

    fn batch(&self) -> u32 {
        self.config.batch
    }

    async fn embed(&self, _: EmbeddingKind, _: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Err(EmbeddingError {
            message: self.why.clone(),
            is_about_text: false,
            is_passing: false,
            retry_after: None,
        })
    }
}
