//! A Chat Completions answer to the neutral reply.
//!
//! Pure. Calls decide whether calls are asked for, not the finish reason: some servers say `stop` beside them.

use entracte_application::ports::{ModelReply, ReplyEnd};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage as Tokens;

use super::error;
use super::message::Said;
use super::wire::{Answer, Usage};
use crate::failure::{About, Trouble};

/// Reads an answer that came in one piece.
pub(super) fn whole(body: &[u8], dialect: &str) -> Result<ModelReply, Trouble> {
    let mut answer: Answer = serde_json::from_slice(body).map_err(|error| Trouble::unreadable(&error))?;
    if let Some(error) = answer.error.filter(|error| !error.is_null()) {
        return Err(error::in_answer(&error));
    }
    if answer.choices.is_empty() {
        return Err(Trouble::foreign("it has no choices"));
    }
    let choice = answer.choices.swap_remove(0);
    let mut said = Said::default();
    said.extend(choice.message.unwrap_or_default());
    let end = Ending {
        finish_reason: choice.finish_reason,
        usage: answer.usage,
        model: answer.model,
        id: answer.id,
    };
    reply(&said, end, dialect)
}

/// How an answer ended, and what was told beside it.
#[derive(Debug, Default)]
pub(super) struct Ending {
    pub(super) finish_reason: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) model: Option<String>,
    pub(super) id: Option<String>,
}

/// The reply that a whole answer stands for.
pub(super) fn reply(said: &Said, ending: Ending, dialect: &str) -> Result<ModelReply, Trouble> {
    let usage = ending.usage.map(tokens);
    if !said.refusal.is_empty() {
        return Err(refused(&said.refusal).with_usage(usage));
    }
    let end = match ending.finish_reason.as_deref() {
        Some("content_filter") => {
            return Err(refused("the content filter stopped it").with_usage(usage));
        }
        Some("length") => ReplyEnd::Cut,
        _ => ReplyEnd::Done,
    };
    Ok(ModelReply {
        raw: (end == ReplyEnd::Done).then(|| said.raw_turn(dialect)).flatten(),
        text: said.text.clone(),
        calls: said.calls(),
        end,
        usage,
        model: ending.model,
        request_id: ending.id,
        body_digest: None,
    })
}

/// The four kinds of tokens; `prompt_tokens` counts the cached ones too.
pub(super) fn tokens(usage: Usage) -> Tokens {
    let details = usage.prompt_tokens_details;
    let cached = details.cached_tokens.saturating_add(details.cache_write_tokens);
    Tokens {
        input: usage.prompt_tokens.saturating_sub(cached),
        cache_read: details.cached_tokens,
        cache_write: details.cache_write_tokens,
        output: usage.completion_tokens,
        unknown_attempts: 0,
    }
}

fn refused(words: &str) -> Trouble {
    Trouble::new((FailureClass::Refused, About::Content), words)
}
