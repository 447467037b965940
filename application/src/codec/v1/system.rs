//! System messages: messages of the machine, and results of commands.

use std::borrow::Cow;

use entracte_domain::call::CallStatus;
use entracte_domain::id::CallId;
use entracte_domain::message::{self as domain, SystemKind};
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer, Serialize};

use super::file::FileV1;
use super::leaf::JsonTextV1;
use super::message::AroundV1;
use super::speech::{self, SpeechV1};
use super::words::WordV1;
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SystemMessageV1 {
    #[serde(deserialize_with = "kind_or_former_kind")]
    kind: WordV1<SystemKind>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<CommandResultV1>,
    #[serde(default, skip_serializing_if = "is_default")]
    summary: SpeechV1,
    #[serde(default, rename = "data", skip_serializing_if = "Option::is_none")]
    formatted_data: Option<DataV1>,
}

/// Reads a kind, or a kind of earlier versions: what told the model the schema of a call was data for it.
fn kind_or_former_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<WordV1<SystemKind>, D::Error> {
    let word = Cow::<str>::deserialize(deserializer)?;
    match &*word {
        "SCHEMA_REQUIRED" => Ok(WordV1(SystemKind::DataAdded)),
        word => WordV1::deserialize(word.into_deserializer()),
    }
}

impl SystemMessageV1 {
    pub(super) fn of(message: &domain::SystemMessage, around: AroundV1<'_>) -> Self {
        let domain::SystemMessage { kind, results, summary, formatted_data } = message;
        Self {
            kind: kind.into(),
            results: results.iter().map(|result| CommandResultV1::of(result, around)).collect(),
            summary: summary.into(),
            formatted_data: formatted_data.as_ref().map(|data| DataV1::of(data, results)),
        }
    }

    pub(super) fn into_domain(self, around: AroundV1<'_>) -> domain::SystemMessage {
        let results: Vec<domain::CommandResult> =
            self.results.into_iter().map(|result| result.into_domain(around)).collect();
        domain::SystemMessage {
            kind: self.kind.0,
            summary: self.summary.into(),
            formatted_data: self.formatted_data.map(|data| match data {
                DataV1::AsResults => told(&results).into(),
                DataV1::Text(JsonTextV1(text)) => text.into(),
                DataV1::Said(speech) => speech.into(),
            }),
            results,
        }
    }
}

/// The data for the model.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum DataV1 {
    /// The results, formatted by [`told`].
    AsResults,
    Text(JsonTextV1),
    /// Localisable text that is not plain.
    Said(SpeechV1),
}

impl DataV1 {
    fn of(
        data: &entracte_domain::localizable_text::LocalizableText,
        results: &[domain::CommandResult],
    ) -> Self {
        match data.as_words() {
            Some(words) if words == told(results) => Self::AsResults,
            Some(words) => Self::Text(words.into()),
            None => Self::Said(data.into()),
        }
    }
}

/// Formats results as version 1 did. Part of the format: it must not change, even if the domain formats them
/// differently; a text that differs from it is stored as text.
fn told(results: &[domain::CommandResult]) -> String {
    let parts: Vec<String> = results
        .iter()
        .map(|result| format!("## {}\n{}", result.command, result.content.to_plain_text()))
        .collect();
    parts.join("\n\n")
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandResultV1 {
    /// `None` if it is the call of the entry's input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
    provider_call_id: Option<String>,
    command: String,
    #[serde(default, skip_serializing_if = "is_default")]
    status: WordV1<CallStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// `None` if it is the text that the entry's input answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<JsonTextV1>,
    /// Replaces `content` if it is not plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<SpeechV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileV1>,
}

impl CommandResultV1 {
    fn of(result: &domain::CommandResult, around: AroundV1<'_>) -> Self {
        let domain::CommandResult { call, provider_call_id, command, status, code, content, files } = result;
        Self {
            call: (around.call != Some(call)).then(|| call.as_str().to_owned()),
            provider_call_id: provider_call_id.clone(),
            command: command.clone(),
            status: status.into(),
            code: code.clone(),
            content: content.as_words().filter(|words| around.answer != Some(words)).map(Into::into),
            said: speech::said(content),
            files: shapes(files),
        }
    }

    fn into_domain(self, around: AroundV1<'_>) -> domain::CommandResult {
        let answer = || around.answer.unwrap_or_default().to_owned();
        let input_call = || around.call.cloned().unwrap_or_else(|| CallId::new(""));
        domain::CommandResult {
            call: self.call.map_or_else(input_call, CallId::new),
            provider_call_id: self.provider_call_id,
            command: self.command,
            status: self.status.0,
            code: self.code,
            content: match (self.said, self.content) {
                (Some(said), _) => said.into(),
                (None, Some(JsonTextV1(text))) => text.into(),
                (None, None) => answer().into(),
            },
            files: domains(self.files),
        }
    }
}
