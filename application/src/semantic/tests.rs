//! Creation, quantization, comparison and eviction of vectors, with a model that counts the letters of a text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};

use super::*;
use crate::ports::*;

/// The number of counted letters.
const DIMS: u32 = 26;

/// A model that counts letters, fails a given number of times, and refuses texts with a `#`.
#[derive(Default)]
struct LetterCountEmbeddings {
    fails: AtomicU32,
    asked: Mutex<Vec<usize>>,
}

#[async_trait]
impl EmbeddingClient for LetterCountEmbeddings {
    fn model(&self) -> EmbeddingModel {
        EmbeddingModel { name: "letters".into(), dims: DIMS, max_input: 100 }
    }

    fn batch(&self) -> u32 {
        4
    }

    async fn embed(&self, _: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        self.asked.lock().unwrap().push(texts.len());
        let fault = |message: &str, is_about_text| EmbeddingError {
            message: message.into(),
            is_about_text,
            is_passing: !is_about_text,
            retry_after: None,
        };
        if self.fails.load(Ordering::SeqCst) > 0 {
            self.fails.fetch_sub(1, Ordering::SeqCst);
            return Err(fault("busy", false));
        }
        if texts.iter().any(|text| text.contains('#')) {
            return Err(fault("no such sign", true));
        }
        let count = |text: &String| {
            let of = |letter: char| text.to_lowercase().matches(letter).count() as f32;
            ('a'..='z').map(of).collect()
        };
        Ok(texts.iter().map(count).collect())
    }
}

/// The chunks of one workspace and their vectors.
#[derive(Default)]
struct InMemoryVectorStore {
    chunks: Mutex<BTreeMap<u64, String>>,
    vectors: Mutex<BTreeMap<u64, (String, NewChunkVector)>>,
    /// The number of pages of vectors read.
    read: AtomicU32,
}

fn chunk(number: u64, text: &str) -> DocumentChunk {
    let (document, heading) = ("doc_a".to_owned(), vec!["Top".to_owned()]);
    DocumentChunk { number, document, ordinal: 0, heading, text: text.to_owned(), start: 0, end: 0 }
}

