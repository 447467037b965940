//! Reads further parts of a result that was too long for the prompt: the log holds all of it.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::file::{FileReference, append_file_lines};
use entracte_domain::id::CallId;
use entracte_domain::session::Input;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_outcomes::{LogReadError, doc, outcome, read_failure};
use crate::codec;
use crate::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, LogReader, ResourceReader, StoreError,
};
use crate::retention::RemovedResult;
use crate::texts::{LocalizedTexts, say};

/// Maximum characters of one result in the prompt, unless the setting `result.max_chars` differs.
pub const RESULT_MAX_CHARS: usize = 25_000;

/// `results.read`: a part of the result of a call of the same session. The prompt holds the first
/// `result.max_chars` characters of a result and names this command for the rest.
pub struct ResultsExecutor {
    log: Arc<dyn LogReader>,
    most: usize,
}

impl ResultsExecutor {
    /// Name of the command.
    pub const NAME: &'static str = "results.read";
    const WORD: &'static str = "READ_RESULT";

    /// Reads this log; each answer holds at most `result_max_chars` characters (`result.max_chars`; 0 = 25,000).
    pub fn new(log: Arc<dyn LogReader>, result_max_chars: usize) -> Self {
        let most = if result_max_chars == 0 { RESULT_MAX_CHARS } else { result_max_chars };
        Self { log, most }
    }

    /// The result of a call of this session; `None` if there is no such call or it has no result.
    async fn content(&self, request: &CallRequest, call: &CallId) -> Result<Option<String>, LogReadError> {
        let row = self.log.call(&request.workspace, call).await?;
        let row = row.filter(|row| row.session == request.session);
        let Some(row) = row else { return Ok(None) };
        // A successful result is in the log only; a failure is short and in the row.
        let entry = match row.result_seq {
            Some(seq) => self.log.entry(&request.workspace, seq).await?,
            None => None,
        };
        let input = entry.as_ref().map(codec::decode_entry).transpose()?;
        if let Some(content) = input.and_then(|entry| content_of(&entry.input, call)) {
            return Ok(Some(content));
        }
        let texts = LocalizedTexts::for_language(request.locale.language);
        Ok(codec::decode_call(&row)?
            .result()
            .map(|result| texts.render_speech_for(request.naming, &result.content)))
    }
}

/// At most `most` characters from `from` on, below a line that gives their position.
fn page(texts: &LocalizedTexts, content: &str, from: usize, most: usize) -> Result<String, CallFailure> {
    let total = content.chars().count();
    if from >= total {
        let message = say!(texts, "results-read-beyond", from = from, total = total);
        let path = Some("/from".to_owned());
        return Err(CallFailure { code: "NOT_FOUND".into(), message, path, retryable: false });
    }
    let text: String = content.chars().skip(from).take(most).collect();
    let until = from.saturating_add(most).min(total);
    let key = if until < total { "results-read-more" } else { "results-read-end" };
    Ok(format!("{}\n{text}", say!(texts, key, from = from, until = until, total = total)))
}

/// The failure for a result that went by the retention policy.
fn gone(removed: &RemovedResult) -> CallFailure {
    let (code, path) = (RemovedResult::CODE.to_owned(), Some("/call".to_owned()));
    CallFailure { code, message: removed.message().to_owned(), path, retryable: false }
}

fn number(arguments: &JsonValue, name: &str) -> Option<usize> {
    match arguments.get(name)? {
        JsonValue::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

#[async_trait]
impl CommandExecutor for ResultsExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["call", "from"],
            "properties": {
                "call": { "type": "string" },
                "from": { "type": "integer", "minimum": 0 },
                "length": { "type": "integer", "minimum": 1 },
            },
        });
        vec![CommandSpec {
            cacheable: true,
            ..CommandSpec::query(Self::WORD, Self::NAME, &doc(Self::WORD), schema)
        }]
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let arguments = &request.command.arguments;
        let call = CallId::new(arguments.get("call").and_then(JsonValue::as_text).unwrap_or_default());
        let from = number(arguments, "from").unwrap_or(0);
        let most = number(arguments, "length").unwrap_or(self.most).min(self.most);
        let texts = LocalizedTexts::for_language(request.locale.language);
        let found = match self.content(&request, &call).await {
            Ok(Some(content)) => match RemovedResult::parse(&content) {
                Some(removed) => Err(gone(&removed)),
                None => page(texts, &content, from, most),
            },
            Ok(None) => Err(CallFailure {
                code: "NOT_FOUND".into(),
                message: say!(texts, "results-read-no-call", call = call.as_str()),
                path: Some("/call".into()),
                retryable: false,
            }),
            Err(fault) => Err(read_failure(&fault)),
        };
        outcome(found)
    }

    async fn describe(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription::default())
    }
}

/// The content of a call's result in an input, with a line for each file.
pub fn content_of(input: &Input, wanted: &CallId) -> Option<String> {
    let ResultParts { mut content, files } = result_parts(input, wanted)?;
    append_file_lines(&mut content, &files);
    Some(content)
}

/// The content of a call's result, and the files that follow it.
pub(crate) struct ResultParts {
    pub(crate) content: String,
    pub(crate) files: Vec<FileReference>,
}

/// The parts of a call's result in an input.
pub(crate) fn result_parts(input: &Input, wanted: &CallId) -> Option<ResultParts> {
    let only_text = |content: String| Some(ResultParts { content, files: Vec::new() });
    match input {
        Input::CallFinished { call, outcome, .. } if call == wanted => match outcome {
            CallOutcome::Succeeded { content, files, .. } => {
                Some(ResultParts { content: content.clone(), files: files.clone() })
            }
            CallOutcome::Accepted { content, .. } | CallOutcome::Probed { content, .. } => {
                only_text(content.clone())
            }
            CallOutcome::Reported { report, .. } => only_text(report.to_model_content().to_json()),
            CallOutcome::Failed(_) | CallOutcome::TimedOut | CallOutcome::Lost { .. } => None,
        },
        _ => None,
    }
}
