//! The form of an image that models get, made and stored beside the image when it is accepted, so that building a request
//! reads bytes and decodes nothing, and each past request has the form that it had.

use entracte_domain::file::{FileReference, ModelForm};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::{AcceptedFile, FileRefusal};
use crate::ports::{
    ConvertedImage, DocumentConversionError, FileBytes, FileRow, FileStore, ImageConversion,
    ImageConversionError, ImageConverter, StoreError,
};
use crate::system::sha256;

/// A file that can be stored: with the form for models, if it is an image that needs one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWithForm {
    /// What the file is.
    pub file: FileReference,
    /// Its bytes, with those of its form for models.
    bytes: FileBytes,
}

/// Makes the form for models of an image that needs one: one that lies on its side, moves, or is larger than providers take.
/// All other files stay alone.
///
/// # Errors
/// Why the image is refused.
pub async fn make_model_form(
    accepted: AcceptedFile,
    images: &dyn ImageConverter,
    workspace: &WorkspaceKey,
) -> Result<FileWithForm, FileRefusal> {
    let AcceptedFile { file, bytes, is_animated, conversion } = accepted;
    let Some(conversion) = conversion else { return Ok(FileWithForm { file, bytes: bytes.into() }) };
    let converted = images.convert_image(workspace, conversion, bytes.clone()).await;
    let converted = converted.map_err(|error| conversion_refusal(conversion, error))?;
    // What reads a stranger's bytes may be anything after that: its answer is not believed.
    if !conversion.allows(&converted) {
        let how = "with a form beyond its bounds".to_owned();
        return Err(FileRefusal::Reader(DocumentConversionError::Crashed(how)));
    }
    let ConvertedImage { format, dimensions, bytes: form } = converted;
    let model_form = ModelForm {
        digest: sha256(&form),
        media_type: format.media_type().to_owned(),
        bytes: form.len() as u64,
        dimensions,
        is_first_frame: is_animated,
    };
    let file = FileReference { model_form: Some(model_form), ..file };
    Ok(FileWithForm { file, bytes: FileBytes { own: bytes, form: Some(form) } })
}

fn conversion_refusal(conversion: ImageConversion, error: ImageConversionError) -> FileRefusal {
    match error {
        ImageConversionError::Undecodable(_) => FileRefusal::Damaged(conversion.format.media_type()),
        ImageConversionError::Reader(error) => FileRefusal::Reader(error),
    }
}

impl AcceptedFile {
    /// Takes the image as the form of another one, which has none itself.
    pub fn into_form(self) -> FileWithForm {
        FileWithForm { file: self.file, bytes: self.bytes.into() }
    }
}

impl FileWithForm {
    /// Stores the file together with its form.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn put(
        self,
        store: &dyn FileStore,
        workspace: &WorkspaceKey,
        author: &str,
        stored_at: Timestamp,
    ) -> Result<FileReference, StoreError> {
        let Self { file, bytes } = self;
        let row = FileRow { file: file.clone(), author: author.to_owned(), stored_at };
        store.put_file(workspace, row, bytes).await?;
        Ok(file)
    }
}
