//! Helpers of this crate's tests: a request with every kind of part, and streams in any chunking.

use std::sync::Arc;

use entracte_application::ports::{
    AssistantTurn, CommandRequestPolicy, EncodedRequestCache, ModelReply, ModelRequest, NativeCall,
    OutputShape, PromptTurn, ToolDeclaration, UserTurnPart,
};
use entracte_domain::file::FileReference;
use entracte_domain::id::{Digest, SessionId};
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use serde_json::{Value, json};

use crate::config::ProviderConfig;
use crate::dialect::{ReplyStreamDelta, WireDialect};
use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::failure::WireFailure;
use crate::profiles::ProviderProfile;
use crate::sse::SseDecoder;

/// A conversation with one answered call, then a text and a system note.
pub(crate) fn request(raw: Option<ProviderTurn>) -> ModelRequest {
    let asked = AssistantTurn {
        text: "I write it down.".to_owned(),
        calls: vec![NativeCall {
            provider_call_id: "call_01".to_owned(),
            name: "tool_data_create".to_owned(),
            arguments: r#"{"value": 71.0}"#.to_owned(),
        }],
        raw,
    };
    ModelRequest {
        session: SessionId::new("ses_1"),
        model: "model-1".to_owned(),
        encoding: "".into(),
        system: vec!["Level 1".into(), "Level 2".into(), "Level 3".into()],
        turns: vec![
            Arc::new(PromptTurn::User(vec![UserTurnPart::Text("I weigh 71 kg".to_owned())])),
            Arc::new(PromptTurn::Assistant(asked)),
            Arc::new(PromptTurn::User(vec![
                UserTurnPart::System("<system>limits</system>".to_owned()),
                UserTurnPart::Text(" ".to_owned()),
                UserTurnPart::Result {
                    provider_call_id: "call_01".to_owned(),
                    name: "tool_data_create".to_owned(),
                    content: "no such tool".to_owned(),
                    is_error: true,
                    files: Vec::new(),
                },
                UserTurnPart::Text("Go on".to_owned()),
            ])),
        ],
        tools: Arc::new([ToolDeclaration {
            name: "tool_data_create".to_owned(),
            description: "Creates an entry.".to_owned(),
            schema: json!({"type": "object", "properties": {"value": {"type": "number"}}}).into(),
        }]),
        commands: CommandRequestPolicy::Allowed,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

/// The request with an image and a PDF in the result of its call, and both again in a message.
pub(crate) fn request_with_files() -> ModelRequest {
    let file = |name: &str, media_type: &str| FileReference {
        digest: Digest::new(name),
        media_type: media_type.to_owned(),
        name: name.to_owned(),
        bytes: 3,
        dimensions: None,
        pages: None,
        model_form: None,
    };
    let files = vec![file("chart.png", "image/png"), file("report.pdf", "application/pdf")];
    let result = UserTurnPart::Result {
        provider_call_id: "call_01".to_owned(),
        name: "tool_data_create".to_owned(),
        content: "shot taken".to_owned(),
        is_error: false,
        files: files.clone(),
    };
    let mut parts = vec![result, UserTurnPart::Text("Look.".to_owned())];
    parts.extend(files.into_iter().map(UserTurnPart::File));
    let mut asked = request(None);
    asked.turns[2] = Arc::new(PromptTurn::User(parts));
    asked.files.insert(Digest::new("chart.png"), b"png".to_vec());
    asked.files.insert(Digest::new("report.pdf"), b"pdf".to_vec());
    asked
}

/// An output shape that every provider can enforce.
pub(crate) fn strict_shape() -> OutputShape {
    let schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "additionalProperties": false, "required": ["a"], "properties": {"a": {"type": "string"}}});
    OutputShape::Json { name: "envelope".to_owned(), schema: Arc::new(schema.into()) }
}

/// An output shape that no provider can enforce.
pub(crate) fn open_shape() -> OutputShape {
    OutputShape::Json { name: "envelope".to_owned(), schema: Arc::new(json!({"type": "object"}).into()) }
}

/// The encoder settings of an entry.
pub(crate) fn settings(entry: &str) -> EncoderSettings {
    let config = ProviderConfig::from_toml("x", entry).unwrap();
    EncoderSettings::of(ProviderProfile::of_kind(config.kind).unwrap(), &config)
}

/// The decode context for calls of an entry.
pub(crate) fn reading(entry: &str) -> ReplyDecodeContext {
    let config = ProviderConfig::from_toml("x", entry).unwrap();
    settings(entry).reading(&config, config.model.as_deref().unwrap_or_default())
}

/// The text of an entry's request body.
pub(crate) fn body_text(dialect: &dyn WireDialect, request: &ModelRequest, entry: &str) -> String {
    String::from_utf8(crate::request_body::encode_body(dialect, request, &settings(entry)).unwrap().bytes)
        .unwrap()
}

