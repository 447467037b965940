//! The images and PDFs of a result, stored as files that the model sees, and its sounds, which people save.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entracte_application::files::{AcceptedFile, accept_audio, accept_file, check_size};
use entracte_application::ports::CallRequest;
use entracte_application::settings::FileSettings;
use entracte_application::system::SecretScrubber;
use entracte_application::texts::LocalizedTexts;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::ServiceError;

use super::content::{decoded_len, media_blocks};
use super::exact_numbers::from_library;
use super::text::line;
use crate::result_files::{ResultFileCandidate, ResultFiles, StoredResultFiles, visible_file};

/// The result of a tool that did not fail; `None` for every other answer. The result of a failed call is text alone.
pub(super) fn succeeded_result(answer: &Result<CallToolResponse, ServiceError>) -> Option<&CallToolResult> {
    match answer {
        Ok(CallToolResponse::Complete(result)) if result.is_error != Some(true) => Some(result),
        Ok(_) | Err(_) => None,
    }
}

/// Stores the images, sounds and PDFs of a result, each once. The tool did its work, so a file that is refused or not stored fails
/// nothing.
pub(super) async fn store_result(
    files: &ResultFiles,
    result: &CallToolResult,
    request: &CallRequest,
    scrubber: &SecretScrubber,
) -> StoredResultFiles {
    let structured = result.structured_content.as_ref();
    let structured = structured.map(|data| media_blocks(&from_library(data))).unwrap_or_default();
    let mut known = HashSet::new();
    let blocks = result.content.iter().chain(&structured);
    let encoded = blocks.filter_map(|block| EncodedFile::from_block(block, scrubber));
    let encoded: Vec<EncodedFile<'_>> = encoded.filter(|file| known.insert(file.base64)).collect();
    files.store_all(&encoded, request).await
}

/// A file as a server sends it. It may send bytes of any kind.
struct EncodedFile<'a> {
    base64: &'a str,
    /// The address of a resource.
    uri: Option<&'a str>,
    is_audio: bool,
    scrubber: &'a SecretScrubber,
}

impl<'a> EncodedFile<'a> {
    /// The image, sound or resource in a block; `None` for text and links.
    fn from_block(block: &'a ContentBlock, scrubber: &'a SecretScrubber) -> Option<Self> {
        let (base64, uri, is_audio) = match block {
            ContentBlock::Image(image) => (&image.data, None, false),
            ContentBlock::Audio(audio) => (&audio.data, None, true),
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::BlobResourceContents { uri, blob, .. } => (blob, Some(uri.as_str()), false),
                _ => return None,
            },
            _ => return None,
        };
        Some(Self { base64, uri, is_audio, scrubber })
    }
}

impl ResultFileCandidate for EncodedFile<'_> {
    fn accept(&self, limits: &FileSettings, texts: &LocalizedTexts) -> Result<Option<AcceptedFile>, String> {
        let uri = self.scrubber.scrub_owned(self.uri.unwrap_or_default().to_owned());
        // A query may hold a signature or a token.
        let address = uri.split(['?', '#']).next().unwrap_or_default();
        let name = line(address, NAME_MAX_CHARS);
        let accepted = match check_size(decoded_len(self.base64) as u64, limits) {
            Ok(()) => {
                let Ok(bytes) = STANDARD.decode(self.base64) else { return Ok(None) };
                if self.is_audio {
                    // What is no sound stays a line, as every other kind of bytes.
                    return Ok(accept_audio(&name, bytes, limits).ok());
                }
                accept_file(&name, bytes, limits)
            }
            Err(refusal) => Err(refusal),
        };
        visible_file(&name, accepted, texts)
    }
}

