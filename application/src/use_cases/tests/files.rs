use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::time::Timestamp;

use crate::ports::{
    ConvertedImage, DocumentConversionError, FileBytes, FileRow, ImageConversionError, ImageFormat,
    MockClock, MockFileStore, MockImageConverter, SessionFile,
};
use crate::settings::{FileSettings, RuntimeSettings};
use crate::system::sha256;
use crate::use_cases::{AttachFiles, FileUpload, MessageFile, ReadFile, StoreFile, UseCaseError};

use entracte_domain::file::{FileReference, ModelForm, PixelDimensions};
use entracte_domain::id::WorkspaceKey;

fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

fn row(digest: &str, media_type: &str, bytes: u64) -> FileRow {
    let file = FileReference {
        digest: Digest::new(digest),
        media_type: media_type.into(),
        name: format!("{digest}.file"),
        bytes,
        dimensions: None,
        pages: None,
        model_form: None,
    };
    FileRow { file, author: "ann".into(), stored_at: Timestamp(0) }
}

/// An image of 30 bytes, of which models get a form of 5.
fn scan() -> FileRow {
    let form = ModelForm {
        digest: Digest::new("form"),
        media_type: "image/jpeg".into(),
        bytes: 5,
        dimensions: PixelDimensions { width: 2, height: 1 },
        is_first_frame: false,
    };
    let plain = row("scan", "image/png", 30);
    FileRow { file: FileReference { model_form: Some(form), ..plain.file }, ..plain }
}

/// A file of so many bytes in a session.
fn named(bytes: u64) -> SessionFile {
    SessionFile { name: "its.png".into(), bytes }
}

/// A store with an image `png`, a PDF `pdf`, a text `txt` and a `scan` with its form, and a session that names 90 bytes.
fn store() -> Arc<MockFileStore> {
    let mut files = MockFileStore::new();
    files.expect_file().returning(|_, digest| {
        Ok(match digest.as_str() {
            "png" => Some(row("png", "image/png", 10)),
            "pdf" => Some(row("pdf", "application/pdf", 20)),
            "txt" => Some(row("txt", "text/plain", 5)),
            "old" => Some(row("old", "image/png", 90)),
            "scan" => Some(scan()),
            _ => None,
        })
    });
    files.expect_file_bytes().returning(|_, _| Ok(Some(b"kg;72".to_vec())));
    files.expect_session_files().returning(|_, _| Ok(BTreeMap::from([(Digest::new("old"), named(90))])));
    Arc::new(files)
}

async fn attach(digests: &[&str], files: FileSettings) -> Result<UserMessage, UseCaseError> {
    attach_with(digests, RuntimeSettings { files, ..RuntimeSettings::default() }).await
}

async fn attach_with(digests: &[&str], settings: RuntimeSettings) -> Result<UserMessage, UseCaseError> {
    let files: Vec<MessageFile> = digests.iter().map(|digest| MessageFile::stored(digest)).collect();
    let session = SessionId::new("ses_a");
    let message = UserMessage::text("Look.");
    AttachFiles::new(store()).run(&home(), Some(&session), message, &files, &settings).await
}

/// Input: an image, a text and a PDF; expected: they follow the message in this order, and the text is text.
#[tokio::test]
async fn files_follow_message_and_texts_become_text() {
    let message = attach(&["png", "txt", "pdf"], FileSettings::default()).await.unwrap();
    let [Segment::Text(said), Segment::File(image), Segment::Text(text), Segment::File(pdf)] =
        message.segments.as_slice()
    else {
        panic!("{message:?}");
    };
    assert_eq!((said.as_str(), text.as_str()), ("Look.", "\n[txt.file]\nkg;72\n"));
    assert_eq!((image.digest.as_str(), pdf.digest.as_str()), ("png", "pdf"));
}

