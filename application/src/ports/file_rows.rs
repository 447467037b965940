use entracte_domain::file::{FileReference, ModelForm};
use entracte_domain::id::{Digest, SessionId};
use entracte_domain::time::Timestamp;

/// The stored row of a file of a workspace, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// What the file is, under the name that it was stored with last.
    pub file: FileReference,
    /// Who stored it last: a person, or the id of a call.
    pub author: String,
    /// When it was stored last.
    pub stored_at: Timestamp,
}

impl FileRow {
    /// The row of the form for models, which is a file, too, of the same name, author and time; `None` if the file has none.
    pub fn form_row(&self) -> Option<Self> {
        let ModelForm { digest, media_type, bytes, dimensions, is_first_frame: _ } =
            self.file.model_form.clone()?;
        let file = FileReference {
            digest,
            media_type,
            name: self.file.name.clone(),
            bytes,
            dimensions: Some(dimensions),
            pages: None,
            model_form: None,
        };
        Some(Self { file, ..self.clone() })
    }
}

/// The bytes of a file to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// Its own bytes.
    pub own: Vec<u8>,
    /// The bytes of its form for models; `None` if it has none.
    pub form: Option<Vec<u8>>,
}

/// The bytes of a file without a form for models.
impl From<Vec<u8>> for FileBytes {
    fn from(own: Vec<u8>) -> Self {
        Self { own, form: None }
    }
}

/// A file that a session names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    /// The name that the session gave it first; other sessions may name the same bytes otherwise.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The row of a file in a session that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileUseRow {
    /// The session whose entry names the file.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The SHA-256 of the file's bytes.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub digest: Digest,
    /// The name that the entry gives it.
    pub name: String,
    /// Whether a message names it; otherwise only results do, and it goes with them.
    pub in_message: bool,
    /// Who brought it into the session: a person, or the id of a call.
    pub author: String,
    /// When it was brought.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
}