/// The most characters of an address that are read for a name.
const NAME_MAX_CHARS: usize = 2_000;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use entracte_application::command_naming::CommandNaming;
    use entracte_application::ports::{
        CallProgressSink, FileStore, MockFileStore, MockImageConverter, SessionFile, StoreError,
    };
    use entracte_application::settings::WorkspaceLocale;
    use entracte_domain::command::Command;
    use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
    use entracte_domain::restriction::Restriction;
    use entracte_domain::time::Timestamp;
    use entracte_domain::value::JsonValue;
    use serde_json::{Value, json};

    use super::*;

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
        store.expect_session_files().returning(move |_, _| {
            let old = SessionFile { name: "old.png".to_owned(), bytes: in_session };
            Ok(BTreeMap::from([(Digest::new("old"), old)]))
        });
        store.expect_put_file().times(taken).returning(|_, row, bytes| {
            assert_eq!((row.author.as_str(), row.file.bytes), ("cal_x_1_0", bytes.own.len() as u64));
            Ok(())
        });
        store.expect_delete_unnamed_files().returning(|_, _| Ok(0));
        store.expect_unnamed_file_bytes().returning(|_| Ok(90));
        Arc::new(store)
    }

    async fn stored(store: Arc<dyn FileStore>, limits: FileSettings, result: Value) -> StoredResultFiles {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        let files = ResultFiles { store, images: Arc::new(MockImageConverter::new()), limits };
        store_result(&files, &result, &request(), &SecretScrubber::default()).await
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

    /// Input: a sound, and an image that a server calls a sound; expected: the sound is a file for people, the other is none.
    #[tokio::test]
    async fn sound_of_result_is_stored() {
        let audio =
            |bytes: &[u8]| json!({"type": "audio", "mimeType": "audio/wav", "data": STANDARD.encode(bytes)});
        let result = json!({"content": [audio(b"RIFF\x04\0\0\0WAVEfmt "), audio(b"GIF89a")]});
        let stored = stored(store(0, 1), FileSettings::default(), result).await;
        let [file] = &stored.files[..] else { panic!("{stored:?}") };
        assert_eq!((file.name.as_str(), file.media_type.as_str()), ("file.wav", "audio/wav"));
    }

    /// Input: an image that the session has already, while its files and those that wait leave no room; expected: it is shown
    /// again.
    #[tokio::test]
    async fn known_file_needs_no_room() {
        let bytes = STANDARD.decode(PIXEL).unwrap();
        let known = accept_file("pixel.gif", bytes, &FileSettings::default()).unwrap().file;
        let mut store = MockFileStore::new();
        let named = SessionFile { name: known.name.clone(), bytes: known.bytes };
        let digest = known.digest.clone();
        store
            .expect_session_files()
            .returning(move |_, _| Ok(BTreeMap::from([(digest.clone(), named.clone())])));
        store.expect_put_file().times(1).returning(|_, _, _| Ok(()));
        store.expect_delete_unnamed_files().returning(|_, _| Ok(0));
        store.expect_unnamed_file_bytes().returning(|_| Ok(90));
        let limits = FileSettings { session_bytes: 1, unnamed_bytes: 90, ..FileSettings::default() };
        let stored = stored(Arc::new(store), limits, json!({"content": [image(PIXEL)]})).await;
        assert_eq!((stored.files.len(), stored.refused), (1, Vec::<String>::new()));
    }

    /// Input: an image, and a store that cannot be used now; expected: the answer says that a file is missing.
    #[tokio::test]
    async fn file_that_is_not_stored_is_told() {
        let mut store = MockFileStore::new();
        store.expect_delete_unnamed_files().returning(|_, _| Ok(0));
        store.expect_unnamed_file_bytes().returning(|_| Err(StoreError::Unavailable("busy".into())));
        let result = json!({"content": [image(PIXEL)]});
        let lost = stored(Arc::new(store), FileSettings::default(), result).await;
        assert_eq!(lost.refused, ["files of this result could not be stored now, and are not shown"]);
    }

    #[tokio::test]
    async fn file_over_a_limit_is_told() {
        let two = || json!({"content": [image(PIXEL), blob("report", b"%PDF-1.4 x")]});
        let small = FileSettings { max_bytes: 20, ..FileSettings::default() };
        let large = stored(store(0, 1), small, two()).await;
        assert_eq!((large.files.len(), large.refused.len()), (1, 1), "{large:?}");
        for told in ["a file without a name", "files.max_bytes"] {
            assert!(large.refused[0].contains(told), "{large:?}");
        }
        let tight = FileSettings { request_bytes: 45, ..FileSettings::default() };
        let heavy = stored(store(0, 1), tight, two()).await;
        assert_eq!((heavy.files.len(), heavy.refused.len()), (1, 1), "{heavy:?}");
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
}
