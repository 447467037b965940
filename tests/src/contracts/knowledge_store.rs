//! The contract suite of [`KnowledgeStore`].

use std::any::Any;
use std::sync::Arc;

use entracte_application::ports::{
    ChunkQuery, DocumentChunk, DocumentFormat, DocumentWriteOutcome, KnowledgeDocument, KnowledgeStatistics,
    KnowledgeStore, NewDocumentChunk, NewKnowledgeDocument, ReadingGaps, UnreadDocumentCondition,
    UnreadRemovalOutcome,
};
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;

use super::rows::{HOME, key};

const AWAY: &str = "eve:other";

/// The store under test, and the resources it needs.
pub struct KnowledgeStoreFixture {
    /// The store.
    pub store: Arc<dyn KnowledgeStore>,
    /// A temporary directory or a server that must outlive the store.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// A document with these texts as chunks; each word is a term.
pub fn document(id: &str, name: &str, texts: &[&str]) -> NewKnowledgeDocument {
    let mut at = 0;
    let chunks: Vec<NewDocumentChunk> = texts
        .iter()
        .map(|text| {
            let start = at;
            at += text.len() as u64;
            NewDocumentChunk {
                heading: vec!["Guide".into(), "Travel & more".into()],
                text: (*text).to_owned(),
                start,
                end: at,
                heading_terms: vec!["guid".into(), "travel".into()],
                terms: text.split_whitespace().map(str::to_owned).collect(),
            }
        })
        .collect();
    NewKnowledgeDocument {
        document: KnowledgeDocument {
            id: id.to_owned(),
            name: name.to_owned(),
            source: format!("/srv/{name}"),
            format: DocumentFormat::Markdown,
            title: "Guide".to_owned(),
            language: "en".to_owned(),
            digest: Digest::new(format!("hash of {texts:?}")),
            bytes: at,
            chunks: u32::try_from(chunks.len()).unwrap(),
            author: "ann".to_owned(),
            added_at: Timestamp(1),
            changed_at: Timestamp(1),
            gaps: ReadingGaps {
                lost: [2, 3, 5].into_iter().collect(),
                pictures: [9].into_iter().collect(),
                hidden_texts: 2,
                outside_style_sheets: 1,
                broken_characters: 4,
                is_article_only: true,
                ocr_program: Some("tesseract".to_owned()),
            },
            last_read_at: None,
        },
        body: None,
        chunks,
    }
}

async fn found(knowledge: &KnowledgeStoreFixture, place: &str, wanted: ChunkQuery) -> Vec<String> {
    let found = knowledge.store.search_chunks(&key(place), &wanted, 10).await.unwrap();
    let mut texts: Vec<String> = found.into_iter().map(|candidate| candidate.chunk.text).collect();
    texts.sort();
    texts
}

fn any(terms: &[&str]) -> ChunkQuery {
    ChunkQuery::Any(terms.iter().map(|term| (*term).to_owned()).collect())
}

fn all(words: &[&[&str]]) -> ChunkQuery {
    ChunkQuery::All(words.iter().map(|word| word.iter().map(|term| (*term).to_owned()).collect()).collect())
}

/// Every column is read back; a structured document with its JSON.
pub async fn a_document_is_read_back_as_it_was_written(knowledge: KnowledgeStoreFixture) {
    let (store, home) = (&knowledge.store, key(HOME));
    let text = document("doc_1", "guide.md", &["train ticket ", "hotel room"]);
    assert_eq!(
        store.write_document(&home, text.clone(), 9).await.unwrap(),
        DocumentWriteOutcome::Added(text.document.clone())
    );
    let mut data = document("doc_2", "data.json", &["name ann"]);
    data.document.format = DocumentFormat::Json;
    data.document.language = "fr".into();
    data.body = Some(r#"{"name":"ann"}"#.into());
    store.write_document(&home, data.clone(), 9).await.unwrap();
    for which in ["doc_1", "guide.md"] {
        assert_eq!(store.document(&home, which).await.unwrap(), Some(text.document.clone()));
    }
    assert_eq!(store.body(&home, "doc_1").await.unwrap(), None);
    assert_eq!(store.body(&home, "doc_2").await.unwrap(), data.body);
    let names = |documents: Vec<KnowledgeDocument>| -> Vec<String> {
        documents.into_iter().map(|document| document.name).collect()
    };
    assert_eq!(names(store.documents(&home, None, 9).await.unwrap()), ["data.json", "guide.md"]);
    assert_eq!(names(store.documents(&home, Some("data.json".into()), 9).await.unwrap()), ["guide.md"]);
    assert_eq!(names(store.documents(&home, None, 1).await.unwrap()), ["data.json"]);
    let chunks = store.chunks(&home, "doc_1", 0, 9).await.unwrap();
    let expected = |ordinal: usize| {
        let new = &text.chunks[ordinal];
        DocumentChunk {
            number: chunks[ordinal].number,
            document: "doc_1".into(),
            ordinal: u32::try_from(ordinal).unwrap(),
            heading: new.heading.clone(),
            text: new.text.clone(),
            start: new.start,
            end: new.end,
        }
    };
    assert_eq!(chunks, [expected(0), expected(1)]);
    assert_eq!(store.chunks(&home, "doc_1", 13, 9).await.unwrap(), [expected(1)], "what ends behind it");
    assert_eq!(store.chunks_by_number(&home, &[chunks[1].number, 0]).await.unwrap(), [expected(1)]);
    assert_eq!(store.chunks_after(&home, chunks[0].number, 1).await.unwrap(), [expected(1)]);
    let library = store.library(&home).await.unwrap();
    let languages = vec!["en".to_owned(), "fr".to_owned()];
    assert_eq!(library, KnowledgeStatistics { documents: 2, chunks: 3, terms: 12, revision: 2, languages });
    assert_eq!(store.library(&key(AWAY)).await.unwrap(), KnowledgeStatistics::default());
}

/// Its id and creation instant stay; none of its old words is found.
pub async fn a_document_is_replaced_by_its_name(knowledge: KnowledgeStoreFixture) {
    let (store, home) = (&knowledge.store, key(HOME));
    store.write_document(&home, document("doc_1", "guide.md", &["train ticket", "hotel"]), 1).await.unwrap();
    let old = store.chunks(&home, "doc_1", 0, 9).await.unwrap();
    let mut new = document("doc_9", "guide.md", &["train bicycle"]);
    new.document.changed_at = Timestamp(7);
    new.document.added_at = Timestamp(7);
    let DocumentWriteOutcome::Replaced(replaced) = store.write_document(&home, new.clone(), 1).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(
        (replaced.id.as_str(), replaced.added_at, replaced.changed_at),
        ("doc_1", Timestamp(1), Timestamp(7))
    );
    assert_eq!(store.document(&home, "guide.md").await.unwrap(), Some(replaced));
    assert_eq!(store.document(&home, "doc_9").await.unwrap(), None);
    assert_eq!(found(&knowledge, HOME, any(&["ticket", "hotel"])).await, Vec::<String>::new());
    assert_eq!(found(&knowledge, HOME, any(&["bicycle"])).await, ["train bicycle"]);
    let wanted = ["train", "ticket", "hotel", "bicycle"].map(str::to_owned);
    let counted = store.frequencies(&home, &wanted).await.unwrap();
    assert_eq!(counted, [("train".to_owned(), 1), ("bicycle".to_owned(), 1)]);
    let chunks = store.chunks(&home, "doc_1", 0, 9).await.unwrap();
    assert!(old.iter().all(|old| old.number < chunks[0].number), "numbers never come again");
    let library = store.library(&home).await.unwrap();
    assert_eq!((library.documents, library.chunks, library.terms, library.revision), (1, 1, 4, 2));
}

/// A full library refuses another document and stays unchanged.
pub async fn a_library_has_as_many_documents_as_it_may(knowledge: KnowledgeStoreFixture) {
    let (store, home) = (&knowledge.store, key(HOME));
    store.write_document(&home, document("doc_1", "a.md", &["one"]), 1).await.unwrap();
    assert_eq!(
        store.write_document(&home, document("doc_2", "b.md", &["two"]), 1).await.unwrap(),
        DocumentWriteOutcome::Full
    );
    assert_eq!(store.document(&home, "b.md").await.unwrap(), None);
    assert_eq!(found(&knowledge, HOME, any(&["two"])).await, Vec::<String>::new());
}

/// Searches for words of the text and of the headings; all of them, or any.
pub async fn chunks_are_found_by_their_terms(knowledge: KnowledgeStoreFixture) {
    let (store, home) = (&knowledge.store, key(HOME));
    let texts = ["train ticket", "train hotel", "東京 train café2", "boat"];
    store.write_document(&home, document("doc_1", "a.md", &texts), 9).await.unwrap();
    assert_eq!(
        found(&knowledge, HOME, all(&[&["train"], &["hotel", "ticket"]])).await,
        ["train hotel", "train ticket"]
    );
    assert_eq!(found(&knowledge, HOME, any(&["boat", "ticket"])).await, ["boat", "train ticket"]);
    assert_eq!(found(&knowledge, HOME, all(&[&["東京"], &["café2"]])).await, ["東京 train café2"]);
    assert_eq!(found(&knowledge, HOME, all(&[&["travel"], &["boat"]])).await, ["boat"], "a heading");
    assert_eq!(found(&knowledge, HOME, any(&["trai"])).await, Vec::<String>::new(), "whole terms only");
    // A term that looks like a search operator, or like the end of a string, is a term like any other.
    for hostile in ["and", "near", "not", "x\" OR \"boat", "' | 'boat", "*", "space1", "#1", ""] {
        let found = found(&knowledge, HOME, any(&[hostile, "nothing"])).await;
        assert_eq!(found, Vec::<String>::new(), "{hostile:?}");
    }
    let limited = store.search_chunks(&home, &any(&["train"]), 2).await.unwrap();
    assert_eq!(limited.len(), 2);
    assert_eq!(limited[0].heading_terms, ["guid", "travel"]);
}

/// Its chunks, index rows and counts are removed.
pub async fn a_removed_document_is_gone_with_its_chunks(knowledge: KnowledgeStoreFixture) {
    let (store, home) = (&knowledge.store, key(HOME));
    store.write_document(&home, document("doc_1", "a.md", &["train ticket", "train"]), 9).await.unwrap();
    store.write_document(&home, document("doc_2", "b.md", &["train"]), 9).await.unwrap();
    assert!(store.remove(&home, "doc_1").await.unwrap());
    assert!(!store.remove(&home, "doc_1").await.unwrap());
    assert_eq!(store.document(&home, "a.md").await.unwrap(), None);
    assert_eq!(store.chunks(&home, "doc_1", 0, 9).await.unwrap(), []);
    assert_eq!(found(&knowledge, HOME, any(&["train", "ticket"])).await, ["train"]);
    let counted = store.frequencies(&home, &["train".into(), "ticket".into(), "guid".into()]).await.unwrap();
    assert_eq!(counted, [("train".to_owned(), 1), ("guid".to_owned(), 1)]);
    assert!(store.remove(&home, "doc_2").await.unwrap());
    let library = store.library(&home).await.unwrap();
    assert_eq!((library.documents, library.chunks, library.terms), (0, 0, 0));
}

/// A later note stays, also when the document is replaced; a document of the same id that is added later has none.
pub async fn reads_of_documents_are_noted(knowledge: KnowledgeStoreFixture) {
    let (store, home) = (&knowledge.store, key(HOME));
    store.write_document(&home, document("doc_1", "guide.md", &["train ticket"]), 9).await.unwrap();
    store.write_document(&key(AWAY), document("doc_2", "guide.md", &["train ticket"]), 9).await.unwrap();
    let read = async |place: &str, id: &str| {
        store.document(&key(place), id).await.unwrap().and_then(|document| document.last_read_at)
    };
    assert_eq!(read(HOME, "doc_1").await, None);
    let ids = ["doc_1", "doc_2", "doc_9"].map(str::to_owned);
    store.note_reads(&home, &ids, Timestamp(50)).await.unwrap();
    store.note_reads(&home, &ids, Timestamp(40)).await.unwrap();
    assert_eq!(read(HOME, "doc_1").await, Some(Timestamp(50)));
    assert_eq!(read(AWAY, "doc_2").await, None, "a workspace is a wall");
    let listed = store.documents(&home, None, 9).await.unwrap();
    assert_eq!(listed[0].last_read_at, Some(Timestamp(50)));
    let replaced = store.write_document(&home, document("doc_3", "guide.md", &["bicycle"]), 9).await.unwrap();
    let DocumentWriteOutcome::Replaced(replaced) = replaced else { panic!("{replaced:?}") };
    assert_eq!(replaced.last_read_at, Some(Timestamp(50)));
    assert_eq!(store.document(&home, "guide.md").await.unwrap(), Some(replaced));
    assert!(store.remove(&home, "doc_1").await.unwrap());
    store.write_document(&home, document("doc_1", "guide.md", &["train ticket"]), 9).await.unwrap();
    assert_eq!(read(HOME, "doc_1").await, None);
}

/// What was changed or read at the instant, or later, stays, and all of a workspace with another number.
pub async fn only_unread_documents_are_removed_as_unread(knowledge: KnowledgeStoreFixture) {
    use UnreadRemovalOutcome::{Kept, Removed, WorkspaceChanged};
    let (store, home) = (&knowledge.store, key(HOME));
    store.write_document(&home, document("doc_1", "a.md", &["train ticket"]), 9).await.unwrap();
    store.write_document(&home, document("doc_2", "b.md", &["hotel room"]), 9).await.unwrap();
    store.note_reads(&home, &["doc_2".to_owned()], Timestamp(50)).await.unwrap();
    let remove = async |place: &str, id: &str, before| {
        let condition = UnreadDocumentCondition { before: Timestamp(before), workspace_seq: None };
        store.remove_unread(&key(place), id, condition).await.unwrap()
    };
    assert_eq!(remove(HOME, "doc_1", 1).await, Kept, "it was changed then");
    assert_eq!(remove(HOME, "doc_2", 50).await, Kept, "it was read then");
    assert_eq!(remove(AWAY, "doc_1", 99).await, Kept, "a workspace is a wall");
    let other = UnreadDocumentCondition { before: Timestamp(99), workspace_seq: Some(3) };
    assert_eq!(store.remove_unread(&home, "doc_1", other).await.unwrap(), WorkspaceChanged);
    assert_eq!(found(&knowledge, HOME, any(&["train"])).await, ["train ticket"]);
    assert_eq!(remove(HOME, "doc_1", 2).await, Removed);
    assert_eq!(remove(HOME, "doc_1", 2).await, Kept, "it is gone");
    assert_eq!(found(&knowledge, HOME, any(&["train"])).await, Vec::<String>::new());
    assert_eq!(remove(HOME, "doc_2", 51).await, Removed);
    let library = store.library(&home).await.unwrap();
    assert_eq!((library.documents, library.chunks, library.terms), (0, 0, 0));
}

/// Ids, names, numbers and words of another workspace find nothing, and its counts are its own.
pub async fn what_another_workspace_knows_is_not_found(knowledge: KnowledgeStoreFixture) {
    let (store, home, away) = (&knowledge.store, key(HOME), key(AWAY));
    store.write_document(&home, document("doc_1", "a.md", &["train ticket"]), 9).await.unwrap();
    store.write_document(&away, document("doc_2", "a.md", &["train"]), 9).await.unwrap();
    let number = store.chunks(&home, "doc_1", 0, 9).await.unwrap()[0].number;
    assert_eq!(store.document(&away, "doc_1").await.unwrap(), None);
    assert_eq!(store.body(&away, "doc_1").await.unwrap(), None);
    assert_eq!(store.chunks(&away, "doc_1", 0, 9).await.unwrap(), []);
    assert_eq!(store.chunks_by_number(&away, &[number]).await.unwrap(), []);
    assert!(store.chunks_after(&away, 0, 9).await.unwrap().iter().all(|chunk| chunk.document == "doc_2"));
    assert_eq!(found(&knowledge, AWAY, any(&["train", "ticket"])).await, ["train"]);
    assert_eq!(store.frequencies(&away, &["ticket".into()]).await.unwrap(), []);
    assert!(!store.remove(&away, "doc_1").await.unwrap());
    assert_eq!(found(&knowledge, HOME, any(&["ticket"])).await, ["train ticket"]);
}
