//! `cargo run --release -p entracte-tests --bin knowledge -- …` measures the search in documents.
//!
//! - `corpus FOLDER QUESTIONS [DATABASE]`: adds the files of a folder and searches; each line of the questions file
//!   holds, separated by tabs, a kind, the accepted documents (separated by commas) and the question. Prints recall@5 and
//!   MRR of each kind.
//! - `size CHUNKS [DATABASE]`: adds this many chunks of random words and searches; prints milliseconds and memory.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "this measures real time, in a program for developers"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use entracte_adapters_commands::knowledge::DocumentReader;
use entracte_adapters_commands::knowledge::folder::{FolderLimits, read, scan_folder};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::DocumentFormat;
use entracte_application::settings::{KnowledgeSettings, Language};
use entracte_application::system::{RandomIdGenerator, SystemClock};
use entracte_application::use_cases::{AddDocument, DocumentUpload, SearchKnowledge};
use entracte_domain::id::WorkspaceKey;

type BoxedError = Box<dyn std::error::Error>;

const USAGE: &str = "knowledge corpus FOLDER QUESTIONS [DATABASE] | knowledge size CHUNKS [DATABASE]";

/// Results that count for recall.
const RECALL_AT: usize = 5;
/// Number of searches over random words.
const QUESTIONS: u64 = 300;
/// Size of the random vocabulary.
const VOCABULARY: u64 = 60_000;
/// Chunks of a document of random words.
const CHUNKS_EACH: usize = 100;
/// Words of a chunk of random words.
const WORDS: usize = 180;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match given.as_slice() {
        ["corpus", folder, questions] => corpus(folder, questions, None).await,
        ["corpus", folder, questions, database] => corpus(folder, questions, Some(database)).await,
        ["size", chunks] => size(chunks, None).await,
        ["size", chunks, database] => size(chunks, Some(database)).await,
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(2)
        }
    }
}

/// A database and the use cases on it.
struct KnowledgeBenchFixture {
    add: AddDocument,
    search: SearchKnowledge,
    database: Database,
    workspace: WorkspaceKey,
    _folder: tempfile::TempDir,
}

impl KnowledgeBenchFixture {
    fn new(database: Option<&str>) -> Result<Self, BoxedError> {
        let folder = tempfile::tempdir()?;
        let own = folder.path().join("entracte.db").display().to_string();
        let database = Database::open(database.unwrap_or(&own), DatabaseOptions::default())?;
        let settings = KnowledgeSettings {
            documents: 1_000_000_000,
            document_bytes: 100 * 1024 * 1024,
            results_per_document: 1,
            ..KnowledgeSettings::default()
        };
        let store = database.knowledge_store();
        let reader = Arc::new(DocumentReader::new(&settings));
        let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIdGenerator));
        Ok(Self {
            add: AddDocument::new(store.clone(), reader, clock.clone(), ids, settings.clone()),
            search: SearchKnowledge::new(store, clock, None, settings),
            database,
            workspace: WorkspaceKey::new("bench:knowledge"),
            _folder: folder,
        })
    }

    async fn add(&self, name: String, format: DocumentFormat, bytes: Vec<u8>) -> Result<(), BoxedError> {
        let file = DocumentUpload {
            source: name.clone(),
            name,
            format,
            bytes,
            author: "bench".to_owned(),
            language: Language::En,
        };
        self.add.run(&self.workspace, file).await?;
        Ok(())
    }

    /// The names of the found documents, and the duration in milliseconds.
    async fn ask(&self, question: &str) -> Result<(Vec<String>, f64), BoxedError> {
        let begun = Instant::now();
        let found = self.search.run(&self.workspace, question, Some(RECALL_AT)).await?;
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        Ok((found.chunks.into_iter().map(|found| found.document.name).collect(), took))
    }

    async fn told(&self, begun: Instant) -> Result<(), BoxedError> {
        let library = self.database.knowledge_store().library(&self.workspace).await?;
        println!(
            "{} documents, {} chunks, {} terms, written in {:.1} s",
            library.documents,
            library.chunks,
            library.terms,
            begun.elapsed().as_secs_f64()
        );
        Ok(())
    }
}

