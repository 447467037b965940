use std::path::Path;

use entracte_application::use_cases::{CHARS_PER_TOKEN, PromptPart, RebuiltPrompt, RequestDigestCheck};
use serde::Serialize;

use crate::render::time::iso;

/// `entracte.prompt/1`: a past request to a provider.
#[derive(Serialize)]
pub(crate) struct PromptObject {
    schema: &'static str,
    model_call: String,
    session: String,
    sent_by: String,
    round: u32,
    attempt: u32,
    at: String,
    provider: String,
    model: String,
    dialect: &'static str,
    /// `matches`, `not_recorded`, `differs`, or `not_written` if the provider is unavailable.
    verdict: &'static str,
    digest: Option<String>,
    recorded: Option<String>,
    failure: Option<String>,
    /// The request body as text; null if it was written to a file.
    body: Option<String>,
    file: Option<String>,
    context_tokens: Option<u64>,
    estimated_tokens: u64,
    /// Its estimated size before sending, and the part of it that the provider had counted.
    size: u64,
    counted: u64,
    /// The instruction for a summary; null if it is the call of a round.
    asks: Option<String>,
    chars_per_token: u64,
    parts: Option<Vec<PromptPartObject>>,
}

#[derive(Serialize)]
struct PromptPartObject {
    part: &'static str,
    name: String,
    chars: u64,
    estimated_tokens: u64,
}

impl PromptObject {
    /// The request, with its parts if they were requested.
    pub(crate) fn new(rebuilt: &RebuiltPrompt, parts: bool, file: Option<&Path>) -> Self {
        let call = &rebuilt.call;
        let (verdict, digest) = match rebuilt.digests() {
            Some(RequestDigestCheck::Match(digest)) => ("matches", Some(digest)),
            Some(RequestDigestCheck::NotRecorded { rebuilt }) => ("not_recorded", Some(rebuilt)),
            Some(RequestDigestCheck::Differ { rebuilt, .. }) => ("differs", Some(rebuilt)),
            None => ("not_written", None),
        };
        let text = |body: &Vec<u8>| String::from_utf8_lossy(body).into_owned();
        Self {
            schema: "entracte.prompt/1",
            model_call: call.id.to_string(),
            session: call.session.to_string(),
            sent_by: call.sent_by.to_string(),
            round: call.number.round,
            attempt: call.number.attempt,
            at: iso(call.at),
            provider: rebuilt.voice.provider.clone(),
            model: rebuilt.voice.model.clone(),
            dialect: rebuilt.voice.dialect.word(),
            verdict,
            digest: digest.map(|digest| digest.to_string()),
            recorded: call.recorded.as_ref().map(ToString::to_string),
            failure: rebuilt.body.as_ref().err().map(|failure| failure.message.clone()),
            body: rebuilt.body.as_ref().ok().filter(|_| file.is_none()).map(text),
            file: file.filter(|_| rebuilt.body.is_ok()).map(|file| file.display().to_string()),
            context_tokens: rebuilt.context_tokens,
            estimated_tokens: rebuilt.tokens(),
            size: rebuilt.size.tokens,
            counted: rebuilt.size.counted,
            asks: call.asked.as_ref().map(|asked| asked.ask.clone()),
            chars_per_token: CHARS_PER_TOKEN,
            parts: parts.then(|| rebuilt.parts.iter().map(PromptPartObject::from).collect()),
        }
    }
}

impl From<&PromptPart> for PromptPartObject {
    fn from(part: &PromptPart) -> Self {
        Self { part: part.kind, name: part.name.clone(), chars: part.chars, estimated_tokens: part.tokens() }
    }
}
