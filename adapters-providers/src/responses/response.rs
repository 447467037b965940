//! Decodes a Responses answer into the neutral reply.
//!
//! Pure. There is no finish reason: a turn requests calls if a `function_call` is among its items. Items are stored
//! byte for byte.

use entracte_application::ports::{ModelReply, NativeCall, ReplyEnd};
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage as Tokens;

use serde_json::Value;

use super::error;
use super::wire::{Answer, ReadItem, ReadPart};
use crate::call_id_format::have_valid_ids;
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::{FailureSubject, WireFailure};
use crate::prices::{MeteredUsage, TokenCounts, nonstandard_tier};
use crate::text::array_of;

/// Decodes an answer that came in one piece.
pub(super) fn whole(body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
    if answer.status.is_none() && answer.output.is_empty() {
        // Some servers report a failure with a success status.
        if let Some(failed) = answer.error.as_ref().filter(|error| !error.is_null()) {
            return Err(error::failed(Some(failed)));
        }
        return Err(WireFailure::foreign("it has neither status nor output"));
    }
    reply(answer, reading)
}

/// Converts a complete answer into a reply.
pub(super) fn reply(answer: Answer, reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let usage = tokens(&answer, reading);
    let end = end(&answer).map_err(|trouble| trouble.with_usage(usage))?;
    let said = ResponseOutput::read(&answer)?;
    if let Some(refusal) = said.refusal {
        return Err(refused(&refusal).with_usage(usage));
    }
    // A cut turn may end in an open call or in reasoning alone, which the API refuses to take back.
    let keeps_raw = end == ReplyEnd::Done
        && !(said.text.is_empty() && said.calls.is_empty())
        && have_valid_ids(&said.calls);
    Ok(ModelReply {
        raw: keeps_raw.then(|| ProviderTurn {
            dialect: reading.profile.raw_dialect.to_owned(),
            bytes: array_of(&answer.output),
        }),
        text: said.text,
        calls: said.calls,
        end,
        usage,
        request_id: conversation(&answer.conversation).or(answer.id),
        model: answer.model,
        body_digest: None,
    })
}

/// The four kinds of tokens; `input_tokens` includes the cached ones. `None` if the server left out the counts, which
/// is not 0.
fn tokens(answer: &Answer, reading: &ReplyDecodeContext) -> Option<Tokens> {
    let usage = answer.usage.as_ref()?;
    let (input, output) = (usage.input_tokens?, usage.output_tokens?);
    let details = usage.input_tokens_details;
    let (cache_read, cache_write) = (details.cached_tokens, details.cache_write_tokens);
    let counts = TokenCounts { input, output, total: usage.total_tokens, cache_read, cache_write };
    let tokens = Tokens {
        input: input.saturating_sub(cache_read.saturating_add(cache_write)),
        cache_read,
        cache_write,
        output: counts.billed_output(),
        ..Tokens::default()
    };
    Some(reading.tariff.with_cost(&MeteredUsage {
        usage: tokens,
        answered: answer.model.as_deref(),
        tier: answer.service_tier.as_deref().and_then(nonstandard_tier),
        ..MeteredUsage::default()
    }))
}

/// The id of the conversation that the server stores, if any.
fn conversation(said: &Value) -> Option<String> {
    said.as_str().or_else(|| said["id"].as_str()).map(str::to_owned)
}

fn end(answer: &Answer) -> Result<ReplyEnd, WireFailure> {
    let reason = answer.incomplete_details.as_ref().map(|details| details.reason.as_str());
    match answer.status.as_deref() {
        Some("incomplete") if reason == Some("content_filter") => {
            Err(refused("the content filter stopped it"))
        }
        Some("incomplete") => Ok(ReplyEnd::Cut),
        Some("failed") => Err(error::failed(answer.error.as_ref())),
        Some("completed") => Ok(ReplyEnd::Done),
        // `cancelled`, and statuses that are not an end: `queued`, `in_progress`.
        _ => Err(WireFailure::cut()),
    }
}

fn refused(words: &str) -> WireFailure {
    WireFailure::new((FailureClass::Refused, FailureSubject::Content), words)
}

#[derive(Default)]
struct ResponseOutput {
    text: String,
    calls: Vec<NativeCall>,
    refusal: Option<String>,
}

impl ResponseOutput {
    fn read(answer: &Answer) -> Result<Self, WireFailure> {
        let mut said = Self::default();
        for raw in &answer.output {
            let kind: OutputItemKind = serde_json::from_str(raw.get()).map_err(WireFailure::foreign)?;
            if matches!(kind.kind.as_str(), "message" | "function_call") {
                said.take(serde_json::from_str(raw.get()).map_err(WireFailure::foreign)?);
            }
        }
        Ok(said)
    }

    fn take(&mut self, item: ReadItem) {
        if item.kind == "function_call" {
            self.calls.push(NativeCall {
                provider_call_id: item.call_id,
                name: item.name,
                arguments: item.arguments,
            });
        }
        for ReadPart { kind, text, refusal } in item.content {
            match kind.as_str() {
                "output_text" => self.text.push_str(&text),
                "refusal" => self.refusal = Some(refusal),
                _ => {}
            }
        }
    }
}

/// The type of an output item; nothing else is read of items of other types.
#[derive(serde::Deserialize)]
struct OutputItemKind {
    #[serde(rename = "type", default)]
    kind: String,
}
