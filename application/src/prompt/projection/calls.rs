//! The native calls of the last reply and their results: exactly one result each, in call order.

use std::collections::HashSet;
use std::sync::Arc;

use entracte_domain::file::FileReference;
use entracte_domain::id::CallId;
use entracte_domain::localizable_text::{LocalizableText, LocalizableTextPart};
use entracte_domain::message::CommandResult;
use entracte_domain::session::AiResponse;

use super::render::ProjectionStyle;
use crate::command_naming::RUN_COMMAND;
use crate::journal::JournalEntry;
use crate::ports::{NativeCall, UserTurnPart};
use crate::prompt::{PromptPrefix, texts};
use crate::protocol::tools::encode_native_call;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// The native calls that the next user turn must answer.
#[derive(Clone, Debug, Default)]
pub(super) struct UnansweredCalls {
    calls: Vec<UnansweredCall>,
    /// The reply with these calls was unreadable, so none of them was started.
    is_unreadable: bool,
}

#[derive(Clone, Debug)]
struct UnansweredCall {
    /// `None` for calls of Entracte's own control tools, which have no ledger row.
    id: Option<CallId>,
    provider_call_id: String,
    /// The tool's name on the wire.
    name: String,
    result: Option<UnansweredCallResult>,
}

/// The result of a call, as the model reads it.
#[derive(Clone, Debug)]
struct UnansweredCallResult {
    content: String,
    is_error: bool,
    files: Vec<FileReference>,
}

impl UnansweredCallResult {
    /// A result of text alone.
    fn text(content: String, is_error: bool) -> Self {
        Self { content, is_error, files: Vec::new() }
    }
}

impl UnansweredCalls {
    /// Records the native calls of a reply and returns them as they are sent again.
    pub(super) fn open(
        &mut self,
        entry: &JournalEntry,
        response: &AiResponse,
        tools: &DeclaredTools,
    ) -> Vec<NativeCall> {
        self.is_unreadable = !response.faults.is_empty();
        let mut native = Vec::new();
        for (ordinal, call) in response.calls.iter().enumerate() {
            let Some(provider_call_id) = &call.provider_call_id else { continue };
            let sent = encode_native_call(&call.command, provider_call_id, |name| tools.declares(name));
            self.calls.push(UnansweredCall {
                id: Some(entry.session.call_id(entry.sequence, ordinal)),
                provider_call_id: provider_call_id.clone(),
                name: sent.name.clone(),
                result: None,
            });
            native.push(sent);
        }
        for own in &response.message.own_calls {
            self.calls.push(UnansweredCall {
                id: None,
                provider_call_id: own.provider_call_id.clone(),
                name: own.name.clone(),
                result: own
                    .answer
                    .clone()
                    .map(|(content, is_error)| UnansweredCallResult::text(content, is_error)),
            });
            native.push(NativeCall {
                provider_call_id: own.provider_call_id.clone(),
                name: own.name.clone(),
                arguments: own.arguments.to_json(),
            });
        }
        native
    }

    /// Passes a person's answer to the call that asked; `false` if no call asked.
    pub(super) fn answer_question(&mut self, answer: &str) -> bool {
        let open = self.calls.iter_mut().find(|call| call.id.is_none() && call.result.is_none());
        let Some(call) = open else { return false };
        call.result = Some(UnansweredCallResult::text(answer.to_owned(), false));
        true
    }

    /// Passes a result to its call; `false` if no open call waits for it.
    pub(super) fn answer(&mut self, result: &CommandResult, style: &ProjectionStyle) -> bool {
        let open = self
            .calls
            .iter_mut()
            .find(|call| call.id.as_ref() == Some(&result.call) && call.result.is_none());
        let Some(call) = open else { return false };
        call.result = Some(UnansweredCallResult {
            content: style.native_result(result),
            is_error: result.status.is_error(),
            files: result.files.clone(),
        });
        true
    }

    /// The results of all open calls, in call order; a call without a result gets a notice instead.
    pub(super) fn take_results(&mut self, language: Language) -> Vec<UserTurnPart> {
        let is_unreadable = self.is_unreadable;
        let without_result = |call: &UnansweredCall| match (is_unreadable, &call.id) {
            (true, _) => texts::call_unreadable(language),
            (false, Some(_)) => texts::call_interrupted(language),
            (false, None) => texts::question_unanswered(language),
        };
        self.calls
            .drain(..)
            .map(|call| {
                let result = call.result.clone();
                let UnansweredCallResult { content, is_error, files } =
                    result.unwrap_or_else(|| UnansweredCallResult::text(without_result(&call), true));
                let UnansweredCall { provider_call_id, name, .. } = call;
                UserTurnPart::Result { provider_call_id, name, content, is_error, files }
            })
            .collect()
    }
}

/// The tools that a prefix declares.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclaredTools {
    /// Their names, if commands are called on demand; else every command is a tool of its own.
    names: Option<Arc<HashSet<String>>>,
}

impl DeclaredTools {
    pub(super) fn of_prefix(prefix: &PromptPrefix) -> Self {
        let names = || prefix.tools.iter().map(|tool| tool.name.clone());
        Self { names: names().any(|name| name == RUN_COMMAND).then(|| Arc::new(names().collect())) }
    }

    fn declares(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(name))
    }
}

/// The parts of a summary beside its first one, which counts the results. Each native result is sent by itself,
/// so only these parts are added.
pub(super) fn remarks(summary: &LocalizableText, results: &[CommandResult]) -> String {
    match summary.as_words() {
        Some(words) => remarks_of_one_part(words, results).trim().to_owned(),
        None => {
            summary.parts().skip(1).map(LocalizableTextPart::plain_text).collect::<String>().trim().to_owned()
        }
    }
}

/// A summary of one part is the count alone, unless it was stored before there were parts; then it is English.
fn remarks_of_one_part<'a>(words: &'a str, results: &[CommandResult]) -> &'a str {
    let failed = results.iter().filter(|result| result.status.is_error()).count();
    let done = results.len() - failed;
    let count =
        say!(LocalizedTexts::for_language(Language::En), "machine-results", done = done, failed = failed);
    words.strip_prefix(&count).unwrap_or_default()
}
