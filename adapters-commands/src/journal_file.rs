//! The journal file: an external effect that can be counted. In the demo and the crash tests it stands for the
//! external world: each note is one line, so the file shows how often the effect happened.
//!
//! The effect exists in the three classes of external actions (`once`, `idempotent`, `probe`), and as a query. It
//! never removes or changes a line, and never plans changes, because the file is not the workspace's own data.

mod note_file;
mod specs;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, StoreError,
};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::CallOutcome;
use entracte_domain::value::JsonValue;

use self::note_file::{NoteFile, NoteFileError, NoteRecord};
use crate::call_outcome::{digest, retryable, succeeded, texts, unknown_command};
use crate::display_text::one_line;
use crate::json::number;

/// Writes notes to a file outside Entracte's own data.
pub struct JournalFileExecutor {
    file: NoteFile,
    ask_approval: bool,
}

impl JournalFileExecutor {
    /// Appends notes to the file at `path`, which the first note creates; its folder must exist. With `ask_approval`
    /// notes count as data that leaves the workspace, so each needs a person's approval.
    pub fn new(path: impl Into<PathBuf>, ask_approval: bool) -> Self {
        Self { file: NoteFile::at(path.into()), ask_approval }
    }

    async fn note(&self, request: CallRequest, class: &'static str, once_per_key: bool) -> CallOutcome {
        let texts = texts(&request);
        let text = request.command.arguments.get("text").and_then(JsonValue::as_text).unwrap_or_default();
        let content = JsonValue::from([("noted", JsonValue::from(text))]).to_json();
        let line = NoteRecord {
            call: request.call.to_string(),
            key: request.key,
            attempt: request.attempt,
            text: text.to_owned(),
            class: class.to_owned(),
        };
        let written = self.blocking(move |file, wanted| file.append(&line, once_per_key, wanted)).await;
        match written {
            Ok(()) => succeeded(content),
            Err(fault) => failed(&fault, texts),
        }
    }

    async fn lines(&self, texts: &LocalizedTexts) -> CallOutcome {
        match self.blocking(|file, _| file.read()).await {
            Ok(read) => {
                let lines = read.lines.iter().map(NoteRecord::value).collect::<Vec<_>>();
                let total = number(u64::try_from(lines.len()).unwrap_or(u64::MAX));
                let damaged = number(read.damaged);
                let lines = JsonValue::from(lines);
                succeeded(
                    JsonValue::from([("total", total), ("damaged", damaged), ("lines", lines)]).to_json(),
                )
            }
            Err(fault) => failed(&fault, texts),
        }
    }

    /// Runs `work` on a blocking thread. If the caller is dropped first, the flag is set and `work` does not write.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&NoteFile, &AtomicBool) -> Result<T, NoteFileError> + Send + 'static,
    ) -> Result<T, NoteFileError> {
        let wanted = CancelOnDrop(Arc::new(AtomicBool::new(true)));
        let (file, flag) = (self.file.clone(), Arc::clone(&wanted.0));
        let joined = tokio::task::spawn_blocking(move || work(&file, &flag)).await;
        // A panicked thread may have written.
        joined.unwrap_or_else(|gone| Err(NoteFileError::Unsure(std::io::Error::other(gone))))
    }
}

/// Sets the cancel flag when it is dropped.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

fn failed(fault: &NoteFileError, texts: &LocalizedTexts) -> CallOutcome {
    tracing::warn!(%fault, "the journal file could not be used");
    match fault {
        NoteFileError::Untouched(cause) => {
            retryable("OUTSIDE_ERROR", say!(texts, "tools-journal-untouched", why = cause.to_string()))
        }
        NoteFileError::Unwanted => retryable("OUTSIDE_ERROR", say!(texts, "tools-journal-unwanted")),
        NoteFileError::Unsure(_) => CallOutcome::Lost { found_by_start: None, lands_by: None },
    }
}

#[async_trait]
impl CommandExecutor for JournalFileExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        specs::journal_specs(self.ask_approval)
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        match request.command.name.as_str() {
            specs::ONCE => self.note(request, "once", false).await,
            specs::KEYED => self.note(request, "idempotent", true).await,
            specs::PROBED => self.note(request, "probe", false).await,
            specs::READ => self.lines(texts(&request)).await,
            _ => CallOutcome::Failed(unknown_command(&request)),
        }
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        if request.command.name != specs::PROBED {
            return CallOutcome::Lost { found_by_start: None, lands_by: None };
        }
        let call = request.call.to_string();
        match self.blocking(|file, _| file.read()).await {
            Ok(read) => {
                let found = read.lines.into_iter().find(|line| line.call == call);
                let happened = Some(found.is_some());
                let noted =
                    found.map(|line| JsonValue::from([("noted", JsonValue::from(line.text))]).to_json());
                let content = noted.unwrap_or_default();
                CallOutcome::Probed { happened, digest: digest(&content), content }
            }
            Err(_) => CallOutcome::Lost { found_by_start: None, lands_by: None },
        }
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let text = request.command.arguments.get("text").and_then(JsonValue::as_text).unwrap_or_default();
        Ok(ActionDescription {
            says: one_line(&say!(texts(&request), "tools-journal-write", text = text)),
            after: vec![("text".to_owned(), text.to_owned())],
            ..ActionDescription::default()
        })
    }
}
