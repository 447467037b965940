//! Shows a file of the session again: the log names it, and the prompt may have lost the view of it.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::file::FileReference;
use entracte_domain::id::Digest;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_outcomes::{doc, object, outcome, outcome_with_files, read_failure};
use crate::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, FileStore, ResourceReader, SessionFile,
    StoreError,
};
use crate::texts::{LocalizedTexts, say};

/// `files.read`: a file that a message or a result of the same session named, once more. A session reads no other file:
/// one that it does not name is answered like one that nobody holds, so the answer tells nothing about other sessions
/// and workspaces. So is its name the one that the session gave it.
pub struct FilesExecutor {
    files: Arc<dyn FileStore>,
}

impl FilesExecutor {
    /// Name of the command.
    pub const NAME: &'static str = "files.read";
    const WORD: &'static str = "LOOK_AT_FILE";

    /// Reads from this store.
    pub fn new(files: Arc<dyn FileStore>) -> Self {
        Self { files }
    }

    /// The file with this digest; `None` if the session of the call does not name it.
    async fn file(
        &self,
        request: &CallRequest,
        digest: &Digest,
    ) -> Result<Option<FileReference>, StoreError> {
        let mut named = self.files.session_files(&request.workspace, &request.session).await?;
        let Some(SessionFile { name, .. }) = named.remove(digest) else { return Ok(None) };
        let row = self.files.file(&request.workspace, digest).await?;
        Ok(row.map(|row| FileReference { name, ..row.file }))
    }
}

#[async_trait]
impl CommandExecutor for FilesExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let digest = json!({ "digest": { "type": "string", "minLength": 1, "maxLength": DIGITS } });
        vec![CommandSpec::query(Self::WORD, Self::NAME, &doc(Self::WORD), object(&digest, &["digest"]))]
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let texts = LocalizedTexts::for_language(request.locale.language);
        let arguments = &request.command.arguments;
        let digest = Digest::new(arguments.get("digest").and_then(JsonValue::as_text).unwrap_or_default());
        match self.file(&request, &digest).await {
            Ok(Some(file)) => outcome_with_files(say!(texts, "files-read"), vec![file]),
            Ok(None) => outcome(Err(CallFailure {
                code: "NOT_FOUND".into(),
                message: say!(texts, "files-read-none", digest = digest.as_str()),
                path: Some("/digest".into()),
                retryable: false,
            })),
            Err(fault) => outcome(Err(read_failure(&fault))),
        }
    }

    async fn describe(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription::default())
    }
}

/// Digits of a digest.
const DIGITS: usize = 64;
