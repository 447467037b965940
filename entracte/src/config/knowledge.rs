//! Settings of documents and their search. Pure.

use entracte_application::settings::{KnowledgeSettings, OcrSettings, ReaderSettings, WebPageScope};
use entracte_domain::keyword_enum::KeywordEnum;

use super::layers::ConfigLayer;
use super::server::list;
use super::value::{SettingValue, SettingValueKind};

/// Settings of documents.
pub(super) const KEYS: [(&str, SettingValueKind); 25] = [
    ("knowledge.commands", SettingValueKind::Flag),
    ("knowledge.documents", SettingValueKind::Count(10_000_000)),
    ("knowledge.document_bytes", SettingValueKind::Count(1 << 30)),
    ("knowledge.chunk_chars", SettingValueKind::Count(100_000)),
    ("knowledge.chunk_max_chars", SettingValueKind::Count(100_000)),
    ("knowledge.chunk_overlap", SettingValueKind::Count(10_000)),
    ("knowledge.read_timeout", SettingValueKind::Span),
    ("knowledge.readers", SettingValueKind::Count(256)),
    ("knowledge.waiting", SettingValueKind::Count(10_000)),
    ("knowledge.wait_timeout", SettingValueKind::Span),
    ("knowledge.small_bytes", SettingValueKind::Count(1 << 30)),
    ("knowledge.small_readers", SettingValueKind::Count(256)),
    ("knowledge.folder_depth", SettingValueKind::Count(256)),
    ("knowledge.folder_files", SettingValueKind::Count(10_000_000)),
    ("knowledge.results", SettingValueKind::Count(KnowledgeSettings::RESULTS_MAX as u64)),
    ("knowledge.results_per_document", SettingValueKind::Count(KnowledgeSettings::RESULTS_MAX as u64)),
    ("knowledge.snippet_chars", SettingValueKind::Count(10_000)),
    ("reader.memory", SettingValueKind::Count(1 << 40)),
    ("reader.cpu", SettingValueKind::Span),
    ("reader.output", SettingValueKind::Count(1 << 32)),
    ("knowledge.web_pages", SettingValueKind::Word(<WebPageScope as KeywordEnum>::WORDS)),
    ("reader.ocr", SettingValueKind::Text),
    ("reader.ocr_arguments", SettingValueKind::List),
    ("reader.ocr_memory", SettingValueKind::Count(1 << 40)),
    ("reader.ocr_cpu", SettingValueKind::Span),
];

/// The document settings of the layers.
pub(super) fn knowledge(set: &ConfigLayer) -> KnowledgeSettings {
    let usual = KnowledgeSettings::default();
    KnowledgeSettings {
        commands: match set.values.get("knowledge.commands") {
            Some((SettingValue::Flag(flag), _)) => *flag,
            Some(_) | None => usual.commands,
        },
        documents: set.count("knowledge.documents", usual.documents),
        document_bytes: set.count("knowledge.document_bytes", usual.document_bytes),
        chunk_chars: set.size("knowledge.chunk_chars", usual.chunk_chars),
        chunk_max_chars: set.size("knowledge.chunk_max_chars", usual.chunk_max_chars),
        chunk_overlap: set.size("knowledge.chunk_overlap", usual.chunk_overlap),
        read_timeout: set.span("knowledge.read_timeout", usual.read_timeout),
        readers: set.size("knowledge.readers", usual.readers),
        waiting: set.size("knowledge.waiting", usual.waiting),
        wait_timeout: set.span("knowledge.wait_timeout", usual.wait_timeout),
        small_bytes: set.count("knowledge.small_bytes", usual.small_bytes),
        small_readers: set.size("knowledge.small_readers", usual.small_readers),
        folder_depth: set.size("knowledge.folder_depth", usual.folder_depth),
        folder_files: set.size("knowledge.folder_files", usual.folder_files),
        results: set.size("knowledge.results", usual.results),
        results_per_document: set.size("knowledge.results_per_document", usual.results_per_document),
        snippet_chars: set.size("knowledge.snippet_chars", usual.snippet_chars),
        reader: ReaderSettings {
            memory: set.count("reader.memory", usual.reader.memory),
            cpu: set.span("reader.cpu", usual.reader.cpu),
            output: set.count("reader.output", usual.reader.output),
            web_pages: set
                .text("knowledge.web_pages")
                .and_then(WebPageScope::from_word)
                .unwrap_or(usual.reader.web_pages),
        },
        ocr: OcrSettings {
            program: set.text("reader.ocr").map(str::to_owned).or(usual.ocr.program),
            arguments: list(set.text("reader.ocr_arguments")).map(str::to_owned).collect(),
            memory: set.count("reader.ocr_memory", usual.ocr.memory),
            cpu: set.span("reader.ocr_cpu", usual.ocr.cpu),
        },
    }
}

/// Each setting with its value.
pub(super) fn shown(knowledge: &KnowledgeSettings) -> Vec<(&'static str, SettingValue)> {
    vec![
        ("knowledge.commands", SettingValue::Flag(knowledge.commands)),
        ("knowledge.documents", SettingValue::Count(knowledge.documents)),
        ("knowledge.document_bytes", SettingValue::Count(knowledge.document_bytes)),
        ("knowledge.chunk_chars", SettingValue::size(knowledge.chunk_chars)),
        ("knowledge.chunk_max_chars", SettingValue::size(knowledge.chunk_max_chars)),
        ("knowledge.chunk_overlap", SettingValue::size(knowledge.chunk_overlap)),
        ("knowledge.read_timeout", SettingValue::Span(knowledge.read_timeout)),
        ("knowledge.readers", SettingValue::size(knowledge.readers)),
        ("knowledge.waiting", SettingValue::size(knowledge.waiting)),
        ("knowledge.wait_timeout", SettingValue::Span(knowledge.wait_timeout)),
        ("knowledge.small_bytes", SettingValue::Count(knowledge.small_bytes)),
        ("knowledge.small_readers", SettingValue::size(knowledge.small_readers)),
        ("knowledge.folder_depth", SettingValue::size(knowledge.folder_depth)),
        ("knowledge.folder_files", SettingValue::size(knowledge.folder_files)),
        ("knowledge.results", SettingValue::size(knowledge.results)),
        ("knowledge.results_per_document", SettingValue::size(knowledge.results_per_document)),
        ("knowledge.snippet_chars", SettingValue::size(knowledge.snippet_chars)),
        ("reader.memory", SettingValue::Count(knowledge.reader.memory)),
        ("reader.cpu", SettingValue::Span(knowledge.reader.cpu)),
        ("reader.output", SettingValue::Count(knowledge.reader.output)),
        ("knowledge.web_pages", SettingValue::Text(knowledge.reader.web_pages.word().to_owned())),
        ("reader.ocr", SettingValue::Text(knowledge.ocr.program.clone().unwrap_or_default())),
        ("reader.ocr_arguments", SettingValue::Text(knowledge.ocr.arguments.join(", "))),
        ("reader.ocr_memory", SettingValue::Count(knowledge.ocr.memory)),
        ("reader.ocr_cpu", SettingValue::Span(knowledge.ocr.cpu)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_shown_with_its_default() {
        let settings = knowledge(&ConfigLayer::default());
        let shown: Vec<&str> = shown(&settings).iter().map(|(key, _)| *key).collect();
        assert_eq!(shown, KEYS.map(|(key, _)| key));
        assert_eq!(settings, KnowledgeSettings::default());
    }
}
