use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::file::ModelForm;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{FileBytes, FileRow, FileUseRow, SessionFile, WorkspaceCommit};

/// The files of workspaces, each with its bytes.
type StoredFiles = BTreeMap<(WorkspaceKey, Digest), (FileRow, Arc<[u8]>)>;

/// Files in memory, for stores without a database.
#[derive(Clone, Debug, Default)]
pub struct MemoryFileTable {
    files: StoredFiles,
    uses: BTreeMap<(WorkspaceKey, SessionId, Digest), FileUseRow>,
}

impl MemoryFileTable {
    /// Restores the table from saved rows, in any order, each with its workspace: files with their bytes, and the sessions
    /// that name them.
    pub fn load(
        files: impl IntoIterator<Item = (WorkspaceKey, FileRow, Arc<[u8]>)>,
        uses: impl IntoIterator<Item = (WorkspaceKey, FileUseRow)>,
    ) -> Self {
        let file = |(key, row, bytes): (WorkspaceKey, FileRow, Arc<[u8]>)| {
            ((key, row.file.digest.clone()), (row, bytes))
        };
        let named =
            |(key, row): (WorkspaceKey, FileUseRow)| ((key, row.session.clone(), row.digest.clone()), row);
        Self { files: files.into_iter().map(file).collect(), uses: uses.into_iter().map(named).collect() }
    }

    /// All files with their workspaces and bytes, for saving.
    pub fn file_rows(&self) -> impl Iterator<Item = (&WorkspaceKey, &FileRow, &Arc<[u8]>)> {
        self.files.iter().map(|((key, _), (row, bytes))| (key, row, bytes))
    }

    /// All notes that sessions name files, with their workspaces, for saving.
    pub fn use_rows(&self) -> impl Iterator<Item = (&WorkspaceKey, &FileUseRow)> {
        self.uses.iter().map(|((key, ..), row)| (key, row))
    }

    /// Stores a file and its form for models; bytes that the workspace holds stay, and their row is replaced.
    pub fn put(&mut self, workspace: &WorkspaceKey, row: FileRow, bytes: FileBytes) {
        let FileBytes { own, form } = bytes;
        if let (Some(row), Some(form)) = (row.form_row(), form) {
            self.put_one(workspace, row, form);
        }
        self.put_one(workspace, row, own);
    }

    fn put_one(&mut self, workspace: &WorkspaceKey, row: FileRow, bytes: Vec<u8>) {
        let place = (workspace.clone(), row.file.digest.clone());
        match self.files.get_mut(&place) {
            Some((old, _)) => *old = row,
            None => {
                self.files.insert(place, (row, bytes.into()));
            }
        }
    }

    /// The row of a file of a workspace, with its form for models if that is stored.
    pub fn row(&self, workspace: &WorkspaceKey, digest: &Digest) -> Option<FileRow> {
        let mut row = self.files.get(&(workspace.clone(), digest.clone())).map(|(row, _)| row.clone())?;
        let is_stored = |form: &ModelForm| self.files.contains_key(&(workspace.clone(), form.digest.clone()));
        row.file.model_form = row.file.model_form.filter(is_stored);
        Some(row)
    }

    /// The bytes of a file of a workspace.
    pub fn bytes(&self, workspace: &WorkspaceKey, digest: &Digest) -> Option<Vec<u8>> {
        self.files.get(&(workspace.clone(), digest.clone())).map(|(_, bytes)| bytes.to_vec())
    }

    /// The files that a session names.
    pub fn session_files(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> BTreeMap<Digest, SessionFile> {
        let of_session = self.uses.iter().filter(|((key, of, _), _)| key == workspace && of == session);
        let named = |((_, _, digest), noted): (&(WorkspaceKey, SessionId, Digest), &FileUseRow)| {
            let bytes = self.row(workspace, digest)?.file.bytes;
            Some((digest.clone(), SessionFile { name: noted.name.clone(), bytes }))
        };
        of_session.filter_map(named).collect()
    }

    /// The sum of the sizes of the files of a workspace that no session names, in bytes.
    pub fn unnamed_bytes(&self, workspace: &WorkspaceKey) -> u64 {
        let unnamed =
            self.files.iter().filter(|((key, digest), _)| key == workspace && !self.is_named(key, digest));
        unnamed.map(|(_, (row, _))| row.file.bytes).sum()
    }

    fn is_named(&self, workspace: &WorkspaceKey, digest: &Digest) -> bool {
        self.uses.keys().any(|(key, _, named)| key == workspace && named == digest)
    }

    /// Deletes the files of a workspace that no session names and that were stored before this instant; returns their
    /// number.
    pub fn delete_unnamed(&mut self, workspace: &WorkspaceKey, before: Timestamp) -> u64 {
        self.delete_files(|key, row, is_named| key == workspace && row.stored_at < before && !is_named)
    }

    /// Notes the files that sessions name, and deletes those of deleted sessions and removed results that no other session
    /// names.
    pub fn apply(&mut self, commit: &WorkspaceCommit) {
        let workspace = &commit.workspace.key;
        for named in &commit.files {
            if self.row(workspace, &named.digest).is_some() {
                let place = (workspace.clone(), named.session.clone(), named.digest.clone());
                let noted = self.uses.entry(place).or_insert_with(|| named.clone());
                noted.in_message |= named.in_message;
            }
        }
        if commit.deleted.is_empty() && commit.retention.released.is_empty() {
            return;
        }
        let is_gone = |session: &SessionId| commit.deleted.iter().any(|(gone, _)| gone == session);
        let mut released: Vec<Digest> = Vec::new();
        let is_released = |session: &SessionId, digest: &Digest| {
            commit.retention.released.iter().any(|row| row.session == *session && row.digest == *digest)
        };
        self.uses.retain(|(key, session, digest), noted| {
            let goes = is_gone(session) || (!noted.in_message && is_released(session, digest));
            let stays = key != workspace || !goes;
            if !stays {
                released.push(digest.clone());
            }
            stays
        });
        self.delete_files(|key, row, is_named| {
            key == workspace && !is_named && released.contains(&row.file.digest)
        });
    }

    /// Deletes the files that `goes` selects by workspace, row and whether a session names them.
    fn delete_files(&mut self, goes: impl Fn(&WorkspaceKey, &FileRow, bool) -> bool) -> u64 {
        let before = self.files.len();
        let uses = &self.uses;
        self.files.retain(|(workspace, digest), (row, _)| {
            let is_named = uses.keys().any(|(key, _, named)| key == workspace && named == digest);
            !goes(workspace, row, is_named)
        });
        (before - self.files.len()) as u64
    }
}
