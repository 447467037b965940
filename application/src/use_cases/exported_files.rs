//! The files of exported sessions: read for an export, and stored for an import.

use std::sync::Arc;

use entracte_domain::file::FileReference;
use entracte_domain::id::{Digest, WorkspaceKey};

use super::{StoreFile, UseCaseError};
use crate::files::{AcceptedFile, accept_audio, accept_file};
use crate::ports::{Clock, FileStore, ImageConverter};
use crate::session_export::SessionExport;
use crate::settings::FileSettings;
use crate::texts::{LocalizedMessage, saying};

use_case! {
    /// Adds to an exported session the bytes of the files that it and its agents name, and of their forms for models. All
    /// are in memory together.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::session_export::SessionExport;
    /// # use std::collections::BTreeMap;
    /// # example(async {
    /// let export = SessionExport {
    ///     session: samples::session(),
    ///     rows: Vec::new(),
    ///     blobs: Vec::new(),
    ///     state: b"{}".to_vec(),
    ///     instructions: None,
    ///     agents: Vec::new(),
    ///     files: BTreeMap::new(),
    /// };
    /// let add = AddExportFiles::new(Arc::new(MockFileStore::new()));
    /// assert_eq!(add.run(&samples::workspace(), export.clone()).await?, export, "it names no file");
    /// # Ok(()) });
    /// ```
    pub struct AddExportFiles reads (files: dyn FileStore)
}

impl AddExportFiles {
    /// The session of this workspace with its files. Files that the workspace does not hold any more are not in it
    /// ([`SessionExport::missing_files`]).
    ///
    /// # Errors
    /// When an entry or a file cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        mut export: SessionExport,
    ) -> Result<SessionExport, UseCaseError> {
        for file in export.files_by_entry()?.into_iter().flatten() {
            for (digest, _) in file.stored() {
                if export.files.contains_key(digest) {
                    continue;
                }
                if let Some(bytes) = self.files.file_bytes(workspace, digest).await? {
                    export.files.insert(digest.clone(), bytes.into());
                }
            }
        }
        Ok(export)
    }
}

/// An exported session whose files are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredExport {
    /// The session file without the bytes of files, for [`ImportSession`](super::ImportSession).
    pub document: String,
    /// The number of files that it had, without their forms for models.
    pub files: u64,
    /// The number of files that the session names, of which neither it nor the workspace has the bytes.
    pub missing_files: u64,
}

use_case! {
    /// Stores the files of an exported session in a workspace, so that the session can be imported there. The forms that
    /// models saw are stored as they are, so that each past request is rebuilt; a form that later messages may name is
    /// made again.
    ///
    /// # Cancel safety
    /// If it is dropped, some of the files are stored; those that no session names are deleted later. Storing them again
    /// gives the same digests.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::settings::FileSettings;
    /// # example(async {
    /// let (files, clock, images) = (MockFileStore::new(), MockClock::new(), MockImageConverter::new());
    /// let store = StoreExportFiles::new(Arc::new(files), Arc::new(clock), Arc::new(images));
    /// // Invalid exports are refused before anything is stored.
    /// let refused = store.run(&samples::workspace(), "ann", "{}".into(), &FileSettings::default()).await;
    /// assert!(matches!(refused, Err(UseCaseError::Invalid(text)) if text.starts_with("nothing was imported")));
    /// # Ok(()) });
    /// ```
    pub struct StoreExportFiles over (files: dyn FileStore, clock: dyn Clock, images: dyn ImageConverter)
}