#[async_trait]
impl VectorStore for InMemoryVectorStore {
    async fn chunks_without_vector(
        &self,
        _: &WorkspaceKey,
        _: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError> {
        let (chunks, vectors) = (self.chunks.lock().unwrap(), self.vectors.lock().unwrap());
        let left = chunks.iter().filter(|(number, _)| **number > after && !vectors.contains_key(number));
        Ok(left.take(limit as usize).map(|(number, text)| chunk(*number, text)).collect())
    }

    async fn vectors(
        &self,
        _: &WorkspaceKey,
        _: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(u64, QuantizedVector)>, StoreError> {
        self.read.fetch_add(1, Ordering::SeqCst);
        let vectors = self.vectors.lock().unwrap();
        let page = vectors.range(after + 1..).take(limit as usize);
        Ok(page.map(|(number, (_, new))| (*number, new.vector.clone())).collect())
    }

    async fn vectors_by_text_hash(
        &self,
        _: &WorkspaceKey,
        _: &str,
        digests: &[Digest],
    ) -> Result<Vec<(Digest, QuantizedVector)>, StoreError> {
        let mut found = BTreeMap::new();
        for (_, new) in self.vectors.lock().unwrap().values() {
            if digests.contains(&new.digest) {
                found.insert(new.digest.clone(), new.vector.clone());
            }
        }
        Ok(found.into_iter().collect())
    }

    async fn write_vectors(
        &self,
        _: &WorkspaceKey,
        model: &str,
        new: Vec<NewChunkVector>,
    ) -> Result<u64, StoreError> {
        let count = new.len() as u64;
        let rows = new.into_iter().map(|new| (new.chunk, (model.to_owned(), new)));
        self.vectors.lock().unwrap().extend(rows);
        Ok(count)
    }

    async fn delete_other_models(&self, _: &WorkspaceKey, model: &str) -> Result<u64, StoreError> {
        self.vectors.lock().unwrap().retain(|_, (own, _)| own == model);
        Ok(0)
    }

    async fn vector_coverage(&self, _: &WorkspaceKey, _: &str) -> Result<VectorCoverage, StoreError> {
        let (chunks, vectors) = (self.chunks.lock().unwrap().len(), self.vectors.lock().unwrap().len());
        Ok(VectorCoverage { chunks: chunks as u64, vectors: vectors as u64 })
    }
}

impl InMemoryVectorStore {
    fn with(texts: &[&str]) -> Arc<Self> {
        let memory = Self::default();
        let chunks = (1..).zip(texts.iter().map(|text| (*text).to_owned()));
        *memory.chunks.lock().unwrap() = chunks.collect();
        Arc::new(memory)
    }

    /// The knowledge with these chunks; its revision changes with them.
    fn knowledge(self: &Arc<Self>) -> Arc<dyn KnowledgeStore> {
        let mut store = MockKnowledgeStore::new();
        let memory = self.clone();
        store.expect_library().returning(move |_| {
            let (chunks, vectors) = (memory.chunks.lock().unwrap(), memory.vectors.lock().unwrap());
            let changes = chunks.len() * 1_000 + vectors.len();
            Ok(KnowledgeStatistics { revision: changes as u64, ..KnowledgeStatistics::default() })
        });
        let memory = self.clone();
        store.expect_chunks_by_number().returning(move |_, numbers| {
            let chunks = memory.chunks.lock().unwrap();
            Ok(numbers.iter().filter_map(|number| Some(chunk(*number, chunks.get(number)?))).collect())
        });
        Arc::new(store)
    }
}

/// A clock that advances by the slept time.
#[derive(Default)]
struct SleepDrivenClock(Mutex<i64>);

#[async_trait]
impl Clock for SleepDrivenClock {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn monotonic(&self) -> Millis {
        Millis(*self.0.lock().unwrap())
    }

    async fn sleep(&self, span: Millis) {
        tokio::task::yield_now().await;
        *self.0.lock().unwrap() += span.0;
    }
}

/// A clock that never advances: a sleep never ends.
struct FrozenClock;

#[async_trait]
impl Clock for FrozenClock {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn monotonic(&self) -> Millis {
        Millis(0)
    }

    async fn sleep(&self, _: Millis) {
        std::future::pending().await
    }
}

/// A model that never answers.
struct HangingEmbeddings;

#[async_trait]
impl EmbeddingClient for HangingEmbeddings {
    fn model(&self) -> EmbeddingModel {
        EmbeddingModel { name: "silent".into(), dims: DIMS, max_input: 9 }
    }

    fn batch(&self) -> u32 {
        1
    }

    async fn embed(&self, _: EmbeddingKind, _: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        std::future::pending().await
    }
}

fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

async fn fill(
    model: &Arc<LetterCountEmbeddings>,
    memory: &Arc<InMemoryVectorStore>,
) -> Result<EmbeddingReport, SemanticRetrievalError> {
    let fill = KnowledgeEmbedder::new(model.clone(), memory.clone(), Arc::new(SleepDrivenClock::default()));
    fill.run(&home(), &|_| {}).await
}

/// Reproducible pseudo-random numbers.
fn noise(seed: &mut u64) -> f32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*seed >> 40) as f32 / (1 << 24) as f32) - 0.5
}

/// Input: 2,000 vectors in 50 clusters and 40 queries near them; expected: of the ten nearest by 32 bits, at least 98
/// in a hundred are found by 8.
#[test]
fn eight_bits_find_what_thirty_two_find() {
    let (dims, mut seed) = (192_usize, 7_u64);
    let crowds: Vec<Vec<f32>> = (0..50).map(|_| (0..dims).map(|_| noise(&mut seed)).collect()).collect();
    let mut near = |place: usize| -> Vec<f32> {
        crowds[place % crowds.len()].iter().map(|number| number + noise(&mut seed) * 0.8).collect()
    };
    let vectors: Vec<Vec<f32>> = (0..2_000).map(&mut near).collect();
    let questions: Vec<Vec<f32>> = (0..40).map(&mut near).collect();
    let mut nearest = VectorIndex::new(dims as u32, 2_000);
    for (number, vector) in (0..).zip(&vectors) {
        nearest.push(number, &quantize_vector(vector).unwrap());
    }
    let cosine = |one: &[f32], other: &[f32]| -> f64 {
        let dot = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
    };
    let mut found = 0;
    for question in &questions {
        let mut exact: Vec<(u64, f64)> =
            (0..).zip(&vectors).map(|(number, vector)| (number, cosine(question, vector))).collect();
        exact.sort_by(|one, other| other.1.total_cmp(&one.1));
        let best: BTreeSet<u64> = exact[..10].iter().map(|(number, _)| *number).collect();
        let by_bytes = nearest.search(question, 10);
        found += by_bytes.iter().filter(|(number, _)| best.contains(number)).count();
        assert!((f64::from(by_bytes[0].1) - exact[0].1).abs() < 0.01, "the score is the cosine");
    }
    let recall = found as f64 / (questions.len() * 10) as f64;
    assert!(recall >= 0.98, "recall@10 is {recall}");
}

