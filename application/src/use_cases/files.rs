//! Files of conversations: stored before a message names them, read, and attached to a message.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::file::FileReference;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::time::Millis;

use super::UseCaseError;
use crate::files::{AcceptedFile, FileRefusal, FileWithForm, TEXT, accept_file, make_model_form};
use crate::ports::{Clock, DocumentConversionError, FileRow, FileStore, ImageConverter, SessionFile};
use crate::settings::{FileSettings, RuntimeSettings};
use crate::texts::saying;

/// A file to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUpload {
    /// Its name; only its last part is kept, on one line.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Who brings it: a person, or the id of a call.
    pub author: String,
}

/// A stored file that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageFile {
    /// Its digest.
    pub digest: Digest,
    /// Its name in the message; `None` for the one that it was stored with last, by whomever.
    pub name: Option<String>,
}

impl MessageFile {
    /// A file that was stored before.
    pub fn stored(digest: &str) -> Self {
        Self { digest: Digest::new(digest), name: None }
    }
}

/// A file that was just stored for the message, under its own name.
impl From<FileReference> for MessageFile {
    fn from(file: FileReference) -> Self {
        Self { digest: file.digest, name: Some(file.name) }
    }
}

use_case! {
    /// Stores a file, so that a message can name it, and beside an image the form that models get, if they do not get its
    /// bytes. Files of the workspace that no session names are deleted here, once they are old. Equal bytes are stored
    /// once.
    ///
    /// # Cancel safety
    /// If it is dropped, the file is stored with its form, or not; storing it again gives the same digest.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::settings::FileSettings;
    /// # use entracte_domain::time::Timestamp;
    /// # example(async {
    /// let (mut files, mut clock) = (MockFileStore::new(), MockClock::new());
    /// clock.expect_now().returning(|| Timestamp(0));
    /// files.expect_delete_unnamed_files().returning(|_, _| Ok(0));
    /// files.expect_file().returning(|_, _| Ok(None));
    /// files.expect_unnamed_file_bytes().returning(|_| Ok(0));
    /// files.expect_put_file().times(1).returning(|_, _, _| Ok(()));
    /// let images = MockImageConverter::new();
    /// let store = StoreFile::new(Arc::new(files), Arc::new(clock), Arc::new(images));
    /// let upload = FileUpload { name: "notes.txt".into(), bytes: b"Hello.".to_vec(), author: "ann".into() };
    /// let file = store.run(&samples::workspace(), upload, &FileSettings::default()).await?;
    /// assert_eq!((file.name.as_str(), file.bytes), ("notes.txt", 6));
    /// # Ok(()) });
    /// ```
    pub struct StoreFile over (files: dyn FileStore, clock: dyn Clock, images: dyn ImageConverter)
}