/// Input: an image and a text that were just stored as `mine.png` and `mine.txt`, in a workspace that knows them by other
/// names; expected: the message has the names that its author gave them.
#[tokio::test]
async fn files_have_the_names_of_their_message() {
    let own = |digest: &str, name: &str| MessageFile { digest: Digest::new(digest), name: Some(name.into()) };
    let files = [own("png", "mine.png"), own("txt", "mine.txt")];
    let settings = RuntimeSettings::default();
    let message = UserMessage::text("Look.");
    let message = AttachFiles::new(store()).run(&home(), None, message, &files, &settings).await.unwrap();
    let [_, Segment::File(image), Segment::Text(text)] = message.segments.as_slice() else {
        panic!("{message:?}");
    };
    assert_eq!((image.name.as_str(), text.as_str()), ("mine.png", "\n[mine.txt]\nkg;72\n"));
}

/// Input: a file that a session calls `its.png` and the workspace otherwise; expected: whoever may read the session is
/// told its name alone.
#[tokio::test]
async fn session_reader_is_told_the_name_of_the_session() {
    let (read, session, old) = (ReadFile::new(store()), SessionId::new("ses_a"), Digest::new("old"));
    let found = read.run_in_session(&home(), &session, &old).await.unwrap();
    assert_eq!((found.file.name.as_str(), found.file.digest), ("its.png", old));
    let other = read.run_in_session(&home(), &session, &Digest::new("png")).await;
    assert!(matches!(other, Err(UseCaseError::NotFound(_))));
}

/// Input: a digest that is nowhere, too many files, and files that are too large for the session; expected: each refusal
/// names what it is about and the setting.
#[tokio::test]
async fn refused_attachments_say_limit_and_setting() {
    let missing = attach(&["png", "elsewhere"], FileSettings::default()).await.unwrap_err();
    assert!(matches!(&missing, UseCaseError::NotFound(text) if text.contains("elsewhere")), "{missing}");
    let one = FileSettings { per_message: 1, ..FileSettings::default() };
    let many = attach(&["png", "pdf"], one).await.unwrap_err();
    assert!(matches!(&many, UseCaseError::Invalid(text) if text.contains("files.per_message")), "{many}");
    let tight = FileSettings { request_bytes: 29, ..FileSettings::default() };
    let large = attach(&["png", "txt", "pdf"], tight).await.unwrap_err();
    let is_named = |text: &str| text.contains("pdf.file") && text.contains("files.request_bytes");
    assert!(matches!(&large, UseCaseError::Invalid(text) if is_named(text)), "{large}");
    let small = FileSettings { session_bytes: 119, ..FileSettings::default() };
    let full = attach(&["png", "pdf"], small).await.unwrap_err();
    let is_named = |text: &str| text.contains("pdf.file") && text.contains("files.session_bytes");
    assert!(matches!(&full, UseCaseError::Invalid(text) if is_named(text)), "{full}");
    let just = FileSettings { session_bytes: 120, ..FileSettings::default() };
    assert!(attach(&["png", "pdf"], just).await.is_ok());
    assert!(attach(&["old", "png", "pdf", "png"], just).await.is_ok(), "each counts once");
}

/// Input: an image of 30 bytes with a form of 5; expected: the session has room for both, and a request for the form alone.
#[tokio::test]
async fn form_counts_as_file_of_the_session_and_is_what_a_request_has() {
    let limits = |session_bytes, request_bytes| FileSettings {
        session_bytes,
        request_bytes,
        ..FileSettings::default()
    };
    assert!(attach(&["scan"], limits(125, 5)).await.is_ok());
    for (files, setting) in [(limits(124, 5), "files.session_bytes"), (limits(125, 4), "files.request_bytes")]
    {
        let refused = attach(&["scan"], files).await.unwrap_err();
        assert!(matches!(&refused, UseCaseError::Invalid(text) if text.contains(setting)), "{refused}");
    }
}

