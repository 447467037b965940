//! Files of conversations: their bytes, stored once per workspace.

use std::collections::BTreeMap;

use async_trait::async_trait;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{FileBytes, FileRow, SessionFile, StoreError};

/// Stores the bytes of files before an entry names them. The commit of that entry notes the session
/// ([`WorkspaceCommit::files`](super::WorkspaceCommit::files)); with the last such session the file is deleted, or when
/// retention removes the results that brought it ([`RetentionRows::released`](super::RetentionRows::released)).
///
/// Equal bytes are stored once in a workspace, and never shared with another one: nothing tells a workspace which files
/// another one holds. Writing needs no ownership.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{FileStore, MockFileStore};
/// use entracte_domain::id::{Digest, WorkspaceKey};
///
/// let mut store = MockFileStore::new();
/// store.expect_file_bytes().returning(|workspace, _| {
///     let is_held = *workspace == samples::workspace();
///     Ok(is_held.then(|| b"Hello.".to_vec()))
/// });
/// let digest = Digest::new("d1");
/// assert_eq!(store.file_bytes(&samples::workspace(), &digest).await?, Some(b"Hello.".to_vec()));
/// let other = WorkspaceKey::new("bob:home");
/// assert_eq!(store.file_bytes(&other, &digest).await?, None, "a workspace is a wall");
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row cannot be read
/// or a value to be stored breaks a constraint. A missing row is not an error: the result is `None`, empty or 0. A failed write
/// has written nothing, unless a server was lost during it: a retry with the same file then finds it stored.
///
/// # Cancel safety
/// A write whose future is dropped has written everything or nothing; reads leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait FileStore: Send + Sync {
    /// Stores a file and its form for models together, in a workspace whose row need not exist yet. Bytes that the
    /// workspace holds stay, and their row is replaced.
    async fn put_file(
        &self,
        workspace: &WorkspaceKey,
        row: FileRow,
        bytes: FileBytes,
    ) -> Result<(), StoreError>;

    /// The row of a file, with its form for models if the workspace holds that, too; `None` if this workspace does not hold
    /// it.
    async fn file(&self, workspace: &WorkspaceKey, digest: &Digest) -> Result<Option<FileRow>, StoreError>;

    /// The bytes of a file; `None` if this workspace does not hold it.
    async fn file_bytes(
        &self,
        workspace: &WorkspaceKey,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// The files that a session names; none if this workspace has no such session.
    async fn session_files(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<BTreeMap<Digest, SessionFile>, StoreError>;

    /// The sum of the sizes of the files of a workspace that no session names, in bytes.
    async fn unnamed_file_bytes(&self, workspace: &WorkspaceKey) -> Result<u64, StoreError>;

    /// Deletes the files of a workspace that no session names and that were stored before this instant; returns their
    /// number. While mail of the workspace is unanswered none is deleted: a message in it may name them.
    async fn delete_unnamed_files(
        &self,
        workspace: &WorkspaceKey,
        before: Timestamp,
    ) -> Result<u64, StoreError>;
}
