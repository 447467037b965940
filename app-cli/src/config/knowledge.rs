//! Documents and the search in them. Pure.

use entracte_application::settings::{KnowledgeSettings, ReaderSettings};

use super::layers::Layer;
use super::value::{Kind, Value};

/// Settings of documents.
pub(super) const KEYS: [(&str, Kind); 16] = [
    ("knowledge.commands", Kind::Flag),
    ("knowledge.documents", Kind::Count(10_000_000)),
    ("knowledge.document_bytes", Kind::Count(1 << 30)),
    ("knowledge.chunk_chars", Kind::Count(100_000)),
    ("knowledge.chunk_max_chars", Kind::Count(100_000)),
    ("knowledge.chunk_overlap", Kind::Count(10_000)),
    ("knowledge.read_timeout", Kind::Span),
    ("knowledge.readers", Kind::Count(256)),
    ("knowledge.folder_depth", Kind::Count(256)),
    ("knowledge.folder_files", Kind::Count(10_000_000)),
    ("knowledge.results", Kind::Count(KnowledgeSettings::RESULTS_MAX as u64)),
    ("knowledge.results_per_document", Kind::Count(KnowledgeSettings::RESULTS_MAX as u64)),
    ("knowledge.snippet_chars", Kind::Count(10_000)),
    ("reader.memory", Kind::Count(1 << 40)),
    ("reader.cpu", Kind::Span),
    ("reader.output", Kind::Count(1 << 32)),
];

/// What the layers say of it.
pub(super) fn knowledge(set: &Layer) -> KnowledgeSettings {
    let usual = KnowledgeSettings::default();
    KnowledgeSettings {
        commands: match set.values.get("knowledge.commands") {
            Some((Value::Flag(flag), _)) => *flag,
            Some(_) | None => usual.commands,
        },
        documents: set.count("knowledge.documents", usual.documents),
        document_bytes: set.count("knowledge.document_bytes", usual.document_bytes),
        chunk_chars: set.size("knowledge.chunk_chars", usual.chunk_chars),
        chunk_max_chars: set.size("knowledge.chunk_max_chars", usual.chunk_max_chars),
        chunk_overlap: set.size("knowledge.chunk_overlap", usual.chunk_overlap),
        read_timeout: set.span("knowledge.read_timeout", usual.read_timeout),
        readers: set.size("knowledge.readers", usual.readers),
        folder_depth: set.size("knowledge.folder_depth", usual.folder_depth),
        folder_files: set.size("knowledge.folder_files", usual.folder_files),
        results: set.size("knowledge.results", usual.results),
        results_per_document: set.size("knowledge.results_per_document", usual.results_per_document),
        snippet_chars: set.size("knowledge.snippet_chars", usual.snippet_chars),
        reader: ReaderSettings {
            memory: set.count("reader.memory", usual.reader.memory),
            cpu: set.span("reader.cpu", usual.reader.cpu),
            output: set.count("reader.output", usual.reader.output),
        },
    }
}

/// Each setting with its value.
pub(super) fn shown(knowledge: &KnowledgeSettings) -> Vec<(&'static str, Value)> {
    vec![
        ("knowledge.commands", Value::Flag(knowledge.commands)),
        ("knowledge.documents", Value::Count(knowledge.documents)),
        ("knowledge.document_bytes", Value::Count(knowledge.document_bytes)),
        ("knowledge.chunk_chars", Value::size(knowledge.chunk_chars)),
        ("knowledge.chunk_max_chars", Value::size(knowledge.chunk_max_chars)),
        ("knowledge.chunk_overlap", Value::size(knowledge.chunk_overlap)),
        ("knowledge.read_timeout", Value::Span(knowledge.read_timeout)),
        ("knowledge.readers", Value::size(knowledge.readers)),
        ("knowledge.folder_depth", Value::size(knowledge.folder_depth)),
        ("knowledge.folder_files", Value::size(knowledge.folder_files)),
        ("knowledge.results", Value::size(knowledge.results)),
        ("knowledge.results_per_document", Value::size(knowledge.results_per_document)),
        ("knowledge.snippet_chars", Value::size(knowledge.snippet_chars)),
        ("reader.memory", Value::Count(knowledge.reader.memory)),
        ("reader.cpu", Value::Span(knowledge.reader.cpu)),
        ("reader.output", Value::Count(knowledge.reader.output)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_shown_with_its_default() {
        let settings = knowledge(&Layer::default());
        let shown: Vec<&str> = shown(&settings).iter().map(|(key, _)| *key).collect();
        assert_eq!(shown, KEYS.map(|(key, _)| key));
        assert_eq!(settings, KnowledgeSettings::default());
    }
}