/// Input: a message of five characters and a text that stands as 18 below its name; expected: just as many are accepted,
/// and one fewer is refused before anything is posted.
#[tokio::test]
async fn attached_texts_count_as_message() {
    let with = |message_max_chars| RuntimeSettings { message_max_chars, ..RuntimeSettings::default() };
    assert!(attach_with(&["txt"], with(23)).await.is_ok());
    let long = attach_with(&["txt"], with(22)).await.unwrap_err();
    assert!(matches!(&long, UseCaseError::Invalid(text) if text.contains("message.max_chars")), "{long}");
    assert!(long.to_string().contains("txt.file"), "{long}");
}

/// Input: a text, one day and one second after the epoch; expected: older files that no session names are deleted, and
/// the row says who brought the file and when.
#[tokio::test]
async fn storing_deletes_old_unnamed_files() {
    let now = Timestamp(86_401_000_000);
    let (mut files, mut clock) = (MockFileStore::new(), MockClock::new());
    clock.expect_now().returning(move || now);
    let is_old = |_: &WorkspaceKey, before: &Timestamp| *before == Timestamp(1_000_000);
    files.expect_delete_unnamed_files().withf(is_old).times(1).returning(|_, _| Ok(1));
    files.expect_file().returning(|_, _| Ok(None));
    files.expect_unnamed_file_bytes().returning(|_| Ok(0));
    files
        .expect_put_file()
        .withf(move |_, row, bytes| {
            let FileRow { file, author, stored_at } = row;
            (author.as_str(), *stored_at, bytes.own.as_slice()) == ("ann", now, &b"Hello."[..])
                && file.digest == sha256(b"Hello.")
        })
        .times(1)
        .returning(|_, _, _| Ok(()));
    let upload = FileUpload { name: "a/notes.txt".into(), bytes: b"Hello.".to_vec(), author: "ann".into() };
    let stored = StoreFile::new(Arc::new(files), Arc::new(clock), Arc::new(MockImageConverter::new()));
    let file = stored.run(&home(), upload, &FileSettings::default()).await.unwrap();
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("notes.txt", "text/plain"));
}

