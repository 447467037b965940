//! The images and PDFs of a result, stored as files that the model sees.

use std::collections::HashSet;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entracte_application::files::{AcceptedFile, FileRefusal, accept_file, check_size};
use entracte_application::ports::{CallRequest, FileRow, FileStore, StoreError};
use entracte_application::settings::FileSettings;
use entracte_application::system::SecretScrubber;
use entracte_application::texts::{LocalizedTexts, saying};
use entracte_domain::call::CallOutcome;
use entracte_domain::file::{FileKind, FileReference};
use entracte_domain::time::Timestamp;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::ServiceError;

use super::content::{decoded_len, media_blocks};
use super::exact_numbers::from_library;
use super::text::line;
use crate::call_outcome::{succeeded_with_files, texts};

/// Where the images and PDFs of results are stored.
#[derive(Clone)]
pub struct McpResultFiles {
    /// Stores their bytes.
    pub store: Arc<dyn FileStore>,
    /// Which are accepted.
    pub limits: FileSettings,
}

/// The files that a result brought, and a line for each that was refused.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StoredResultFiles {
    files: Vec<FileReference>,
    refused: Vec<String>,
}

/// The result of a tool that did not fail; `None` for every other answer. The result of a failed call is text alone.
pub(super) fn succeeded_result(answer: &Result<CallToolResponse, ServiceError>) -> Option<&CallToolResult> {
    match answer {
        Ok(CallToolResponse::Complete(result)) if result.is_error != Some(true) => Some(result),
        Ok(_) | Err(_) => None,
    }
}

impl McpResultFiles {
    /// Stores the images and PDFs of a result, each once. The tool did its work, so a file that is refused or not stored
    /// fails nothing.
    pub(super) async fn store_result(
        &self,
        result: &CallToolResult,
        request: &CallRequest,
        scrubber: &SecretScrubber,
    ) -> StoredResultFiles {
        let structured = result.structured_content.as_ref();
        let structured = structured.map(|data| media_blocks(&from_library(data))).unwrap_or_default();
        let mut known = HashSet::new();
        let encoded = result.content.iter().chain(&structured).filter_map(EncodedFile::from_block);
        let encoded: Vec<EncodedFile<'_>> = encoded.filter(|file| known.insert(file.base64)).collect();
        let mut stored = StoredResultFiles::default();
        if encoded.is_empty() {
            return stored;
        }
        if let Err(error) = self.store_files(&encoded, request, scrubber, &mut stored).await {
            tracing::warn!(target: "entracte::mcp", call = request.call.as_str(), %error, "the files of a result were not stored");
        }
        stored
    }