#[test]
fn vectors_compare_by_direction_invalid_ones_omitted() {
    assert_eq!(quantize_vector(&[0.0, 0.0]), None);
    assert_eq!(quantize_vector(&[f32::NAN, 1.0]), None);
    let mut nearest = VectorIndex::new(2, 0);
    for (number, vector) in [(4, [9.0, 0.0]), (2, [0.1, 0.0]), (3, [0.0, -5.0])] {
        nearest.push(number, &quantize_vector(&vector).unwrap());
    }
    nearest.push(9, &quantize_vector(&[1.0, 0.0, 0.0]).unwrap());
    let order = |question: &[f32]| {
        nearest.search(question, 9).into_iter().map(|(number, _)| number).collect::<Vec<_>>()
    };
    assert_eq!(order(&[1.0, 0.0]), [2, 4, 3], "of two that are as near the first one is first");
    assert_eq!(nearest.search(&[3.0, 0.0], 1).len(), 1);
    assert_eq!(order(&[0.0, 0.0]), [0_u64; 0]);
    assert_eq!(order(&[1.0]), [0_u64; 0]);
}

/// The largest possible numbers: the sum of a score does not overflow.
#[test]
fn the_longest_vectors_do_not_overflow() {
    let ones = vec![1.0; EmbeddingModel::DIMS_MAX as usize];
    let mut nearest = VectorIndex::new(EmbeddingModel::DIMS_MAX, 1);
    nearest.push(1, &quantize_vector(&ones).unwrap());
    assert!((nearest.search(&ones, 1)[0].1 - 1.0).abs() < 0.001);
}

/// Input: six texts, two of them equal, and a server that is busy twice; expected: each text is requested once, and a
/// text with a vector is not requested again.
#[tokio::test]
async fn missing_vectors_are_created_once() {
    let (model, memory) = (
        Arc::new(LetterCountEmbeddings::default()),
        InMemoryVectorStore::with(&["a", "b", "b", "c", "d", "b"]),
    );
    model.fails.store(2, Ordering::SeqCst);
    let filled = fill(&model, &memory).await.unwrap();
    assert_eq!(filled, EmbeddingReport { made: 5, known: 1, ..EmbeddingReport::default() });
    assert_eq!(*model.asked.lock().unwrap(), [3, 3, 3, 1], "busy twice, three texts of four, then one");
    memory.chunks.lock().unwrap().insert(7, "e".into());
    assert_eq!(
        fill(&model, &memory).await.unwrap(),
        EmbeddingReport { made: 1, ..EmbeddingReport::default() }
    );
}

/// Input: a server that fails in the second batch; expected: the first batch is stored, and the next run resumes
/// there.
#[tokio::test]
async fn interrupted_run_resumes_where_it_stopped() {
    let (model, memory) = (
        Arc::new(LetterCountEmbeddings::default()),
        InMemoryVectorStore::with(&["a", "b", "c", "d", "e", "f"]),
    );
    let down = model.clone();
    let told = move |_: VectorCoverage| down.fails.store(9, Ordering::SeqCst);
    let broken = KnowledgeEmbedder::new(model.clone(), memory.clone(), Arc::new(SleepDrivenClock::default()));
    assert!(broken.run(&home(), &told).await.is_err());
    assert_eq!(memory.vectors.lock().unwrap().len(), 4);
    model.fails.store(0, Ordering::SeqCst);
    assert_eq!(fill(&model, &memory).await.unwrap().made, 2);
}

#[tokio::test]
async fn refused_text_does_not_block_others() {
    let (model, memory) =
        (Arc::new(LetterCountEmbeddings::default()), InMemoryVectorStore::with(&["a", "#", "b"]));
    let filled = fill(&model, &memory).await.unwrap();
    assert_eq!(filled, EmbeddingReport { made: 2, refused: 1, ..EmbeddingReport::default() });
    let all_wrong = InMemoryVectorStore::with(&["#1", "#2", "#3", "#4", "#5"]);
    assert!(fill(&model, &all_wrong).await.is_err(), "where all are refused the texts are not what is wrong");
}