impl StoreFile {
    /// Stores it, and returns what it is.
    ///
    /// # Errors
    /// [`UseCaseError::Invalid`] when the file is refused, with the limit and its setting;
    /// [`UseCaseError::ReadersBusy`] when no reader has time for the image now; [`UseCaseError::NotApplicable`] when none
    /// can be started.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        upload: FileUpload,
        limits: &FileSettings,
    ) -> Result<FileReference, UseCaseError> {
        let FileUpload { name, bytes, author } = upload;
        let accepted = accept_file(&name, bytes, limits).map_err(|refusal| refusal_error(&refusal, &name))?;
        self.store_accepted(workspace, accepted, &author, limits).await
    }

    /// Stores a file that was accepted.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) async fn store_accepted(
        &self,
        workspace: &WorkspaceKey,
        accepted: AcceptedFile,
        author: &str,
        limits: &FileSettings,
    ) -> Result<FileReference, UseCaseError> {
        let name = accepted.file.name.clone();
        let found = make_model_form(accepted, &*self.images, workspace).await;
        let found = found.map_err(|refusal| refusal_error(&refusal, &name))?;
        self.store_with_form(workspace, found, author, limits).await
    }

    /// Stores a file with the form for models that it has.
    ///
    /// # Errors
    /// When there is no room for it, or the store cannot be written.
    pub(super) async fn store_with_form(
        &self,
        workspace: &WorkspaceKey,
        found: FileWithForm,
        author: &str,
        limits: &FileSettings,
    ) -> Result<FileReference, UseCaseError> {
        let now = self.clock.now();
        let before = now.plus(Millis(-limits.keep_unnamed.0));
        self.files.delete_unnamed_files(workspace, before).await?;
        self.check_room(workspace, &found, limits).await?;
        Ok(found.put(&*self.files, workspace, author, now).await?)
    }

    /// Refuses a file when too many wait for the messages that name them. One that is stored already takes no room.
    async fn check_room(
        &self,
        workspace: &WorkspaceKey,
        FileWithForm { file, .. }: &FileWithForm,
        limits: &FileSettings,
    ) -> Result<(), UseCaseError> {
        if self.files.file(workspace, &file.digest).await?.is_some() {
            return Ok(());
        }
        let waiting = self.files.unnamed_file_bytes(workspace).await?;
        let bytes = file.stored().fold(waiting, |sum, (_, bytes)| sum.saturating_add(bytes));
        if bytes <= limits.unnamed_bytes {
            return Ok(());
        }
        let (name, most) = (&file.name, limits.unnamed_bytes);
        let text = saying!("file-unnamed", name = name, bytes = bytes, most = most);
        Err(UseCaseError::Invalid(text.into()))
    }
}

/// The error of a refused file of this name.
fn refusal_error(refusal: &FileRefusal, name: &str) -> UseCaseError {
    let text = refusal.message(name).into();
    match refusal {
        FileRefusal::Reader(DocumentConversionError::Busy(_) | DocumentConversionError::WaitedTooLong(_)) => {
            UseCaseError::ReadersBusy(text)
        }
        FileRefusal::Reader(DocumentConversionError::NotStarted(_)) => UseCaseError::NotApplicable(text),
        _ => UseCaseError::Invalid(text),
    }
}

/// A stored file with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    /// What the file is.
    pub file: FileReference,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

use_case! {
    /// Reads a file of a workspace.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_domain::id::Digest;
    /// # example(async {
    /// let mut files = MockFileStore::new();
    /// files.expect_file().returning(|_, _| Ok(None));
    /// let read = ReadFile::new(Arc::new(files));
    /// let missing = read.run(&samples::workspace(), &Digest::new("d1")).await;
    /// assert!(matches!(missing, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    pub struct ReadFile reads (files: dyn FileStore)
}

impl ReadFile {
    /// The file with its bytes.
    ///
    /// # Errors
    /// [`UseCaseError::NotFound`] when this workspace does not hold it, whatever another one holds.
    pub async fn run(&self, workspace: &WorkspaceKey, digest: &Digest) -> Result<FileContent, UseCaseError> {
        let row = self.files.file(workspace, digest).await?;
        let bytes = match &row {
            Some(_) => self.files.file_bytes(workspace, digest).await?,
            None => None,
        };
        match (row, bytes) {
            (Some(FileRow { file, .. }), Some(bytes)) => Ok(FileContent { file, bytes }),
            (Some(_) | None, _) => Err(file_not_found(digest)),
        }
    }

