//! `cargo run --release -p entracte-tests --bin meaning -- [CHUNKS [DIMS [DATABASE]]]`: milliseconds and memory of
//! full-text, semantic and combined search over documents of random words. Defaults: 100,000 chunks, 1,024 dimensions
//! and a new SQLite file; a Postgres URL must name an empty database.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "this measures real time, in a program for developers"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::knowledge::{IndexLanguage, terms};
use entracte_application::ports::{
    DocumentFormat, EmbeddingClient, EmbeddingError, EmbeddingKind, EmbeddingModel, KnowledgeDocument,
    NewChunkVector, NewDocumentChunk, NewKnowledgeDocument, ReadingGaps, SemanticRetriever,
};
use entracte_application::semantic::{SemanticSearch, SemanticSearchLimits, quantize_vector};
use entracte_application::settings::KnowledgeSettings;
use entracte_application::system::{SystemClock, sha256};
use entracte_application::use_cases::SearchKnowledge;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_tests::bench::process::resident_kb;

const CHUNKS: u64 = 100_000;
const DIMS: u32 = 1_024;
/// Chunks of one document.
const OF_DOCUMENT: u64 = 500;
/// Words of a chunk.
const WORDS: usize = 120;
/// Size of the vocabulary; some words are much more frequent than others.
const VOCABULARY: f64 = 30_000.0;
const QUESTIONS: usize = 100;
const MODEL: &str = "invented";

/// Pseudo-random numbers from 0 to 1, reproducible.
struct UnitIntervalRng(u64);

impl UnitIntervalRng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random word; the lowest numbers are the frequent words.
    fn word(&mut self) -> String {
        let rank = VOCABULARY.powf(self.next()) as u64;
        let syllable =
            |number: u64| ["ka", "lo", "mi", "ter", "sun", "vo", "dra", "pel"][(number % 8) as usize];
        (0..5).map(|place| syllable(rank >> (3 * place))).collect::<String>()
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn vector(&mut self, dims: u32) -> Vec<f32> {
        (0..dims).map(|_| (self.next() - 0.5) as f32).collect()
    }
}

/// Embeddings without latency: a real server would add its own time.
struct InstantEmbeddings(u32);

#[async_trait]
impl EmbeddingClient for InstantEmbeddings {
    fn model(&self) -> EmbeddingModel {
        EmbeddingModel { name: MODEL.into(), dims: self.0, max_input: 4_000 }
    }

    fn batch(&self) -> u32 {
        64
    }

    async fn embed(&self, _: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Ok(texts.iter().map(|text| UnitIntervalRng(text.len() as u64 * 7_919 + 1).vector(self.0)).collect())
    }
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let chunks = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(CHUNKS);
    let dims = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(DIMS);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("meaning.db");
    let given = arguments.next();
    let place = given.as_deref().or(path.to_str()).expect("a path of text");
    let database = Database::open(place, DatabaseOptions::default());
    let database = database.expect("the database opens");
    let home = WorkspaceKey::new("bench:home");
    let began = Instant::now();
    write(&database, &home, chunks, dims).await;
    println!(
        "{chunks} chunks of {WORDS} words, vectors of {dims} numbers, made in {:.0} s",
        began.elapsed().as_secs_f64()
    );

    let embeddings: Arc<dyn EmbeddingClient> = Arc::new(InstantEmbeddings(dims));
    let semantic: Arc<dyn SemanticRetriever> = Arc::new(SemanticSearch::new(
        embeddings,
        database.vector_store(),
        database.knowledge_store(),
        Arc::new(SystemClock),
        SemanticSearchLimits { memory_bytes: u64::MAX, ..SemanticSearchLimits::default() },
    ));
    let before = resident_kb();
    let began = Instant::now();
    let found = semantic.search_chunks(&home, "first", 50).await.expect("it is found");
    println!(
        "vectors read in {:.0} ms, {} MB more memory, {} hits",
        began.elapsed().as_secs_f64() * 1_000.0,
        resident_kb().saturating_sub(before) / 1_024,
        found.hits.len()
    );
    let clock = Arc::new(SystemClock);
    let settings = KnowledgeSettings::default();
    let words = SearchKnowledge::new(database.knowledge_store(), clock.clone(), None, settings.clone());
    let both = SearchKnowledge::new(database.knowledge_store(), clock, Some(semantic.clone()), settings);
    let questions: Vec<String> =
        (0..QUESTIONS).map(|seed| UnitIntervalRng(seed as u64 + 99).words(6)).collect();
    let (mut by_words, mut by_meaning, mut by_both) = (Vec::new(), Vec::new(), Vec::new());
    for question in &questions {
        let began = Instant::now();
        words.run(&home, question, None).await.expect("it is searched");
        by_words.push(began.elapsed());
        let began = Instant::now();
        semantic.search_chunks(&home, question, 50).await.expect("it is searched");
        by_meaning.push(began.elapsed());
        let began = Instant::now();
        both.run(&home, question, None).await.expect("it is searched");
        by_both.push(began.elapsed());
    }
    for (name, mut times) in [("words", by_words), ("meaning", by_meaning), ("both", by_both)] {
        times.sort();
        let at =
            |share: usize| times.get(times.len() * share / 100).map_or(0.0, Duration::as_secs_f64) * 1_000.0;
        println!("{name:8} p50 {:6.1} ms, p95 {:6.1} ms", at(50), at(95));
    }
}

/// Writes documents with their vectors.
async fn write(database: &Database, home: &WorkspaceKey, chunks: u64, dims: u32) {
    let (knowledge, vectors) = (database.knowledge_store(), database.vector_store());
    let mut chance = UnitIntervalRng(1);
    for number in 0..chunks.div_ceil(OF_DOCUMENT) {
        let new = document(&mut chance, number, OF_DOCUMENT.min(chunks - number * OF_DOCUMENT));
        knowledge.write_document(home, new, u64::MAX >> 1).await.expect("it is kept");
    }
    let mut after = 0;
    loop {
        let page = knowledge.chunks_after(home, after, 500).await.expect("they are read");
        let Some(last) = page.last() else { return };
        after = last.number;
        let made = page.iter().map(|chunk| NewChunkVector {
            chunk: chunk.number,
            digest: sha256(&chunk.number.to_le_bytes()),
            vector: quantize_vector(&chance.vector(dims)).expect("it has a direction"),
        });
        vectors.write_vectors(home, MODEL, made.collect()).await.expect("they are kept");
    }
}

fn document(chance: &mut UnitIntervalRng, number: u64, chunks: u64) -> NewKnowledgeDocument {
    let chunk = |_| {
        let text = chance.words(WORDS);
        let (terms, end) = (terms(&text, IndexLanguage::Other), text.len() as u64);
        NewDocumentChunk { heading: Vec::new(), text, start: 0, end, heading_terms: Vec::new(), terms }
    };
    let all: Vec<NewDocumentChunk> = (0..chunks).map(chunk).collect();
    let name = format!("{number:06}.md");
    let document = KnowledgeDocument {
        id: format!("doc_{number}"),
        source: name.clone(),
        format: DocumentFormat::Text,
        title: name.clone(),
        language: IndexLanguage::Other.word().to_owned(),
        digest: sha256(name.as_bytes()),
        bytes: 1,
        chunks: u32::try_from(all.len()).unwrap_or(u32::MAX),
        author: "bench".into(),
        added_at: Timestamp(0),
        changed_at: Timestamp(0),
        gaps: ReadingGaps::default(),
        last_read_at: None,
        name,
    };
    NewKnowledgeDocument { document, body: None, chunks: all }
}
