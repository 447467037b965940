//! Files that the results of calls bring, stored so that a model sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_application::files::{AcceptedFile, FileRefusal, make_model_form};
use entracte_application::ports::{CallRequest, FileStore, ImageConverter, SessionFile, StoreError};
use entracte_application::settings::FileSettings;
use entracte_application::texts::{LocalizedMessage, LocalizedTexts, saying};
use entracte_domain::call::CallOutcome;
use entracte_domain::file::{FileKind, FileReference};
use entracte_domain::id::Digest;
use entracte_domain::time::Millis;

use crate::call_outcome::{succeeded_with_files, texts};

/// Where the images and PDFs of results are stored.
#[derive(Clone)]
pub struct ResultFiles {
    /// Stores their bytes.
    pub store: Arc<dyn FileStore>,
    /// Makes the forms of images that models get.
    pub images: Arc<dyn ImageConverter>,
    /// Which are accepted.
    pub limits: FileSettings,
}

/// The files that a result brought, and a line for each that was refused.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredResultFiles {
    pub(crate) files: Vec<FileReference>,
    pub(crate) refused: Vec<String>,
}

/// A file of a result that was not checked yet.
pub(crate) trait ResultFileCandidate: Sync {
    /// The file, if it is one that is shown; a line in the text stands for the others.
    ///
    /// # Errors
    /// Which limit it exceeds, in a sentence.
    fn accept(&self, limits: &FileSettings, texts: &LocalizedTexts) -> Result<Option<AcceptedFile>, String>;
}

/// The answer of [`ResultFileCandidate::accept`] for a file of this name that was accepted or refused.
pub(crate) fn visible_file(
    name: &str,
    accepted: Result<AcceptedFile, FileRefusal>,
    texts: &LocalizedTexts,
) -> Result<Option<AcceptedFile>, String> {
    match accepted {
        Ok(accepted) if accepted.file.kind() == FileKind::Other => Ok(None),
        Ok(accepted) => Ok(Some(accepted)),
        Err(
            refusal @ (FileRefusal::TooLarge { .. }
            | FileRefusal::TooManyPixels { .. }
            | FileRefusal::TooManyPages { .. }
            | FileRefusal::Heic
            | FileRefusal::Reader(_)),
        ) => Err(refusal.message(name).render(texts)),
        Err(FileRefusal::Empty | FileRefusal::Damaged(_) | FileRefusal::UnknownKind) => Ok(None),
    }
}

impl ResultFiles {
    /// Stores the files of a result. The call did its work, so a file that is refused or not stored fails nothing.
    pub(crate) async fn store_all<C: ResultFileCandidate>(
        &self,
        candidates: &[C],
        request: &CallRequest,
    ) -> StoredResultFiles {
        let mut stored = StoredResultFiles::default();
        if candidates.is_empty() {
            return stored;
        }
        if let Err(error) = self.store_files(candidates, request, &mut stored).await {
            tracing::warn!(call = request.call.as_str(), %error, "the files of a result were not stored");
            stored.refused.push(saying!("file-result-unstored").render(texts(request)));
        }
        stored
    }