    /// The file with its bytes, under the name that this session gave it, for whoever may read this session alone.
    ///
    /// # Errors
    /// [`UseCaseError::NotFound`] when the session does not name it, whatever another one names.
    pub async fn run_in_session(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<FileContent, UseCaseError> {
        let mut named = self.files.session_files(workspace, session).await?;
        let SessionFile { name, .. } = named.remove(digest).ok_or_else(|| file_not_found(digest))?;
        let FileContent { file, bytes } = self.run(workspace, digest).await?;
        Ok(FileContent { file: FileReference { name, ..file }, bytes })
    }
}

use_case! {
    /// Attaches stored files to a message: images and PDFs as files, texts as text.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::settings::RuntimeSettings;
    /// # use entracte_domain::message::UserMessage;
    /// # example(async {
    /// let attach = AttachFiles::new(Arc::new(MockFileStore::new()));
    /// let message = UserMessage::text("Hello.");
    /// let settings = RuntimeSettings::default();
    /// let same = attach.run(&samples::workspace(), None, message.clone(), &[], &settings).await?;
    /// assert_eq!(same, message);
    /// # Ok(()) });
    /// ```
    pub struct AttachFiles reads (files: dyn FileStore)
}

impl AttachFiles {
    /// The message with its files behind the text, in their order here. `session` is the session of the
    /// message, whose files have a limit together; `None` for a new one.
    ///
    /// # Errors
    /// [`UseCaseError::NotFound`] when this workspace does not hold one of them, [`UseCaseError::Invalid`] when there
    /// are too many, they are too large together, or their texts are too long for a message, with the limit and its
    /// setting.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: Option<&SessionId>,
        mut message: UserMessage,
        files: &[MessageFile],
        settings: &RuntimeSettings,
    ) -> Result<UserMessage, UseCaseError> {
        if files.is_empty() {
            return Ok(message);
        }
        let limits = &settings.files;
        let mut length = message.written_text().chars().count();
        let (count, most) = (files.len(), limits.per_message);
        if count > most {
            return Err(UseCaseError::Invalid(saying!("file-many", count = count, most = most).into()));
        }
        let mut in_session = match session {
            Some(session) => self.files.session_files(workspace, session).await?,
            None => BTreeMap::new(),
        };
        let mut request_bytes = 0_u64;
        for MessageFile { digest, name } in files {
            let row = self.files.file(workspace, digest).await?;
            let FileRow { file, .. } = row.ok_or_else(|| file_not_found(digest))?;
            let name = name.clone().unwrap_or_else(|| file.name.clone());
            let file = FileReference { name, ..file };
            if file.media_type == TEXT {
                let text = self.text(workspace, &file).await?;
                length = length.saturating_add(text.chars().count());
                // At the first text that is too long: no more than one is read beyond the limit.
                if length > settings.message_max_chars {
                    let most = settings.message_max_chars;
                    let text = saying!("file-text-long", name = &*file.name, length = length, most = most);
                    return Err(UseCaseError::Invalid(text.into()));
                }
                message.segments.push(Segment::Text(text));
                continue;
            }
            request_bytes = request_bytes.saturating_add(file.request_bytes());
            if request_bytes > limits.request_bytes {
                let (name, bytes, most) = (&file.name, request_bytes, limits.request_bytes);
                let text = saying!("file-request", name = name, bytes = bytes, most = most);
                return Err(UseCaseError::Invalid(text.into()));
            }
            let is_new = !in_session.contains_key(&file.digest);
            let noted = |bytes| SessionFile { name: file.name.clone(), bytes };
            in_session.extend(file.stored().map(|(digest, bytes)| (digest.clone(), noted(bytes))));
            let bytes = in_session.values().fold(0, |sum: u64, file| sum.saturating_add(file.bytes));
            // One that the session names takes no room; a message that is sent again names what it named.
            if is_new && bytes > limits.session_bytes {
                let (name, most) = (&file.name, limits.session_bytes);
                let text = saying!("file-session", name = name, bytes = bytes, most = most);
                return Err(UseCaseError::Invalid(text.into()));
            }
            message.segments.push(Segment::File(file));
        }
        Ok(message)
    }

    /// The text of a file below its name.
    async fn text(&self, workspace: &WorkspaceKey, file: &FileReference) -> Result<String, UseCaseError> {
        let bytes = self.files.file_bytes(workspace, &file.digest).await?;
        let bytes = bytes.ok_or_else(|| file_not_found(&file.digest))?;
        Ok(format!("\n[{}]\n{}\n", file.name, String::from_utf8_lossy(&bytes)))
    }
}

fn file_not_found(digest: &Digest) -> UseCaseError {
    UseCaseError::NotFound(saying!("file-none", digest = digest.as_str()).into())
}
