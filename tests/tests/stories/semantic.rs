//! Vectors on both databases: removed with their chunks, kept for unchanged text, and found only in their workspace.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_commands::knowledge::DocumentReader;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::embedder::EmbeddingsConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    DocumentFormat, DocumentWriteOutcome, EmbeddingClient, EmbeddingError, KnowledgeDocument,
    MockEmbeddingClient, MockSecretStore, NewChunkVector, NewDocumentChunk, NewKnowledgeDocument,
    QuantizedVector, ReadingGaps, SemanticRetriever, VectorCoverage,
};
use entracte_application::semantic::{
    EmbeddingReport, KnowledgeEmbedder, SemanticSearch, SemanticSearchLimits,
};
use entracte_application::settings::{KnowledgeSettings, Language};
use entracte_application::system::{RandomIdGenerator, SystemClock, sha256};
use entracte_application::use_cases::{AddDocument, DocumentUpload, KnowledgeSearchResult, SearchKnowledge};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_tests::cryptography::crypto;
use entracte_tests::postgres::TestDatabase;

fn databases() -> Vec<(Database, Box<dyn Any>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let sqlite = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    let mut all: Vec<(Database, Box<dyn Any>)> = vec![(sqlite, Box::new(folder))];
    if let Some(made) = TestDatabase::make() {
        all.push((made.open(), Box::new(made)));
    }
    all
}

/// The model of a rehearsal: words with similar spelling have near vectors.
fn model(name: &str) -> Arc<dyn EmbeddingClient> {
    let entry =
        ProviderConfig { script: Some("none.toml".into()), ..ProviderConfig::new(ProviderKind::Rehearsal) };
    let entries = BTreeMap::from([("stage".to_owned(), entry)]);
    let registry = ConfigProviderRegistry::new(
        entries,
        Arc::new(MockSecretStore::new()),
        Arc::new(SystemClock),
        crypto(),
    );
    let config = EmbeddingsConfig {
        provider: "stage".into(),
        model: name.into(),
        dims: 256,
        shorten: false,
        batch: 2,
        max_chars: 4_000,
        question_prefix: String::new(),
        document_prefix: String::new(),
    };
    registry.embeddings(config).unwrap()
}

fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

/// A document with one chunk per text.
fn document(name: &str, texts: &[&str]) -> NewKnowledgeDocument {
    let chunk = |text: &&str| NewDocumentChunk {
        heading: vec!["Guide".into()],
        text: (*text).to_owned(),
        start: 0,
        end: text.len() as u64,
        heading_terms: vec!["guide".into()],
        terms: text.split(' ').map(str::to_lowercase).collect(),
    };
    let document = KnowledgeDocument {
        id: format!("doc_{name}"),
        name: name.to_owned(),
        source: format!("{name}.md"),
        format: DocumentFormat::Markdown,
        title: name.to_owned(),
        language: "en".into(),
        digest: sha256(texts.concat().as_bytes()),
        bytes: 1,
        chunks: u32::try_from(texts.len()).unwrap(),
        author: "ann".into(),
        added_at: Timestamp(1),
        changed_at: Timestamp(1),
        gaps: ReadingGaps::default(),
        last_read_at: None,
    };
    NewKnowledgeDocument { document, body: None, chunks: texts.iter().map(chunk).collect() }
}

async fn fill(database: &Database, model: &Arc<dyn EmbeddingClient>) -> EmbeddingReport {
    let fill = KnowledgeEmbedder::new(model.clone(), database.vector_store(), Arc::new(SystemClock));
    fill.run(&home(), &|_| {}).await.unwrap()
}

async fn found(
    database: &Database,
    model: &Arc<dyn EmbeddingClient>,
    workspace: &WorkspaceKey,
) -> Vec<String> {
    let search = SemanticSearch::new(
        model.clone(),
        database.vector_store(),
        database.knowledge_store(),
        Arc::new(SystemClock),
        SemanticSearchLimits::default(),
    );
    let found = search.search_chunks(workspace, "invoicing", 2).await.unwrap();
    found.hits.into_iter().map(|hit| hit.chunk.text).collect()
}

async fn put(database: &Database, new: NewKnowledgeDocument) {
    let put = database.knowledge_store().write_document(&home(), new, 100).await.unwrap();
    assert!(!matches!(put, DocumentWriteOutcome::Full));
}