    /// Stores files as far as the limits allow.
    async fn store_files<C: ResultFileCandidate>(
        &self,
        candidates: &[C],
        request: &CallRequest,
        stored: &mut StoredResultFiles,
    ) -> Result<(), StoreError> {
        let (workspace, texts) = (&request.workspace, texts(request));
        // Files of calls whose results were never committed.
        let before = request.now.plus(Millis(-self.limits.keep_unnamed.0));
        self.store.delete_unnamed_files(workspace, before).await?;
        let mut unnamed = self.store.unnamed_file_bytes(workspace).await?;
        let mut in_session = self.store.session_files(workspace, &request.session).await?;
        let (count, most) = (candidates.len(), self.limits.per_message);
        for candidate in candidates {
            if stored.files.len() + stored.refused.len() >= most {
                stored.refused.push(saying!("file-result-many", count = count, most = most).render(texts));
                break;
            }
            let accepted = match candidate.accept(&self.limits, texts) {
                Ok(Some(accepted)) => accepted,
                Ok(None) => continue,
                Err(refused) => {
                    stored.refused.push(refused);
                    continue;
                }
            };
            if stored.files.iter().any(|known| known.digest == accepted.file.digest) {
                continue;
            }
            let name = accepted.file.name.clone();
            let found = match make_model_form(accepted, &*self.images, workspace).await {
                Ok(found) => found,
                Err(refusal) => {
                    stored.refused.push(refusal.message(&name).render(texts));
                    continue;
                }
            };
            let refusal = self.refuse_without_room(&found.file, &stored.files, &in_session, unnamed);
            if let Some(refusal) = refusal {
                stored.refused.push(refusal.render(texts));
                continue;
            }
            let author = request.call.to_string();
            let file = found.put(&*self.store, workspace, &author, request.now).await?;
            for (digest, bytes) in file.stored() {
                let noted = SessionFile { name: file.name.clone(), bytes };
                if in_session.insert(digest.clone(), noted).is_none() {
                    unnamed = unnamed.saturating_add(bytes);
                }
            }
            stored.files.push(file);
        }
        Ok(())
    }

    /// Which limit leaves no room for a file with its form beside those of the result, of the session, and those that no
    /// session names.
    fn refuse_without_room(
        &self,
        file: &FileReference,
        of_result: &[FileReference],
        in_session: &BTreeMap<Digest, SessionFile>,
        unnamed: u64,
    ) -> Option<LocalizedMessage> {
        let FileSettings { request_bytes, session_bytes, unnamed_bytes, .. } = self.limits;
        let name = &file.name;
        let shown = of_result.iter().map(FileReference::request_bytes);
        let shown = shown.fold(file.request_bytes(), u64::saturating_add);
        if shown > request_bytes {
            return Some(saying!("file-request", name = name, bytes = shown, most = request_bytes));
        }
        // One that the session names takes no room.
        if in_session.contains_key(&file.digest) {
            return None;
        }
        let new = file.stored().filter(|(digest, _)| !in_session.contains_key(*digest));
        let bytes = new.fold(0, |sum: u64, (_, bytes)| sum.saturating_add(bytes));
        let sum = in_session.values().fold(bytes, |sum, other| sum.saturating_add(other.bytes));
        if sum > session_bytes {
            return Some(saying!("file-session", name = name, bytes = sum, most = session_bytes));
        }
        // A query that a person runs by hand is in no session that could name its files.
        let waiting = unnamed.saturating_add(bytes);
        (waiting > unnamed_bytes)
            .then(|| saying!("file-unnamed", name = name, bytes = waiting, most = unnamed_bytes))
    }
}

impl StoredResultFiles {
    /// The outcome with the files behind its answer.
    pub(crate) fn added_to(self, outcome: CallOutcome) -> CallOutcome {
        if self == Self::default() {
            return outcome;
        }
        match outcome {
            CallOutcome::Succeeded { content, files, .. } => {
                let lines: Vec<String> = [content].into_iter().chain(self.refused).collect();
                succeeded_with_files(lines.join("\n"), [files, self.files].concat())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_outcome::{digest, succeeded};

    #[test]
    fn outcome_has_its_files_behind_its_answer() {
        let file = FileReference {
            digest: Digest::new("d1"),
            media_type: "image/png".into(),
            name: "a.png".into(),
            bytes: 1,
            dimensions: None,
            pages: None,
            model_form: None,
        };
        let stored = StoredResultFiles { files: vec![file.clone()], refused: vec!["too large".into()] };
        let outcome = stored.added_to(succeeded("shot".into()));
        let content = "shot\ntoo large".to_owned();
        let whole = digest(&format!("{content}\n{}", file.line()));
        assert_eq!(outcome, CallOutcome::Succeeded { content, digest: whole, files: vec![file] });
        assert_eq!(StoredResultFiles::default().added_to(succeeded("a".into())), succeeded("a".into()));
    }
}