/// The retrieval quality for the questions of one kind.
#[derive(Default)]
struct RetrievalScore {
    asked: u32,
    found: u32,
    reciprocal: f64,
}

async fn corpus(folder: &str, questions: &str, database: Option<&str>) -> Result<(), BoxedError> {
    let bench = KnowledgeBenchFixture::new(database)?;
    let (root, begun) = (Path::new(folder), Instant::now());
    let limits = FolderLimits { depth: 16, files: usize::MAX, bytes: 100 * 1024 * 1024 };
    for file in scan_folder(root, limits)?.files {
        let bytes = read(root, &file.path, limits.bytes)?;
        bench.add(file.name, file.format, bytes).await?;
    }
    bench.told(begun).await?;
    let (mut scores, mut times) = (BTreeMap::<String, RetrievalScore>::new(), Vec::new());
    for line in std::fs::read_to_string(questions)?.lines().filter(|line| !line.starts_with('#')) {
        let [kind, right, question] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        let (found, took) = bench.ask(question).await?;
        times.push(took);
        let rank = found.iter().position(|name| right.split(',').any(|right| right == name));
        for kind in [kind, "all"] {
            let score = scores.entry(kind.to_owned()).or_default();
            score.asked += 1;
            score.found += u32::from(rank.is_some());
            #[expect(clippy::cast_precision_loss, reason = "a rank is small")]
            let reciprocal = rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
            score.reciprocal += reciprocal;
        }
        if rank.is_none() {
            println!("missed ({kind}): {question}: {right}; found {}", found.join(" "));
        }
    }
    for (kind, score) in scores {
        let asked = f64::from(score.asked);
        println!(
            "{kind}: {} questions, recall@{RECALL_AT} {:.2}, MRR {:.2}",
            score.asked,
            f64::from(score.found) / asked,
            score.reciprocal / asked
        );
    }
    told_times("a question", &mut times);
    Ok(())
}

async fn size(chunks: &str, database: Option<&str>) -> Result<(), BoxedError> {
    let wanted: usize = chunks.parse().map_err(|_| USAGE)?;
    let bench = KnowledgeBenchFixture::new(database)?;
    let (begun, mut draw) = (Instant::now(), VocabularySampler(42));
    for number in 0..wanted.div_ceil(CHUNKS_EACH) {
        // One section is one chunk: long enough to stand alone, short enough not to be split.
        let sections = (0..CHUNKS_EACH).map(|section| {
            let words: Vec<String> = (0..WORDS).map(|_| draw.word()).collect();
            format!("# {} {section}\n\n{}\n\n", draw.word(), words.join(" "))
        });
        let text: String = sections.collect();
        bench.add(format!("{number}.md"), DocumentFormat::Markdown, text.into_bytes()).await?;
    }
    bench.told(begun).await?;
    println!("memory after writing: {} MB", memory());
    for words in [1, 3, 6, 12] {
        let mut times = Vec::new();
        for _ in 0..QUESTIONS {
            let question: Vec<String> = (0..words).map(|_| draw.word()).collect();
            times.push(bench.ask(&question.join(" ")).await?.1);
        }
        told_times(&format!("{words} words"), &mut times);
    }
    println!("memory after asking: {} MB", memory());
    Ok(())
}

fn told_times(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
    let (half, most) = (at(50).copied().unwrap_or_default(), at(95).copied().unwrap_or_default());
    println!("{what}: p50 {half:.1} ms, p95 {most:.1} ms");
}

/// Samples words with the frequencies of real texts: few are common, many are rare.
struct VocabularySampler(u64);

impl VocabularySampler {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn word(&mut self) -> String {
        // The product of two draws is more often small than large, like the ranks of words.
        let (one, other) = (self.next() % VOCABULARY, self.next() % VOCABULARY);
        let rank = one * other / VOCABULARY * (self.next() % 100) / 100;
        format!("w{}", letters(rank))
    }
}

/// Encodes a number in letters.
fn letters(mut number: u64) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'a' + u8::try_from(number % 26).unwrap_or(0)));
        number /= 26;
        if number == 0 {
            return text;
        }
    }
}

/// Resident memory of this process, in megabytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
