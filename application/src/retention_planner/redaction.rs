//! Removes the results of calls from journal entries and calls, so that everything else reads and replays as before.
//! Pure.

use std::collections::HashMap;

use entracte_domain::call::{Call, CallOutcome, CallState, CallStatus};
use entracte_domain::file::{FileReference, append_file_lines};
use entracte_domain::id::Digest;
use entracte_domain::localizable_text::LocalizableText;
use entracte_domain::message::{MessageBody, SystemKind, SystemMessage};
use entracte_domain::session::{CallLookup, Input, LogAppend, RequestedCall};
use entracte_domain::task::{Task, TaskResult};
use entracte_domain::time::Timestamp;

use crate::journal::JournalEntry;
use crate::retention::RemovedResult;
use crate::settings::Language;
use crate::system::sha256;

/// An entry without its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedEntry {
    /// The entry as it is stored from now on.
    pub entry: JournalEntry,
    /// The number of results that went; the same content counts once.
    pub results: u64,
    /// Their bytes, each content once.
    pub bytes: u64,
}

/// Removes the results from an entry; `None` if it has none.
pub fn redact_entry(entry: &JournalEntry, at: Timestamp, language: Language) -> Option<RedactedEntry> {
    let mut redaction = Redaction { at, language, removed: HashMap::new() };
    let mut entry = entry.clone();
    redaction.redact_input(&mut entry.input);
    for appended in &mut entry.appended {
        let LogAppend::Message(message) = appended else { continue };
        if let MessageBody::System(message) = &mut message.body {
            redaction.redact_message(message);
        }
    }
    let removed = redaction.removed;
    let bytes = removed.keys().map(|content| content.len() as u64).sum();
    (!removed.is_empty()).then_some(RedactedEntry { entry, results: removed.len() as u64, bytes })
}

/// Removes the result from a call; `false` if its row holds none. The row of a successful call never does.
pub(crate) fn redact_call(call: &mut Call, at: Timestamp, language: Language) -> bool {
    let CallState::Finished { result, .. } = &mut call.state else { return false };
    if result.status == CallStatus::Succeeded || !holds_content(result.status) {
        return false;
    }
    let mut redaction = Redaction { at, language, removed: HashMap::new() };
    if !result.files.is_empty() {
        let mut content = result.content.to_plain_text().into_owned();
        take_files(&mut content, &mut result.files);
        result.content = content.into();
    }
    redaction.redact_text(&mut result.content);
    !redaction.removed.is_empty()
}

/// Removes what came back from a long task; `false` if its row holds nothing of it.
pub(crate) fn redact_task(task: &mut Task, at: Timestamp, language: Language) -> bool {
    let mut redaction = Redaction { at, language, removed: HashMap::new() };
    for TaskResult { content, digest, .. } in [&mut task.result, &mut task.late_result].into_iter().flatten()
    {
        redaction.redact_content(content, Some(&*digest));
    }
    !redaction.removed.is_empty()
}

/// Whether a result of this status is, or repeats, what a command returned. The others say what was wrong.
const fn holds_content(status: CallStatus) -> bool {
    match status {
        CallStatus::Succeeded
        | CallStatus::Cached
        | CallStatus::Duplicate
        | CallStatus::Accepted
        | CallStatus::Repeated
        | CallStatus::RepeatedReply => true,
        CallStatus::Failed
        | CallStatus::InvalidArguments
        | CallStatus::UnknownCommand
        | CallStatus::Malformed
        | CallStatus::SchemaRequired
        | CallStatus::Forbidden
        | CallStatus::PlanFirst
        | CallStatus::OverLimit
        | CallStatus::Rejected
        | CallStatus::Expired
        | CallStatus::Cancelled
        | CallStatus::TimedOut
        | CallStatus::Unknown => false,
    }
}

/// Moves the files of a result into its text, which is removed next.
fn take_files(content: &mut String, files: &mut Vec<FileReference>) {
    append_file_lines(content, files);
    files.clear();
}

struct Redaction {
    at: Timestamp,
    language: Language,
    /// The text in place of each removed content.
    removed: HashMap<String, String>,
}

impl Redaction {
    fn redact_input(&mut self, input: &mut Input) {
        match input {
            Input::CallFinished { outcome, .. } => self.redact_outcome(outcome),
            Input::TaskFinished { content, .. } => {
                self.redact_content(content, None);
            }
            Input::AiResponseReceived(response) => self.redact_twins(&mut response.calls),
            Input::UserMessageSent(sent) => self.redact_twins(&mut sent.enrichments),
            // The other inputs hold no results.
            _ => {}
        }
    }