impl StoreExportFiles {
    /// Stores them, after all were checked.
    ///
    /// # Errors
    /// [`UseCaseError::Invalid`] when the session file is incomplete, when one of its files does not match its digest, is
    /// not what the session names, or exceeds a limit, with the limit and its setting; nothing was stored then, except
    /// where `files.unnamed_bytes` has no room for the rest. [`UseCaseError::ReadersBusy`] when no reader has time for
    /// an image now.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: &str,
        document: String,
        limits: &FileSettings,
    ) -> Result<StoredExport, UseCaseError> {
        let mut export = SessionExport::decode(&document).map_err(|fault| {
            UseCaseError::Invalid(saying!("request-not-imported", why = fault.to_string()).into())
        })?;
        let missing_files = self.count_missing(workspace, &export).await?;
        if export.files.is_empty() {
            return Ok(StoredExport { document, files: 0, missing_files });
        }
        drop(document);
        let named = export.files_by_entry()?;
        let AcceptedFiles { files, forms } =
            accept_files(&mut export, &named, limits).map_err(not_imported)?;
        let document = export.encode()?;
        let store = StoreFile::new(self.files.clone(), self.clock.clone(), self.images.clone());
        // Forms first: a file whose row is there has its form.
        for form in forms {
            // An image that the workspace holds with a form of its own stays so.
            let held = self.files.file(workspace, &form.file.digest).await?;
            if held.is_some_and(|row| row.file.model_form.is_some()) {
                continue;
            }
            store.store_with_form(workspace, form.into_form(), author, limits).await?;
        }
        let count = files.len() as u64;
        for file in files {
            store.store_accepted(workspace, file, author, limits).await?;
        }
        Ok(StoredExport { document, files: count, missing_files })
    }

    async fn count_missing(
        &self,
        workspace: &WorkspaceKey,
        export: &SessionExport,
    ) -> Result<u64, UseCaseError> {
        let mut count = 0;
        for digest in export.missing_files()? {
            count += u64::from(self.files.file(workspace, &digest).await?.is_none());
        }
        Ok(count)
    }
}

/// The files of an export within the limits.
struct AcceptedFiles {
    files: Vec<AcceptedFile>,
    /// The forms that models saw of some of them.
    forms: Vec<AcceptedFile>,
}

/// Takes the files out of an export whose entries name these, and checks them against the limits. Each is what its entry
/// says, and has nothing that is removed when a file is stored.
fn accept_files(
    export: &mut SessionExport,
    named: &[Vec<FileReference>],
    limits: &FileSettings,
) -> Result<AcceptedFiles, LocalizedMessage> {
    let most = limits.per_message;
    if let Some(brought) = named.iter().find(|brought| brought.len() > most) {
        return Err(saying!("file-many", count = brought.len(), most = most));
    }
    let bytes = export.files.values().fold(0_u64, |sum, bytes| sum.saturating_add(bytes.len() as u64));
    if bytes > limits.session_bytes {
        return Err(saying!("file-import-bytes", bytes = bytes, most = limits.session_bytes));
    }
    let mut accepted = AcceptedFiles { files: Vec::new(), forms: Vec::new() };
    for file in named.iter().flatten() {
        if let Some(bytes) = export.files.remove(&file.digest) {
            let expected =
                ExpectedFile { name: &file.name, digest: &file.digest, media_type: &file.media_type };
            accepted.files.push(expected.accept(&bytes, limits)?);
        }
    }
    for file in named.iter().flatten() {
        let Some(form) = &file.model_form else { continue };
        if let Some(bytes) = export.files.remove(&form.digest) {
            let expected =
                ExpectedFile { name: &file.name, digest: &form.digest, media_type: &form.media_type };
            accepted.forms.push(expected.accept(&bytes, limits)?);
        }
    }
    match export.files.keys().next() {
        Some(digest) => Err(saying!("file-import-unnamed", digest = digest.as_str())),
        None => Ok(accepted),
    }
}

/// What an entry says of a file.
struct ExpectedFile<'a> {
    name: &'a str,
    digest: &'a Digest,
    media_type: &'a str,
}

impl ExpectedFile<'_> {
    fn accept(&self, bytes: &[u8], limits: &FileSettings) -> Result<AcceptedFile, LocalizedMessage> {
        let Self { name, digest, media_type } = *self;
        let accepted = match media_type.starts_with("audio/") {
            true => accept_audio(name, bytes.to_vec(), limits),
            false => accept_file(name, bytes.to_vec(), limits),
        };
        let accepted = accepted.map_err(|refusal| refusal.message(name))?;
        if accepted.file.digest != *digest || accepted.file.media_type != media_type {
            return Err(saying!("file-import-other", name = name, kind = media_type));
        }
        Ok(accepted)
    }
}

fn not_imported(why: LocalizedMessage) -> UseCaseError {
    UseCaseError::Invalid(saying!("request-not-imported", why = why).into())
}
