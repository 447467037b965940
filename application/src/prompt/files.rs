//! Reads the files of a request: the conversation holds what they are, the store their bytes.

use entracte_domain::file::{FileKind, FileReference};
use entracte_domain::id::WorkspaceKey;

use crate::ports::{FileContents, FileStore, ModelRequest, PromptTurn, StoreError, UserTurnPart};

/// Reads the files that a model may look at in these turns, in their forms for models, each once. A file that is missing
/// stays a line of text.
///
/// # Errors
/// When the store cannot be read.
pub async fn read_files(
    store: Option<&dyn FileStore>,
    workspace: &WorkspaceKey,
    request: ModelRequest,
) -> Result<ModelRequest, StoreError> {
    let Some(store) = store else { return Ok(request) };
    let mut files = FileContents::default();
    for file in request.turns.iter().flat_map(|turn| files_of_turn(turn)) {
        let digest = file.model_view().digest;
        let is_read = match file.kind() {
            FileKind::Image | FileKind::Pdf => files.get(digest).is_none(),
            FileKind::Other => false,
        };
        if is_read && let Some(bytes) = store.file_bytes(workspace, digest).await? {
            files.insert(digest.clone(), bytes);
        }
    }
    Ok(ModelRequest { files, ..request })
}

/// The files of a turn, in order.
pub(super) fn files_of_turn(turn: &PromptTurn) -> Vec<&FileReference> {
    match turn {
        PromptTurn::User(parts) => parts.iter().flat_map(files_of_part).collect(),
        PromptTurn::Assistant(_) => Vec::new(),
    }
}

/// The files of a part: one that a person attached, or those of a result.
pub(super) fn files_of_part(part: &UserTurnPart) -> &[FileReference] {
    match part {
        UserTurnPart::File(file) => std::slice::from_ref(file),
        UserTurnPart::Result { files, .. } => files,
        UserTurnPart::Text(_) | UserTurnPart::System(_) => &[],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use entracte_domain::id::{Digest, SessionId};
    use mockall::predicate::eq;

    use super::*;
    use crate::ports::{CommandRequestPolicy, EncodedRequestCache, MockFileStore, OutputShape};

    fn file(digest: &str, media_type: &str) -> FileReference {
        FileReference {
            digest: Digest::new(digest),
            media_type: media_type.into(),
            name: digest.into(),
            bytes: 3,
            dimensions: None,
            pages: None,
            model_form: None,
        }
    }

    /// Input: an image in a message and again in a result, a PDF that is gone, and a file that no model reads; expected:
    /// the image is read once, and nothing else is there.
    #[tokio::test]
    async fn each_readable_file_is_read_once() {
        let home = WorkspaceKey::new("ann:home");
        let mut store = MockFileStore::new();
        let png = Digest::new("png");
        store
            .expect_file_bytes()
            .with(eq(home.clone()), eq(png.clone()))
            .times(1)
            .returning(|_, _| Ok(Some(b"png".to_vec())));
        let pdf = Digest::new("pdf");
        store.expect_file_bytes().with(eq(home.clone()), eq(pdf.clone())).times(1).returning(|_, _| Ok(None));
        let result = UserTurnPart::Result {
            provider_call_id: "1".into(),
            name: "shot".into(),
            content: "shot".into(),
            is_error: false,
            files: vec![file("png", "image/png"), file("pdf", "application/pdf"), file("wav", "audio/wav")],
        };
        let parts = vec![result, UserTurnPart::File(file("png", "image/png"))];
        let request = ModelRequest {
            session: SessionId::new("ses_a"),
            model: String::new(),
            encoding: "".into(),
            system: Vec::new(),
            turns: vec![Arc::new(PromptTurn::User(parts))],
            tools: Arc::new([]),
            commands: CommandRequestPolicy::Allowed,
            relaunch: false,
            output_tokens: None,
            output: OutputShape::Text,
            files: FileContents::default(),
            written: EncodedRequestCache::default(),
        };
        let read = read_files(Some(&store), &home, request).await.unwrap();
        assert_eq!(read.files.get(&png).map(|bytes| &**bytes), Some(&b"png"[..]));
        assert_eq!(read.files.get(&pdf), None);
    }
}
