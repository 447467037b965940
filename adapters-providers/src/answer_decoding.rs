//! Decodes the answers of an entry's server without a network, with the same mappings that its calls use; for tests
//! that play the server.

use entracte_application::ports::{ModelReply, ProviderFailure};
use entracte_domain::session::failure::FailureClass;

use crate::config::ProviderConfig;
use crate::dialect_lookup::dialect_of_kind;
use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::failure::WireFailure;
use crate::profiles::ProviderProfile;
use crate::sse::SseDecoder;

/// Decodes an answer that came in one piece.
///
/// # Errors
/// The failure of a call that receives this answer. An entry without a network decodes no answers.
pub fn decode_whole_answer(entry: &ProviderConfig, body: &[u8]) -> Result<ModelReply, ProviderFailure> {
    let reading = reading(entry)?;
    WireFailure::require_utf8(body).map_err(failure)?;
    dialect_of_kind(entry.kind).decode_whole(body, &reading).map_err(failure)
}

/// Decodes a stream that came in these chunks and then ended.
///
/// # Errors
/// The failure of a call that receives this stream. An entry without a network decodes no answers.
pub fn decode_streamed_answer<'a>(
    entry: &ProviderConfig,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Result<ModelReply, ProviderFailure> {
    let mut decoder = SseDecoder::new(EVENT_LIMIT_BYTES);
    let mut assembler = dialect_of_kind(entry.kind).assembler(&reading(entry)?);
    for chunk in chunks {
        let frames = decoder.push(chunk).map_err(|fault| failure(WireFailure::from_frame_fault(fault)))?;
        for frame in &frames {
            assembler.push_frame(frame).map_err(failure)?;
        }
    }
    assembler.finish().map_err(failure)
}

fn reading(entry: &ProviderConfig) -> Result<ReplyDecodeContext, ProviderFailure> {
    let profile = ProviderProfile::of_kind(entry.kind).ok_or_else(|| ProviderFailure {
        class: FailureClass::Misconfigured,
        message: format!("kind = \"{}\" does not read answers from a network", entry.kind.word()),
        retry_after: None,
        usage: None,
    })?;
    Ok(EncoderSettings::of(profile, entry).reading(entry, entry.model.as_deref().unwrap_or_default()))
}

fn failure(trouble: WireFailure) -> ProviderFailure {
    ProviderFailure {
        class: trouble.class,
        message: trouble.words,
        retry_after: trouble.retry_after,
        usage: trouble.usage,
    }
}

/// Most bytes of one event (64 MiB).
const EVENT_LIMIT_BYTES: usize = 64 << 20;