    async fn store_files(
        &self,
        encoded: &[EncodedFile<'_>],
        request: &CallRequest,
        scrubber: &SecretScrubber,
        stored: &mut StoredResultFiles,
    ) -> Result<(), StoreError> {
        let (workspace, texts) = (&request.workspace, texts(request));
        // Files of calls whose results were never committed. Instants are in microseconds.
        let kept = self.limits.keep_unnamed.0.saturating_mul(1_000);
        let before = Timestamp(request.now.0.saturating_sub(kept));
        self.store.delete_unnamed_files(workspace, before).await?;
        let mut unnamed = self.store.unnamed_file_bytes(workspace).await?;
        let mut in_session = self.store.session_files(workspace, &request.session).await?;
        let (count, most) = (encoded.len(), self.limits.per_message);
        for encoded in encoded {
            if stored.files.len() + stored.refused.len() >= most {
                stored.refused.push(saying!("file-result-many", count = count, most = most).render(texts));
                break;
            }
            let AcceptedFile { file, bytes } = match encoded.accept(&self.limits, scrubber, texts) {
                Ok(Some(accepted)) => accepted,
                Ok(None) => continue,
                Err(refused) => {
                    stored.refused.push(refused);
                    continue;
                }
            };
            if stored.files.iter().any(|known| known.digest == file.digest) {
                continue;
            }
            let others = in_session.iter().filter(|(digest, _)| **digest != file.digest);
            let sum = others.fold(file.bytes, |sum, (_, bytes)| sum.saturating_add(*bytes));
            // One that the session names takes no room.
            if sum > self.limits.session_bytes && !in_session.contains_key(&file.digest) {
                let (name, most) = (&file.name, self.limits.session_bytes);
                let refused = saying!("file-session", name = name, bytes = sum, most = most);
                stored.refused.push(refused.render(texts));
                continue;
            }
            // A query that a person runs by hand is in no session that could name its files.
            let waiting = unnamed.saturating_add(file.bytes);
            if waiting > self.limits.unnamed_bytes {
                let (name, most) = (&file.name, self.limits.unnamed_bytes);
                let refused = saying!("file-unnamed", name = name, bytes = waiting, most = most);
                stored.refused.push(refused.render(texts));
                continue;
            }
            unnamed = waiting;
            let author = request.call.to_string();
            let row = FileRow { file: file.clone(), author, stored_at: request.now };
            self.store.put_file(workspace, row, bytes).await?;
            in_session.insert(file.digest.clone(), file.bytes);
            stored.files.push(file);
        }
        Ok(())
    }
}

impl StoredResultFiles {
    /// The outcome with the files behind its answer.
    pub(super) fn added_to(self, outcome: CallOutcome) -> CallOutcome {
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

/// A file as a server sends it.
#[derive(Debug)]
struct EncodedFile<'a> {
    base64: &'a str,
    /// The address of a resource.
    uri: Option<&'a str>,
}

impl<'a> EncodedFile<'a> {
    /// The image or resource in a block; `None` for text, sound and links.
    fn from_block(block: &'a ContentBlock) -> Option<Self> {
        match block {
            ContentBlock::Image(image) => Some(Self { base64: &image.data, uri: None }),
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::BlobResourceContents { uri, blob, .. } => {
                    Some(Self { base64: blob, uri: Some(uri) })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The file, if it is one that a model can see; a server may send bytes of any kind, and a line in the text stands for
    /// the others.
    ///
    /// # Errors
    /// Which limit it exceeds, in a sentence.
    fn accept(
        &self,
        limits: &FileSettings,
        scrubber: &SecretScrubber,
        texts: &LocalizedTexts,
    ) -> Result<Option<AcceptedFile>, String> {
        let uri = scrubber.scrub_owned(self.uri.unwrap_or_default().to_owned());
        // A query may hold a signature or a token.
        let address = uri.split(['?', '#']).next().unwrap_or_default();
        let name = line(address, NAME_MAX_CHARS);
        let accepted = match check_size(decoded_len(self.base64) as u64, limits) {
            Ok(()) => {
                let Ok(bytes) = STANDARD.decode(self.base64) else { return Ok(None) };
                accept_file(&name, bytes, limits)
            }
            Err(refusal) => Err(refusal),
        };
        match accepted {
            Ok(accepted) if accepted.file.kind() == FileKind::Other => Ok(None),
            Ok(accepted) => Ok(Some(accepted)),
            Err(
                refusal @ (FileRefusal::TooLarge { .. }
                | FileRefusal::TooManyPixels { .. }
                | FileRefusal::TooManyPages { .. }
                | FileRefusal::Heic),
            ) => Err(refusal.message(&name).render(texts)),
            Err(FileRefusal::Empty | FileRefusal::Damaged(_) | FileRefusal::UnknownKind) => Ok(None),
        }
    }
}

/// The most characters of an address that are read for a name.
const NAME_MAX_CHARS: usize = 2_000;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use entracte_application::command_naming::CommandNaming;
    use entracte_application::ports::{CallProgressSink, MockFileStore};
    use entracte_application::settings::WorkspaceLocale;
    use entracte_domain::command::Command;
    use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
    use entracte_domain::restriction::Restriction;
    use entracte_domain::value::JsonValue;
    use serde_json::{Value, json};

    use super::*;
    use crate::call_outcome::{digest, succeeded};

    const PIXEL: &str = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

    fn request() -> CallRequest {
        CallRequest {
            workspace: WorkspaceKey::new("user:main"),
            session: SessionId::new("ses_x"),
            call: CallId::new("cal_x_1_0"),
            command: Command { name: "s.shot".to_owned(), arguments: JsonValue::Null },
            acts_as: None,
            via: Vec::new(),
            key: "key".to_owned(),
            task: None,
            attempt: 1,
            now: Timestamp(0),
            reference: Timestamp(0),
            locale: WorkspaceLocale::default(),
            naming: CommandNaming::Types,
            restriction: Restriction::Open,
            progress: CallProgressSink::default(),
        }
    }

    /// A store with so many bytes in the session, which takes so many files.
    fn store(in_session: u64, taken: usize) -> Arc<dyn FileStore> {
        let mut store = MockFileStore::new();
        store
            .expect_session_files()
            .returning(move |_, _| Ok(BTreeMap::from([(Digest::new("old"), in_session)])));
        store.expect_put_file().times(taken).returning(|_, row, bytes| {
            assert_eq!((row.author.as_str(), row.file.bytes), ("cal_x_1_0", bytes.len() as u64));
            Ok(())
        });
        store.expect_delete_unnamed_files().returning(|_, _| Ok(0));
        store.expect_unnamed_file_bytes().returning(|_| Ok(90));
        Arc::new(store)
    }

    async fn stored(store: Arc<dyn FileStore>, limits: FileSettings, result: Value) -> StoredResultFiles {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        let files = McpResultFiles { store, limits };
        files.store_result(&result, &request(), &SecretScrubber::default()).await
    }

    fn image(data: &str) -> Value {
        json!({"type": "image", "mimeType": "image/png", "data": data})
    }

    fn blob(uri: &str, bytes: &[u8]) -> Value {
        let resource = json!({"uri": uri, "mimeType": "text/html", "blob": STANDARD.encode(bytes)});
        json!({"type": "resource", "resource": resource})
    }

    /// Input: an image twice, once in the structured content, and resources of which one is a PDF; expected: the image and
    /// the PDF once, with the type that their content has.
    #[tokio::test]
    async fn images_and_pdfs_of_result_are_stored_once() {
        let result = json!({
            "content": [image(PIXEL), blob("https://host/a/report?sig=k1#p", b"%PDF-1.4 x"), blob("memo://page", b"<html>")],
            "structuredContent": {"shot": image(PIXEL)},
        });
        let stored = stored(store(0, 2), FileSettings::default(), result).await;
        let kept: Vec<_> =
            stored.files.iter().map(|file| (file.name.as_str(), file.media_type.as_str())).collect();
        assert_eq!(kept, [("file.gif", "image/gif"), ("report", "application/pdf")]);
        assert_eq!(stored.refused, Vec::<String>::new());
    }

    /// Input: bytes that are no image, whatever the server calls them; expected: no file and no word about it.
    #[tokio::test]
    async fn other_bytes_stay_a_line() {
        let result =
            json!({"content": [image("AAAA"), image("no base64!"), image(""), blob("a", b"PK\x03\x04\x00")]});
        let stored = stored(store(0, 0), FileSettings::default(), result).await;
        assert_eq!(stored, StoredResultFiles::default());
    }

    #[tokio::test]
    async fn file_over_a_limit_is_told() {
        let two = || json!({"content": [image(PIXEL), blob("report", b"%PDF-1.4 x")]});
        let small = FileSettings { max_bytes: 20, ..FileSettings::default() };
        let large = stored(store(0, 1), small, two()).await;
        assert_eq!((large.files.len(), large.refused.len()), (1, 1), "{large:?}");
        let one = FileSettings { per_message: 1, ..FileSettings::default() };
        let many = stored(store(0, 1), one, two()).await;
        assert_eq!((many.files.len(), many.refused.len()), (1, 1), "{many:?}");
        let limits = FileSettings::default();
        let full = stored(store(limits.session_bytes, 0), limits, two()).await;
        assert_eq!((full.files.len(), full.refused.len()), (0, 2), "{full:?}");
        let waiting = FileSettings { unnamed_bytes: 100, ..limits };
        let waits = stored(store(0, 1), waiting, two()).await;
        assert_eq!((waits.files.len(), waits.refused.len()), (1, 1), "{waits:?}");
    }

    #[test]
    fn outcome_has_its_files_behind_its_answer() {
        let file = FileReference {
            digest: Digest::new("d1"),
            media_type: "image/png".into(),
            name: "a.png".into(),
            bytes: 1,
            dimensions: None,
            pages: None,
        };
        let stored = StoredResultFiles { files: vec![file.clone()], refused: vec!["too large".into()] };
        let outcome = stored.added_to(succeeded("shot".into()));
        let content = "shot\ntoo large".to_owned();
        let whole = digest(&format!("{content}\n{}", file.line()));
        assert_eq!(outcome, CallOutcome::Succeeded { content, digest: whole, files: vec![file] });
        assert_eq!(StoredResultFiles::default().added_to(succeeded("a".into())), succeeded("a".into()));
    }
}