const TEXTS: [&str; 3] = ["Invoices are sent monthly", "Holidays are in August", "The cat sleeps"];

/// Input: a document with vectors that is replaced, then removed; expected: an unchanged text keeps its vector, and
/// nothing remains of removed text.
#[tokio::test(flavor = "multi_thread")]
async fn vectors_go_with_their_chunks() {
    for (database, _keep) in databases() {
        let (one, vectors) = (model("one"), database.vector_store());
        let name = one.model().name;
        put(&database, document("guide", &TEXTS)).await;
        let before = database.knowledge_store().library(&home()).await.unwrap().revision;
        assert_eq!(fill(&database, &one).await, EmbeddingReport { made: 3, ..EmbeddingReport::default() });
        let after = database.knowledge_store().library(&home()).await.unwrap().revision;
        assert!(after > before, "whoever has them in memory reads them anew");
        assert_eq!(found(&database, &one, &home()).await[0], TEXTS[0]);

        let changed = ["Holidays are in August", "Invoices are sent weekly", "The cat sleeps"];
        put(&database, document("guide", &changed)).await;
        let tally = vectors.vector_coverage(&home(), &name).await.unwrap();
        assert_eq!(tally, VectorCoverage { chunks: 3, vectors: 2 }, "two texts are as before");
        assert_eq!(fill(&database, &one).await.made, 1);
        assert_eq!(found(&database, &one, &home()).await[0], changed[1]);
        // The same text in another document is not embedded again.
        put(&database, document("copy", &changed[..1])).await;
        assert_eq!(fill(&database, &one).await, EmbeddingReport { known: 1, ..EmbeddingReport::default() });

        for id in ["doc_guide", "doc_copy"] {
            assert!(database.knowledge_store().remove(&home(), id).await.unwrap());
        }
        assert_eq!(vectors.vector_coverage(&home(), &name).await.unwrap(), VectorCoverage::default());
        assert_eq!(vectors.vectors(&home(), &name, 0, 9).await.unwrap(), []);
        assert_eq!(vectors.vectors_by_text_hash(&home(), &name, &[sha256(b"x")]).await.unwrap(), []);
        assert_eq!(database.check().unwrap(), Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_of_other_models_and_workspaces_are_excluded() {
    for (database, _keep) in databases() {
        let (one, two, vectors) = (model("one"), model("two"), database.vector_store());
        put(&database, document("guide", &TEXTS)).await;
        fill(&database, &one).await;
        assert_eq!(
            fill(&database, &two).await,
            EmbeddingReport { made: 3, forgotten: 3, ..EmbeddingReport::default() }
        );
        assert_eq!(vectors.vector_coverage(&home(), &one.model().name).await.unwrap().vectors, 0);

        let elsewhere = WorkspaceKey::new("eve:home");
        let name = two.model().name;
        assert_eq!(found(&database, &two, &elsewhere).await, Vec::<String>::new());
        let (number, vector) = vectors.vectors(&home(), &name, 0, 1).await.unwrap().remove(0);
        let theirs = document("theirs", &["Nothing of note"]);
        let theirs = NewKnowledgeDocument {
            document: KnowledgeDocument { id: "doc_eve".into(), ..theirs.document },
            ..theirs
        };
        database.knowledge_store().write_document(&elsewhere, theirs, 9).await.unwrap();
        let digest = sha256(b"forged");
        let forged = NewChunkVector {
            chunk: number,
            digest: digest.clone(),
            vector: QuantizedVector { scale: 9.0, ..vector },
        };
        assert_eq!(
            vectors.write_vectors(&elsewhere, &name, vec![forged]).await.unwrap(),
            0,
            "it is no chunk of theirs"
        );
        assert_eq!(vectors.vectors_by_text_hash(&elsewhere, &name, &[digest]).await.unwrap(), []);
        assert_eq!(vectors.delete_other_models(&elsewhere, "none").await.unwrap(), 0);
        assert_eq!(vectors.vector_coverage(&home(), &name).await.unwrap().vectors, 3);
        assert_eq!(found(&database, &two, &home()).await[0], TEXTS[0]);
    }
}

/// Input: a database with vectors; expected: its copy, into either kind, finds the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_keeps_the_vectors() {
    let mut all = databases();
    let (source, _keep) = all.remove(0);
    let one = model("one");
    put(&source, document("guide", &TEXTS)).await;
    fill(&source, &one).await;
    for (copy, _keep) in all.into_iter().chain(databases().into_iter().take(1)) {
        source.copy_into(&copy).unwrap();
        assert_eq!(source.differences(&copy).unwrap(), Vec::<&str>::new());
        assert_eq!(found(&copy, &one, &home()).await[0], TEXTS[0]);
    }
}

/// Documents as people add them, searched as models do.
struct SemanticSearchFixture {
    database: Database,
    model: Arc<dyn EmbeddingClient>,
}

impl SemanticSearchFixture {
    async fn add(&self, name: &str, text: &str) {
        let add = AddDocument::new(
            self.database.knowledge_store(),
            Arc::new(DocumentReader::new(&KnowledgeSettings::default())),
            Arc::new(SystemClock),
            Arc::new(RandomIdGenerator),
            KnowledgeSettings::default(),
        );
        let file = DocumentUpload {
            name: name.into(),
            source: name.into(),
            format: DocumentFormat::Markdown,
            bytes: text.as_bytes().to_vec(),
            author: "ann".into(),
            language: Language::En,
        };
        add.run(&home(), file).await.unwrap();
    }

    /// The search result with this model; `None`: full-text search only.
    async fn found(&self, model: Option<Arc<dyn EmbeddingClient>>, question: &str) -> KnowledgeSearchResult {
        let search = |model| -> Arc<dyn SemanticRetriever> {
            let (vectors, knowledge) = (self.database.vector_store(), self.database.knowledge_store());
            let terms = SemanticSearchLimits::default();
            Arc::new(SemanticSearch::new(model, vectors, knowledge, Arc::new(SystemClock), terms))
        };
        let settings = KnowledgeSettings::default();
        let (store, clock) = (self.database.knowledge_store(), Arc::new(SystemClock));
        let search = SearchKnowledge::new(store, clock, model.map(search), settings);
        search.run(&home(), question, None).await.unwrap()
    }
}

fn names(found: &KnowledgeSearchResult) -> Vec<&str> {
    found.chunks.iter().map(|chunk| chunk.document.name.as_str()).collect()
}

/// Input: a question with a word that one document contains, and a misspelled one; expected: full-text search alone
/// finds the first, both together find the two, and the chunk that both find is first. If the model is unavailable, the
/// full-text result says so.
#[tokio::test(flavor = "multi_thread")]
async fn text_and_semantic_are_fused() {
    for (database, _keep) in databases() {
        let shelf = SemanticSearchFixture { database, model: model("one") };
        shelf.add("billing.md", "# Billing\n\nInvoices are sent on the first of each month.\n").await;
        shelf.add("leave.md", "# Leave\n\nHolidays need the approval of the manager.\n").await;
        shelf.add("zoo.md", "# Zoo\n\nThe zebra eats.\n").await;
        let question = "invoyces approval";
        assert_eq!(names(&shelf.found(None, question).await), ["leave.md"]);

        let found = shelf.found(Some(shelf.model.clone()), question).await;
        assert_eq!((names(&found), found.left > 0), (vec!["leave.md"], true), "there are no vectors yet");
        fill(&shelf.database, &shelf.model).await;
        let found = shelf.found(Some(shelf.model.clone()), question).await;
        assert_eq!(names(&found)[..2], ["leave.md", "billing.md"], "found by both, then by meaning");
        assert_eq!((found.left, found.text_only.is_none()), (0, true));
        // First in both lists: 1 / (60 + 1) twice, or once with the second place of the other list.
        let score = found.chunks[0].score;
        assert!((1.0 / 61.0 + 1.0 / 62.0..=2.0 / 61.0).contains(&score), "{score}");

        let mut down = MockEmbeddingClient::new();
        let known = shelf.model.model();
        down.expect_model().returning(move || known.clone());
        down.expect_embed().returning(|_, _| {
            let message = "it is down".to_owned();
            Err(EmbeddingError { message, is_about_text: false, is_passing: true, retry_after: None })
        });
        let found = shelf.found(Some(Arc::new(down)), question).await;
        let why = found.text_only.as_ref().map(ToString::to_string);
        assert_eq!((names(&found).as_slice(), why.as_deref()), (["leave.md"].as_slice(), Some("it is down")));
    }
}
