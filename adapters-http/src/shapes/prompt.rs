//! Shapes of model calls and their requests.

use std::borrow::Cow;

use entracte_application::use_cases::{
    CHARS_PER_TOKEN, ModelCall, PromptPart, RebuiltPrompt, RequestDigestCheck,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{iso, wire_words};

/// One attempt of one round.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ModelCallShape {
    /// `mc_…`.
    pub id: String,
    /// The session whose log tells of it.
    pub session: String,
    /// The session that sent it: another one where the log was copied from there.
    pub sent_by: String,
    /// The round.
    pub round: u32,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The session's number of the entry that started it.
    pub sequence: u64,
    /// When it was started.
    pub at: String,
    /// SHA-256 of the bytes that were sent; null when there was no reply.
    pub recorded: Option<String>,
    /// What asked for a summary; null if it is the call of a round.
    pub asks: Option<String>,
}

impl From<&ModelCall> for ModelCallShape {
    fn from(call: &ModelCall) -> Self {
        Self {
            id: call.id.to_string(),
            session: call.session.to_string(),
            sent_by: call.sent_by.to_string(),
            round: call.number.round,
            attempt: call.number.attempt,
            sequence: call.sequence,
            at: iso(call.at),
            recorded: call.recorded.as_ref().map(ToString::to_string),
            asks: call.asked.as_ref().map(|asked| asked.ask.clone()),
        }
    }
}

/// A past request, as it is written again.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PromptShape {
    /// The call.
    #[serde(flatten)]
    pub call: ModelCallShape,
    /// The provider that was asked.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `envelope` or `tools`.
    pub dialect: Cow<'static, str>,
    /// Whether these are the bytes that were sent: `matches`, `not_recorded`, `differs`; `results_gone` when they differ and
    /// results went by the retention policy since; `not_written` when the provider cannot be had.
    pub verdict: Cow<'static, str>,
    /// SHA-256 of the bytes that were written again.
    pub digest: Option<String>,
    /// Why they could not be.
    pub failure: Option<String>,
    /// They, as text.
    pub body: Option<String>,
    /// Tokens that the model reads and writes at once, when the configuration tells.
    pub context_tokens: Option<u64>,
    /// The estimated tokens of all parts.
    pub estimated_tokens: u64,
    /// Tokens that it was taken to have before it was sent.
    pub size: u64,
    /// Of these, those that the provider had counted.
    pub counted: u64,
    /// So many characters are counted as one token.
    #[serde(default)]
    pub chars_per_token: u64,
    /// The number of results in it that went by the retention policy; `GONE_BY_POLICY` stands in place of each.
    #[serde(default)]
    pub results_gone: u64,
}

impl From<&RebuiltPrompt> for PromptShape {
    fn from(rebuilt: &RebuiltPrompt) -> Self {
        let (verdict, digest) = match rebuilt.digests() {
            Some(RequestDigestCheck::Match(digest)) => ("matches", Some(digest)),
            Some(RequestDigestCheck::NotRecorded { rebuilt }) => ("not_recorded", Some(rebuilt)),
            Some(RequestDigestCheck::ResultsRemoved { rebuilt }) => ("results_gone", Some(rebuilt)),
            Some(RequestDigestCheck::Differ { rebuilt, .. }) => ("differs", Some(rebuilt)),
            None => ("not_written", None),
        };
        Self {
            call: (&rebuilt.call).into(),
            provider: rebuilt.voice.provider.clone(),
            model: rebuilt.voice.model.clone(),
            dialect: wire_words::dialect(rebuilt.voice.dialect).into(),
            verdict: verdict.into(),
            digest: digest.map(|digest| digest.to_string()),
            failure: rebuilt.body.as_ref().err().map(|failure| failure.message.clone()),
            body: rebuilt.body.as_ref().ok().map(|body| String::from_utf8_lossy(body).into_owned()),
            context_tokens: rebuilt.context_tokens,
            estimated_tokens: rebuilt.tokens(),
            size: rebuilt.size.tokens,
            counted: rebuilt.size.counted,
            chars_per_token: CHARS_PER_TOKEN,
            results_gone: rebuilt.removed_results,
        }
    }
}

/// What a request is made of.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PartsShape {
    /// Its parts, in the order the model reads them.
    pub parts: Vec<PartShape>,
    /// The estimated tokens of all of them.
    pub estimated_tokens: u64,
    /// Tokens that the model reads and writes at once, when the configuration tells.
    pub context_tokens: Option<u64>,
    /// So many characters are counted as one token.
    pub chars_per_token: u64,
}

/// A part of a request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PartShape {
    /// `level1`, `instructions`, `data`, `tools`, `schema` or `turn`.
    pub part: Cow<'static, str>,
    /// What it holds.
    pub name: String,
    /// Its characters.
    pub chars: u64,
    /// Its tokens, estimated.
    pub estimated_tokens: u64,
}

impl From<&PromptPart> for PartShape {
    fn from(part: &PromptPart) -> Self {
        Self {
            part: part.kind.into(),
            name: part.name.clone(),
            chars: part.chars,
            estimated_tokens: part.tokens(),
        }
    }
}

impl From<&RebuiltPrompt> for PartsShape {
    fn from(rebuilt: &RebuiltPrompt) -> Self {
        Self {
            parts: rebuilt.parts.iter().map(PartShape::from).collect(),
            estimated_tokens: rebuilt.tokens(),
            context_tokens: rebuilt.context_tokens,
            chars_per_token: CHARS_PER_TOKEN,
        }
    }
}

/// Tokens of the request of a model call.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CountShape {
    /// `mc_…`.
    pub model_call: String,
    /// Who was asked.
    pub provider: String,
    /// As the provider counts; null where its interface has no count.
    pub counted: Option<u64>,
    /// As Entracte estimates.
    pub estimated: u64,
}
