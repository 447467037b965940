//! Every parser of untrusted bytes, as one function each: no input may make it panic, and it asserts the properties of
//! the result. The fuzz targets (`fuzz/`) and the test that reads their seeds run the same functions.

#![expect(clippy::expect_used, reason = "these are tests, in a library")]

use std::sync::OnceLock;

use entracte_adapters_commands::knowledge::DocumentReader;
use entracte_adapters_providers::answer_decoding;
use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::wire::SseDecoder;
use entracte_application::files::{accept_file, make_model_form};
use entracte_application::json_value;
use entracte_application::knowledge::{cut_markdown, cut_records, cut_text};
use entracte_application::ports::{DocumentContent, DocumentConverter as _, DocumentFormat};
use entracte_application::protocol::envelope;
use entracte_application::schema::{Schema, SchemaDocument};
use entracte_application::session_export::SessionExport;
use entracte_application::settings::{
    ChunkSizeBounds, FileSettings, KnowledgeSettings, Language, ReaderSettings, SchemaBounds,
};
use entracte_application::terminal_text;
use entracte_domain::file::PixelDimensions;
use entracte_domain::id::WorkspaceKey;
use tokio::runtime::Runtime;

/// A parser of untrusted bytes.
#[derive(Clone, Copy, Debug)]
pub struct UntrustedBytesParser {
    /// The name of its fuzz target, and of the folder of its seeds.
    pub name: &'static str,
    /// Parses bytes, and panics if the parser has a defect.
    pub read: fn(&[u8]),
}

/// All parsers.
pub const PARSERS: [UntrustedBytesParser; 11] = [
    UntrustedBytesParser { name: "json", read: read_json },
    UntrustedBytesParser { name: "schema", read: read_schema },
    UntrustedBytesParser { name: "events", read: read_events },
    UntrustedBytesParser { name: "answer", read: read_answer },
    UntrustedBytesParser { name: "envelope", read: read_envelope },
    UntrustedBytesParser { name: "session_file", read: read_session_file },
    UntrustedBytesParser { name: "shown_text", read: read_shown_text },
    UntrustedBytesParser { name: "html", read: read_html },
    UntrustedBytesParser { name: "pdf", read: read_pdf },
    UntrustedBytesParser { name: "data", read: read_data },
    UntrustedBytesParser { name: "attached_file", read: read_attached_file },
];

/// Arguments of calls, results of tools, bodies of requests: the parsed value is written unchanged.
pub fn read_json(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(value) = json_value::parse(text) else { return };
    assert_eq!(json_value::parse(&value.to_json()).as_ref(), Ok(&value), "{text}");
    assert_eq!(json_value::parse(&terminal_text::escape_json(&value.to_json())), Ok(value), "{text}");
}

/// Schemas of external tools: an accepted one checks any value in bounded steps.
pub fn read_schema(bytes: &[u8]) {
    let Some(written) = std::str::from_utf8(bytes).ok().and_then(|text| SchemaDocument::parse(text).ok())
    else {
        return;
    };
    let bounds = SchemaBounds::default();
    let strict = Schema::new(&written, &bounds);
    let Ok(schema) = Schema::of_tool(&written, &bounds) else { return assert!(strict.is_err(), "{written}") };
    let _ = schema.faults(&written, 10);
}

/// Server-sent events: the result does not depend on how they are split.
pub fn read_events(bytes: &[u8]) {
    let frames = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let mut decoder = SseDecoder::new(1 << 16);
        let mut all = Vec::new();
        for piece in pieces {
            all.extend(decoder.push(piece).ok()?);
        }
        all.extend(decoder.take_unterminated_frame().ok()?);
        Some(all)
    };
    let whole = frames(&mut std::iter::once(bytes));
    let single = frames(&mut bytes.chunks(1));
    assert!(whole.is_none() || single.is_none() || whole == single);
}

/// Responses of model providers in every dialect, in one piece and as a stream.
pub fn read_answer(bytes: &[u8]) {
    for kind in ["claude", "openai", "groq"] {
        let entry = serde_json::json!({ "kind": kind, "model": "m" });
        let entry: ProviderConfig = serde_json::from_value(entry).expect("an entry of a provider");
        let _ = answer_decoding::decode_whole_answer(&entry, bytes);
        let _ = answer_decoding::decode_streamed_answer(&entry, bytes.chunks(7));
    }
}

/// The envelope that a model writes.
pub fn read_envelope(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = envelope::parse_reply(text, Language::En);
    }
}