/// Input: 90 bytes that no message names yet, and six more with room for five; expected: refused with the setting, unless
/// the file is stored already.
#[tokio::test]
async fn unnamed_files_have_a_limit() {
    let limits = FileSettings { unnamed_bytes: 95, ..FileSettings::default() };
    for known in [None, Some(row("txt", "text/plain", 6))] {
        let is_stored = known.is_some();
        let (mut files, mut clock) = (MockFileStore::new(), MockClock::new());
        clock.expect_now().returning(|| Timestamp(0));
        files.expect_delete_unnamed_files().returning(|_, _| Ok(0));
        files.expect_file().returning(move |_, _| Ok(known.clone()));
        files.expect_unnamed_file_bytes().returning(|_| Ok(90));
        files.expect_put_file().times(usize::from(is_stored)).returning(|_, _, _| Ok(()));
        let upload = FileUpload { name: "a.txt".into(), bytes: b"Hello.".to_vec(), author: "ann".into() };
        let stored = StoreFile::new(Arc::new(files), Arc::new(clock), Arc::new(MockImageConverter::new()))
            .run(&home(), upload, &limits)
            .await;
        match stored {
            Ok(file) => assert!(is_stored, "{file:?}"),
            Err(UseCaseError::Invalid(text)) => {
                assert!(
                    !is_stored && text.contains("a.txt") && text.contains("files.unnamed_bytes"),
                    "{text}"
                );
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// A GIF of 4 by 2 pixels with two frames.
fn animation() -> Vec<u8> {
    let frame = [0x2c, 0, 0, 0, 0, 4, 0, 2, 0, 0, 2, 1, 0x44, 0];
    [&b"GIF89a"[..], &[4, 0, 2, 0, 0, 0, 0], &frame, &frame, &[0x3b]].concat()
}

/// A use case over a store that is empty, and takes so many files, each together with its form.
fn empty_store(taken: usize, images: MockImageConverter) -> StoreFile {
    let (mut files, mut clock) = (MockFileStore::new(), MockClock::new());
    clock.expect_now().returning(|| Timestamp(7));
    files.expect_delete_unnamed_files().returning(|_, _| Ok(0));
    files.expect_file().returning(|_, _| Ok(None));
    files.expect_unnamed_file_bytes().returning(|_| Ok(0));
    files.expect_put_file().times(taken).returning(|_, FileRow { file, .. }, FileBytes { own, form }| {
        assert_eq!((&file.digest, file.bytes), (&sha256(&own), own.len() as u64));
        assert_eq!(file.model_form.map(|form| form.digest), form.map(|form| sha256(&form)));
        Ok(())
    });
    StoreFile::new(Arc::new(files), Arc::new(clock), Arc::new(images))
}

/// Input: an animation; expected: its first frame is stored as its form for models, and both are named by the reference.
#[tokio::test]
async fn form_is_stored_with_the_image() {
    let dimensions = PixelDimensions { width: 4, height: 2 };
    let mut images = MockImageConverter::new();
    images.expect_convert_image().times(1).returning(move |_, conversion, bytes| {
        assert_eq!((conversion.format, conversion.dimensions), (ImageFormat::Gif, dimensions));
        assert_eq!(bytes, animation());
        Ok(ConvertedImage { format: ImageFormat::Png, dimensions, bytes: b"frame".to_vec() })
    });
    let upload = FileUpload { name: "party.gif".into(), bytes: animation(), author: "ann".into() };
    let file = empty_store(1, images).run(&home(), upload, &FileSettings::default()).await.unwrap();
    let form = ModelForm {
        digest: sha256(b"frame"),
        media_type: "image/png".into(),
        bytes: 5,
        dimensions,
        is_first_frame: true,
    };
    assert_eq!((file.digest, file.model_form), (sha256(&animation()), Some(form)));
}

/// Input: forms with just as many bytes and pixels as are allowed, with one byte more, and one pixel wider; expected: only the
/// first is stored, whatever the reader answers.
#[tokio::test]
async fn form_beyond_its_bounds_is_refused() {
    for (bytes, width, is_stored) in [(5, 4, true), (6, 4, false), (5, 5, false)] {
        let mut images = MockImageConverter::new();
        images.expect_convert_image().returning(move |_, _, _| {
            let dimensions = PixelDimensions { width, height: 2 };
            Ok(ConvertedImage { format: ImageFormat::Png, dimensions, bytes: vec![0; bytes] })
        });
        let limits = FileSettings { model_image_side: 4, model_image_bytes: 5, ..FileSettings::default() };
        let upload = FileUpload { name: "party.gif".into(), bytes: animation(), author: "ann".into() };
        let stored = empty_store(usize::from(is_stored), images).run(&home(), upload, &limits).await;
        assert_eq!(stored.is_ok(), is_stored, "{stored:?}");
    }
}

/// Input: an image that cannot be decoded, one that needs too much memory, and one for which no reader is free; expected:
/// nothing is stored, and the refusal says the name, and the limit with its setting.
#[tokio::test]
async fn image_without_its_form_is_refused() {
    let memory = DocumentConversionError::Memory(512 << 20).into();
    let damaged = ImageConversionError::Undecodable("it ends too early".into());
    for (error, named, is_passing) in [
        (damaged, "image/gif", false),
        (memory, "reader.memory", false),
        (DocumentConversionError::Busy(64).into(), "knowledge.waiting", true),
    ] {
        let mut images = MockImageConverter::new();
        images.expect_convert_image().return_once(move |_, _, _| Err(error));
        let upload = FileUpload { name: "party.gif".into(), bytes: animation(), author: "ann".into() };
        let refused = empty_store(0, images).run(&home(), upload, &FileSettings::default()).await;
        let refused = refused.unwrap_err();
        assert_eq!(matches!(refused, UseCaseError::ReadersBusy(_)), is_passing, "{refused}");
        let said = refused.to_string();
        assert!(said.contains("party.gif") && said.contains(named), "{said}");
    }
}
