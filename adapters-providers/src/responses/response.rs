//! Decodes a Responses answer into the neutral reply.
//!
//! Pure. There is no finish reason: a turn requests calls if a `function_call` is among its items. Items are stored
//! byte for byte.

use entracte_application::ports::{ModelReply, NativeCall, ReplyEnd};
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage as Tokens;

use serde_json::Value;

use super::wire::{Answer, ReadItem, ReadPart};
use crate::answer_limits::window_full;
use crate::call_id_format::have_valid_ids;
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::{FailureSubject, REASON_MAX_CHARS, WireFailure};
use crate::failure_table;
use crate::prices::{MeteredUsage, TokenCounts, nonstandard_tier, reported_cost};
use crate::text::{array_of, paragraph_break, shortened};

/// Decodes an answer that came in one piece.
pub(super) fn whole(body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
    if answer.status.is_none() && answer.output.is_empty() {
        // Some servers report a failure with a success status.
        if let Some(failed) = answer.error.as_ref().filter(|error| !error.is_null()) {
            return Err(failure_table::in_value(Some(failed)));
        }
        return Err(WireFailure::foreign("it has neither status nor output"));
    }
    reply(answer, reading)
}

/// Converts a complete answer into a reply.
pub(super) fn reply(answer: Answer, reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let usage = tokens(&answer, reading);
    let end = end(&answer, usage.as_ref(), reading).map_err(|trouble| trouble.with_usage(usage))?;
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
    let ran_tools = has_paid_tools(answer) || usage.num_server_side_tools_used.is_some_and(|ran| ran > 0);
    Some(reading.tariff.with_cost(&MeteredUsage {
        usage: counts.billed_usage(),
        more: ran_tools || details.cache_write_tokens_details.ttl_12h_tokens > 0,
        answered: answer.model.as_deref(),
        tier: answer.service_tier.as_deref().and_then(nonstandard_tier),
        told: reported_cost(&usage.cost),
        ..MeteredUsage::default()
    }))
}

/// Whether the server ran tools that it bills beside the tokens.
fn has_paid_tools(answer: &Answer) -> bool {
    let paid = ["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"];
    let kinds = answer.output.iter().filter_map(|raw| serde_json::from_str::<OutputItemKind>(raw.get()).ok());
    kinds.into_iter().any(|item| paid.contains(&item.kind.as_str()))
}

/// The id of the conversation that the server stores, if any.
fn conversation(said: &Value) -> Option<String> {
    said.as_str().or_else(|| said["id"].as_str()).map(str::to_owned)
}

fn end(
    answer: &Answer,
    usage: Option<&Tokens>,
    reading: &ReplyDecodeContext,
) -> Result<ReplyEnd, WireFailure> {
    let reason = answer.incomplete_details.as_ref().map(|details| details.reason.as_str());
    match answer.status.as_deref() {
        Some("incomplete") => match reason.unwrap_or_default() {
            "content_filter" => Err(refused("the content filter stopped it")),
            "max_output_tokens" | "max_tokens" | "length" | "" => reading.limits.cut_end(usage),
            "model_context_window_exceeded" => Err(window_full(usage)),
            unknown => Ok(ReplyEnd::Unknown(shortened(unknown, REASON_MAX_CHARS))),
        },
        Some("failed") => Err(failure_table::in_value(answer.error.as_ref())),
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
        // The parts of one item are one text; several items are several.
        let mut is_first = true;
        for ReadPart { kind, text, refusal } in item.content {
            match kind.as_str() {
                "output_text" if text.is_empty() => {}
                "output_text" => {
                    let is_new = std::mem::take(&mut is_first);
                    let between = if is_new { paragraph_break(&self.text, &text) } else { "" };
                    self.text.push_str(between);
                    self.text.push_str(&text);
                }
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