/// The file of a session that is imported.
pub fn read_session_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(document) = SessionExport::decode(text) else { return };
    let written = document.encode().expect("what was read is written");
    assert_eq!(SessionExport::decode(&written).as_ref(), Ok(&document));
}

/// Untrusted text for a screen: no hidden character remains.
pub fn read_shown_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert!(!terminal_text::one_line(&text).chars().any(terminal_text::is_invisible));
    let moves = |character: char| !matches!(character, '\n' | '\t') && terminal_text::is_invisible(character);
    assert!(!terminal_text::block(&text).chars().any(moves));
    assert!(!terminal_text::prefix_lines_with_bar(&text, 40).chars().any(moves));
    let _ = terminal_text::mixed_words(&text);
    let _ = terminal_text::confusable_name_marks(&text, &["name"]);
}

/// Web pages.
pub fn read_html(bytes: &[u8]) {
    read_document(DocumentFormat::Html, bytes);
}

/// PDFs, parsed in this process without a memory limit: give the fuzzer one.
pub fn read_pdf(bytes: &[u8]) {
    read_document(DocumentFormat::Pdf, bytes);
}

/// Documents of all other formats, in every encoding.
pub fn read_data(bytes: &[u8]) {
    for format in [DocumentFormat::Csv, DocumentFormat::Json, DocumentFormat::Markdown, DocumentFormat::Text]
    {
        read_document(format, bytes);
    }
}

/// Files of conversations: an accepted one is within the limits, what was removed from it once is gone, and the form that models
/// get of an image is within its bounds.
pub fn read_attached_file(bytes: &[u8]) {
    let limits = FileSettings { max_bytes: 1 << 20, ..FileSettings::default() };
    let Ok(accepted) = accept_file("photo", bytes.to_vec(), &limits) else { return };
    let pixels = accepted.file.dimensions.map_or(1, PixelDimensions::area);
    assert!(pixels > 0 && pixels <= limits.megapixels * 1_000_000, "{:?}", accepted.file);
    assert_eq!(accepted.file.bytes, accepted.bytes.len() as u64);
    assert_eq!(accept_file("photo", accepted.bytes.clone(), &limits), Ok(accepted));
    if pixels <= DECODED_PIXELS {
        convert_image(bytes, &limits);
    }
}

/// The most pixels of an image that is decoded here: larger ones only take longer.
const DECODED_PIXELS: u64 = 1_000_000;

/// Makes the form for models of an image, which is within its bounds if there is one.
fn convert_image(bytes: &[u8], limits: &FileSettings) {
    let small = FileSettings { model_image_side: 16, model_image_bytes: 4_096, ..*limits };
    let accepted = accept_file("photo", bytes.to_vec(), &small).expect("it was accepted before");
    let reader = DocumentReader::new(&KnowledgeSettings::default());
    let made = runtime().block_on(make_model_form(accepted, &reader, &WorkspaceKey::new("ann:home")));
    let Some(form) = made.ok().and_then(|made| made.file.model_form) else { return };
    assert!(form.dimensions.width.max(form.dimensions.height) <= 16 && form.bytes <= 4_096, "{form:?}");
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("a runtime"))
}

/// Parses a document and cuts it into chunks, which together contain all of a plain text.
fn read_document(format: DocumentFormat, bytes: &[u8]) {
    let bounds = ReaderSettings { output: 1 << 20, ..ReaderSettings::default() };
    let settings = KnowledgeSettings { reader: bounds, ..KnowledgeSettings::default() };
    let reader = DocumentReader::new(&settings);
    let (sizes, most) = (ChunkSizeBounds::default(), 1 << 20);
    match runtime().block_on(reader.convert(&WorkspaceKey::new("ann:home"), format, bytes.to_vec())) {
        Ok(DocumentContent::Markdown(text) | DocumentContent::Extracted { text, .. }) => {
            let pieces = cut_markdown(&text, sizes);
            assert!(pieces.iter().all(|piece| text.get(piece.at.clone()).is_some()));
        }
        Ok(DocumentContent::Plain(text)) => {
            let pieces = cut_text(&text, sizes);
            assert!(pieces.iter().all(|piece| text.get(piece.at.clone()).is_some()));
        }
        Ok(DocumentContent::Structured(value)) => {
            let pieces = cut_records(&value, sizes, most).unwrap_or_default();
            assert!(pieces.iter().map(|piece| piece.text.len()).sum::<usize>() <= most + pieces.len());
        }
        Err(_) => {}
    }
}