#[tokio::test]
async fn vectors_are_cached_until_revision_changes() {
    let (model, memory) =
        (Arc::new(LetterCountEmbeddings::default()), InMemoryVectorStore::with(&["aab", "xyz"]));
    let terms = SemanticSearchLimits::default();
    let search =
        SemanticSearch::new(model.clone(), memory.clone(), memory.knowledge(), Arc::new(FrozenClock), terms);
    let empty = search.search_chunks(&home(), "a", 5).await.unwrap();
    assert_eq!((empty.hits.len(), empty.left), (0, 2), "nothing is asked where there is nothing to compare");
    assert!(model.asked.lock().unwrap().is_empty());

    fill(&model, &memory).await.unwrap();
    let found = search.search_chunks(&home(), "zyx", 5).await.unwrap();
    let texts: Vec<&str> = found.hits.iter().map(|hit| hit.chunk.text.as_str()).collect();
    assert_eq!((texts.as_slice(), found.left), (["xyz", "aab"].as_slice(), 0));
    let pages = memory.read.load(Ordering::SeqCst);
    search.search_chunks(&home(), "b", 5).await.unwrap();
    assert_eq!(memory.read.load(Ordering::SeqCst), pages, "they are in memory");

    memory.chunks.lock().unwrap().insert(3, "qqq".into());
    fill(&model, &memory).await.unwrap();
    let found = search.search_chunks(&home(), "q", 1).await.unwrap();
    assert_eq!(found.hits[0].chunk.number, 3);
    memory.chunks.lock().unwrap().remove(&3);
    assert_eq!(search.search_chunks(&home(), "q", 1).await.unwrap().hits, [], "what is gone is not found");
}

#[tokio::test]
async fn unused_vectors_are_evicted() {
    let (model, memory) = (Arc::new(LetterCountEmbeddings::default()), InMemoryVectorStore::with(&["aab"]));
    fill(&model, &memory).await.unwrap();
    let clock = Arc::new(SleepDrivenClock::default());
    // With this clock the time limit of a query ends immediately, so the model is polled first (`biased`).
    let terms = SemanticSearchLimits { keep: Millis::seconds(5), ..SemanticSearchLimits::default() };
    let search = SemanticSearch::new(model, memory.clone(), memory.knowledge(), clock, terms);
    search.search_chunks(&home(), "a", 1).await.unwrap();
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    let pages = memory.read.load(Ordering::SeqCst);
    search.search_chunks(&home(), "a", 1).await.unwrap();
    assert!(memory.read.load(Ordering::SeqCst) > pages, "they are read anew");
    let tight = SemanticSearchLimits { memory_bytes: 37, ..terms };
    let search = SemanticSearch::new(
        Arc::new(LetterCountEmbeddings::default()),
        memory.clone(),
        memory.knowledge(),
        Arc::new(FrozenClock),
        tight,
    );
    let refused = search.search_chunks(&home(), "a", 1).await;
    assert!(
        matches!(refused, Err(SemanticRetrievalError::TooLarge { needs: 38, most: 37 })),
        "26 numbers and 12 bytes"
    );
}

/// Input: a model that never answers, and one that is down; expected: both are reported within the time limit.
#[tokio::test]
async fn unavailable_model_is_reported() {
    let memory = InMemoryVectorStore::with(&["a"]);
    fill(&Arc::new(LetterCountEmbeddings::default()), &memory).await.unwrap();
    let (mut down, terms) = (MockEmbeddingClient::new(), SemanticSearchLimits::default());
    down.expect_model().returning(|| EmbeddingModel { name: "down".into(), dims: DIMS, max_input: 9 });
    down.expect_embed().returning(|_, _| {
        let message = "it is down".to_owned();
        Err(EmbeddingError { message, is_about_text: false, is_passing: true, retry_after: None })
    });
    let search = |model: Arc<dyn EmbeddingClient>, clock: Arc<dyn Clock>| {
        SemanticSearch::new(model, memory.clone(), memory.knowledge(), clock, terms)
    };
    let asked = search(Arc::new(down), Arc::new(FrozenClock));
    let told = asked.search_chunks(&home(), "a", 1).await.err().map(|fault| fault.to_string());
    assert_eq!(told.as_deref(), Some("it is down"));
    let asked = search(Arc::new(HangingEmbeddings), Arc::new(SleepDrivenClock::default()));
    let told = asked.search_chunks(&home(), "a", 1).await.err().map(|fault| fault.to_string());
    assert_eq!(told.as_deref(), Some("silent gave no vector within 10 s"));
}