    fn redact_outcome(&mut self, outcome: &mut CallOutcome) {
        match outcome {
            CallOutcome::Succeeded { content, files, digest } => {
                take_files(content, files);
                self.redact_content(content, Some(digest));
            }
            CallOutcome::Probed { content, digest, .. } => {
                self.redact_content(content, Some(digest));
            }
            CallOutcome::Accepted { content, .. } => {
                self.redact_content(content, None);
            }
            // What an agent reports is part of the conversation; its own session holds the results.
            CallOutcome::Failed(_)
            | CallOutcome::TimedOut
            | CallOutcome::Lost { .. }
            | CallOutcome::Reported { .. } => {}
        }
    }

    fn redact_twins(&mut self, calls: &mut [RequestedCall]) {
        for call in calls {
            if let CallLookup::Known { twin: Some(twin), .. } = &mut call.lookup {
                take_files(&mut twin.content, &mut twin.files);
                self.redact_content(&mut twin.content, None);
            }
        }
    }

    fn redact_message(&mut self, message: &mut SystemMessage) {
        let repeats_results = message
            .formatted_data
            .as_ref()
            .is_some_and(|data| *data == SystemMessage::format_results(&message.results));
        let mut has_results = message.kind == SystemKind::TaskResult;
        for result in message.results.iter_mut().filter(|result| holds_content(result.status)) {
            has_results = true;
            if !result.files.is_empty() {
                result.content = result.to_plain_text().into_owned().into();
                result.files.clear();
            }
            self.redact_text(&mut result.content);
        }
        if repeats_results {
            message.formatted_data = Some(SystemMessage::format_results(&message.results));
        } else if has_results && let Some(data) = &mut message.formatted_data {
            // Data in another form, as an earlier version wrote them, hold the same results.
            self.redact_text(data);
        }
    }

    fn redact_text(&mut self, text: &mut LocalizableText) {
        let mut content = text.to_plain_text().into_owned();
        if self.redact_content(&mut content, None) {
            *text = LocalizableText::from_words(content);
        }
    }

    /// Replaces a content unless it is empty or gone already; returns whether it did. `digest` is the stored one, if
    /// there is one.
    fn redact_content(&mut self, content: &mut String, digest: Option<&Digest>) -> bool {
        if content.is_empty() || RemovedResult::parse(content).is_some() {
            return false;
        }
        let placeholder = self.removed.entry(content.clone()).or_insert_with(|| {
            let digest = digest.cloned().unwrap_or_else(|| sha256(content.as_bytes()));
            RemovedResult::new(content, &digest, self.at, self.language).text()
        });
        content.clone_from(placeholder);
        true
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::command::CommandKind;
    use entracte_domain::id::{CallId, SessionId, TaskId};
    use entracte_domain::task::{TaskOrigin, TaskOutcome, TaskProtocol};

    use super::*;

    const AT: Timestamp = Timestamp(1_790_000_000_123_456);

    fn result(content: &str) -> TaskResult {
        let digest = sha256(content.as_bytes());
        TaskResult { outcome: TaskOutcome::Completed, content: content.to_owned(), digest, at: AT }
    }

    #[test]
    fn task_results_go_once() {
        let origin = TaskOrigin {
            session: SessionId::new("ses_1"),
            call: CallId::new("cal_1_2_0"),
            command: "reports.make".into(),
            kind: CommandKind::Action,
        };
        let mut task = Task::register(TaskId::new("tsk_1"), origin, TaskProtocol::Http, None, AT);
        assert!(!redact_task(&mut task, AT, Language::En), "nothing came back yet");
        task.result = Some(result("72.5 kg"));
        task.late_result = Some(result("73 kg"));
        assert!(redact_task(&mut task, AT, Language::En));
        for (gone, content) in [(&task.result, "72.5 kg"), (&task.late_result, "73 kg")] {
            let gone = RemovedResult::parse(&gone.as_ref().unwrap().content).unwrap();
            assert_eq!((gone.digest(), gone.bytes()), (sha256(content.as_bytes()), content.len() as u64));
        }
        assert!(!redact_task(&mut task, AT, Language::En), "it is gone already");
    }

    #[test]
    fn long_result_that_looks_removed_goes() {
        for language in [Language::En, Language::Fr] {
            let text = RemovedResult::new("72.5 kg", &sha256(b"72.5 kg"), AT, language).text();
            assert!(RemovedResult::parse(&text).is_some(), "{text}");
        }
        let message = "secret ".repeat(100);
        let forged =
            format!(r#"{{"code":"GONE_BY_POLICY","message":"{message}","digest":"","bytes":1,"at":1}}"#);
        assert_eq!(RemovedResult::parse(&forged), None);
    }
}