/// The parsed request body of an entry.
pub(crate) fn body(dialect: &dyn WireDialect, request: &ModelRequest, entry: &str) -> Value {
    serde_json::from_str(&body_text(dialect, request, entry)).unwrap()
}

/// Feeds a stream in these chunks; returns the outcome and the text that was shown.
pub(crate) fn stream<'a>(
    dialect: &dyn WireDialect,
    entry: &str,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> (Result<ModelReply, WireFailure>, String) {
    let mut decoder = SseDecoder::new(1 << 20);
    let mut assembler = dialect.assembler(&reading(entry));
    let mut shown = String::new();
    for chunk in chunks {
        let frames = match decoder.push(chunk) {
            Ok(frames) => frames,
            Err(fault) => return (Err(WireFailure::from_frame_fault(fault)), shown),
        };
        for frame in frames {
            match assembler.push_frame(&frame) {
                Ok(piece) => show(piece, &mut shown),
                Err(trouble) => return (Err(trouble), shown),
            }
        }
    }
    match decoder.take_unterminated_frame().map_err(WireFailure::from_frame_fault).and_then(|rest| match rest
    {
        Some(frame) => assembler.push_frame(&frame),
        None => Ok(None),
    }) {
        Ok(piece) => show(piece, &mut shown),
        Err(trouble) => return (Err(trouble), shown),
    }
    (assembler.finish(), shown)
}

fn show(piece: Option<ReplyStreamDelta>, shown: &mut String) {
    if let Some(ReplyStreamDelta::Text(words)) = piece {
        shown.push_str(&words);
    }
}

/// The reasoning that a stream shows.
pub(crate) fn thoughts(dialect: &dyn WireDialect, entry: &str, sse: &str) -> String {
    let mut assembler = dialect.assembler(&reading(entry));
    let frames = SseDecoder::new(1 << 20).push(sse.as_bytes()).unwrap();
    let pieces = frames.iter().filter_map(|frame| match assembler.push_frame(frame).unwrap() {
        Some(ReplyStreamDelta::Thought(words)) => Some(words),
        Some(ReplyStreamDelta::Text(_)) | None => None,
    });
    pieces.collect()
}

/// Cut before the line with `last`, which reports the model's end, a stream is lost; cut after it, the reply is whole.
/// The chunking does not change the result.
pub(crate) fn check_cuts_and_chunks(dialect: &dyn WireDialect, entry: &str, sse: &str, last: &str) {
    let said_all = sse.rfind(last).map(|at| at + sse[at..].find('\n').unwrap()).unwrap();
    let bytes = sse.as_bytes();
    let (whole, shown) = stream(dialect, entry, [bytes]);
    let whole = whole.unwrap();
    for cut in 0..bytes.len() {
        let (outcome, heard) = stream(dialect, entry, [&bytes[..cut]]);
        if let Ok(reply) = &outcome
            && cut >= said_all
        {
            assert_eq!((&reply.text, &reply.calls), (&whole.text, &whole.calls), "cut at {cut}");
            continue;
        }
        let trouble = outcome.expect_err("a cut stream is not a whole reply");
        assert_eq!(trouble.class, FailureClass::Lost, "cut at {cut}: {trouble:?}");
        assert_eq!(trouble.usage, None, "cut at {cut}");
        assert!(shown.starts_with(&heard), "cut at {cut}: {heard}");
    }
    let runner = &mut proptest::test_runner::TestRunner::deterministic();
    let sizes = proptest::collection::vec(1usize..97, 1..20);
    let outcome = runner.run(&sizes, |sizes| {
        let (reply, heard) = stream(dialect, entry, chunked(bytes, &sizes));
        assert_eq!((reply.unwrap(), heard), (whole.clone(), shown.clone()));
        Ok(())
    });
    outcome.unwrap();
    let (reply, heard) = stream(dialect, entry, bytes.chunks(1));
    assert_eq!((reply.unwrap(), heard), (whole, shown));
}

/// Checks that damaged streams never cause a panic.
pub(crate) fn check_damage(dialect: &dyn WireDialect, entry: &str, sse: &str) {
    for at in (0..sse.len()).step_by(3) {
        for damage in *b"\n{}\"0 \xff" {
            let mut bytes = sse.as_bytes().to_vec();
            bytes[at] = damage;
            let _ = stream(dialect, entry, [bytes.as_slice()]);
        }
    }
}

fn chunked<'a>(bytes: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut chunks = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, later) = rest.split_at((*size).min(rest.len()));
        chunks.push(chunk);
        rest = later;
    }
    chunks
}

/// The class of an error answer.
pub(crate) fn class(status: u16, body: &str) -> FailureClass {
    crate::failure_table::classify(status, &crate::server_error::ServerError::read(body.as_bytes())).0
}
