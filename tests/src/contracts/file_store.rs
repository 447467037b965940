//! The contract suite of [`FileStore`].

use std::any::Any;
use std::sync::Arc;

use entracte_application::ports::{
    FileBytes, FileRow, FileStore, FileUseRow, MailStore, ReleasedFileRow, RetentionRows, SessionFile,
    WorkspaceCommit, WorkspaceStore,
};
use entracte_application::system::sha256;
use entracte_domain::file::{FileReference, ModelForm, PixelDimensions};
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;

use super::rows::{HOME, begun, key, next, session, session_id};

const OTHER: &str = "eve:other";

/// The store under test, and the resources it needs.
pub struct FileStoreFixture {
    /// The store.
    pub store: Arc<dyn FileStore>,
    /// Writes commits to the same data.
    pub commits: Arc<dyn WorkspaceStore>,
    /// Stores mail beside them.
    pub mail: Arc<dyn MailStore>,
    /// A temporary directory or a server that must outlive the store.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// The row of an image with these bytes.
pub fn image(name: &str, bytes: &[u8], at: i64) -> FileRow {
    FileRow {
        file: FileReference {
            digest: sha256(bytes),
            media_type: "image/png".to_owned(),
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            dimensions: Some(PixelDimensions { width: 1280, height: 720 }),
            pages: None,
            model_form: None,
        },
        author: "ann".to_owned(),
        stored_at: Timestamp(at),
    }
}

/// The row of a session that names these bytes.
pub fn naming(stem: &str, bytes: &[u8]) -> FileUseRow {
    FileUseRow {
        session: session_id(stem),
        digest: sha256(bytes),
        name: "chart.png".to_owned(),
        in_message: true,
        author: "ann".to_owned(),
        at: Timestamp(5),
    }
}

async fn put(stores: &FileStoreFixture, workspace: &str, row: FileRow, bytes: &[u8]) {
    stores.store.put_file(&key(workspace), row, bytes.to_vec().into()).await.unwrap();
}

async fn is_there(stores: &FileStoreFixture, workspace: &str, digest: &Digest) -> bool {
    let row = stores.store.file(&key(workspace), digest).await.unwrap();
    let bytes = stores.store.file_bytes(&key(workspace), digest).await.unwrap();
    assert_eq!(row.is_some(), bytes.is_some(), "a row and its bytes are there together");
    row.is_some()
}

/// The sizes of the files that a session names, added up.
async fn session_bytes(stores: &FileStoreFixture, workspace: &str, stem: &str) -> u64 {
    let files = stores.store.session_files(&key(workspace), &session_id(stem)).await.unwrap();
    files.values().map(|file| file.bytes).sum()
}

async fn write(stores: &FileStoreFixture, commit: WorkspaceCommit) {
    stores.commits.commit(commit).await.unwrap();
}

/// Input: an image and a PDF; expected: each comes back with its bytes, and with the facts of its kind only.
pub async fn a_file_is_read_back_as_it_was_stored(stores: FileStoreFixture) {
    let bytes = [0, 159, 146, 150, 255];
    let chart = image("chart été.png", &bytes, 7);
    put(&stores, HOME, chart.clone(), &bytes).await;
    let report = image("report.pdf", b"%PDF", 8);
    let file = FileReference {
        media_type: "application/pdf".to_owned(),
        dimensions: None,
        pages: Some(12),
        ..report.file
    };
    let report = FileRow { file, ..report };
    put(&stores, HOME, report.clone(), b"%PDF").await;
    for (row, bytes) in [(chart, &bytes[..]), (report, &b"%PDF"[..])] {
        let digest = row.file.digest.clone();
        assert_eq!(stores.store.file_bytes(&key(HOME), &digest).await.unwrap().as_deref(), Some(bytes));
        assert_eq!(stores.store.file(&key(HOME), &digest).await.unwrap(), Some(row));
    }
    assert!(!is_there(&stores, HOME, &sha256(b"other")).await);
}

/// Input: the same bytes under another name; expected: the row is the later one, and the bytes are the same.
pub async fn equal_bytes_are_stored_once(stores: FileStoreFixture) {
    put(&stores, HOME, image("one.png", b"png", 7), b"png").await;
    let later = FileRow { author: "bob".to_owned(), ..image("two.png", b"png", 9) };
    put(&stores, HOME, later.clone(), b"png").await;
    assert_eq!(stores.store.file(&key(HOME), &sha256(b"png")).await.unwrap(), Some(later));
    assert_eq!(stores.store.delete_unnamed_files(&key(HOME), Timestamp(99)).await.unwrap(), 1);
}

/// Input: a file that a session names, stored again under another name; expected: the session keeps its own name for it.
pub async fn a_session_keeps_its_name_of_a_file(stores: FileStoreFixture) {
    put(&stores, HOME, image("chart.png", b"png", 7), b"png").await;
    write(&stores, WorkspaceCommit { files: vec![naming("a", b"png")], ..begun(HOME, "a") }).await;
    put(&stores, HOME, image("secret.png", b"png", 9), b"png").await;
    let files = stores.store.session_files(&key(HOME), &session_id("a")).await.unwrap();
    let expected = SessionFile { name: "chart.png".to_owned(), bytes: 3 };
    assert_eq!(files.into_iter().collect::<Vec<_>>(), [(sha256(b"png"), expected)]);
}

/// Input: a file of one workspace; expected: another one does not find it, and deletes nothing of it, also where both
/// stored the same bytes.
pub async fn digest_of_other_workspace_is_404(stores: FileStoreFixture) {
    let digest = sha256(b"png");
    put(&stores, HOME, image("chart.png", b"png", 7), b"png").await;
    assert!(!is_there(&stores, OTHER, &digest).await);
    assert_eq!(stores.store.delete_unnamed_files(&key(OTHER), Timestamp(99)).await.unwrap(), 0);

    put(&stores, OTHER, FileRow { author: "eve".to_owned(), ..image("own.png", b"png", 8) }, b"png").await;
    let author = async |workspace: &str| {
        stores.store.file(&key(workspace), &digest).await.unwrap().map(|row| row.author)
    };
    assert_eq!(author(HOME).await.as_deref(), Some("ann"));
    assert_eq!(author(OTHER).await.as_deref(), Some("eve"));
    assert_eq!(stores.store.delete_unnamed_files(&key(OTHER), Timestamp(99)).await.unwrap(), 1);
    assert!(is_there(&stores, HOME, &digest).await);
}

/// Input: an old file, a new one, and an old one that a session names; expected: only the first is deleted.
pub async fn a_file_no_session_names_is_deleted_when_it_is_old(stores: FileStoreFixture) {
    for (bytes, at) in [(b"old", 5), (b"new", 50), (b"its", 5)] {
        put(&stores, HOME, image("chart.png", bytes, at), bytes).await;
    }
    write(&stores, WorkspaceCommit { files: vec![naming("a", b"its")], ..begun(HOME, "a") }).await;
    let unnamed = async |workspace: &str| stores.store.unnamed_file_bytes(&key(workspace)).await.unwrap();
    assert_eq!((unnamed(HOME).await, unnamed(OTHER).await), (6, 0));
    assert_eq!(stores.store.delete_unnamed_files(&key(HOME), Timestamp(50)).await.unwrap(), 1);
    assert_eq!(unnamed(HOME).await, 3);
    assert!(!is_there(&stores, HOME, &sha256(b"old")).await);
    assert!(is_there(&stores, HOME, &sha256(b"new")).await);
    assert!(is_there(&stores, HOME, &sha256(b"its")).await);
}

/// Input: a file that two sessions name, which are deleted one after the other; expected: it goes with the second.
pub async fn file_is_deleted_with_its_last_session(stores: FileStoreFixture) {
    let digest = sha256(b"png");
    put(&stores, HOME, image("chart.png", b"png", 7), b"png").await;
    put(&stores, OTHER, image("chart.png", b"png", 7), b"png").await;
    write(&stores, begun(HOME, "a")).await;
    let second = vec![(session(HOME, "b", 1), None)];
    let named = vec![naming("a", b"png"), naming("b", b"png"), naming("a", b"png")];
    write(&stores, WorkspaceCommit { sessions: second, files: named, ..next(HOME, 1) }).await;

    write(&stores, WorkspaceCommit { deleted: vec![(session_id("a"), 1)], ..next(HOME, 1) }).await;
    assert!(is_there(&stores, HOME, &digest).await, "the other session names it");
    write(&stores, WorkspaceCommit { deleted: vec![(session_id("b"), 1)], ..next(HOME, 1) }).await;
    assert!(!is_there(&stores, HOME, &digest).await);
    assert!(is_there(&stores, OTHER, &digest).await, "another workspace keeps its own");
}

/// Input: an old file, and a message that may name it and is not answered yet; expected: it stays until the message is
/// answered or withdrawn.
pub async fn a_file_stays_while_mail_waits(stores: FileStoreFixture) {
    put(&stores, HOME, image("chart.png", b"png", 5), b"png").await;
    let waiting = stores.mail.post(&key(HOME), b"Look.".to_vec(), Timestamp(6)).await.unwrap();
    stores.mail.post(&key(OTHER), b"Look.".to_vec(), Timestamp(6)).await.unwrap();
    assert_eq!(stores.store.delete_unnamed_files(&key(HOME), Timestamp(50)).await.unwrap(), 0);
    stores.mail.withdraw(&key(HOME), waiting).await.unwrap();
    assert_eq!(stores.store.delete_unnamed_files(&key(HOME), Timestamp(50)).await.unwrap(), 1);
}

/// Input: files of results, one of which a message names too and one of which another session has, and retention that
/// removes the results; expected: only the file that nothing else names goes.
pub async fn a_file_goes_with_its_results(stores: FileStoreFixture) {
    let result = |stem: &str, bytes: &[u8]| FileUseRow {
        in_message: false,
        author: "cal_1".to_owned(),
        ..naming(stem, bytes)
    };
    for bytes in [b"one", b"two", b"his"] {
        put(&stores, HOME, image("shot.png", bytes, 7), bytes).await;
    }
    let named = vec![result("a", b"one"), result("a", b"two"), result("a", b"his")];
    write(&stores, WorkspaceCommit { files: named, ..begun(HOME, "a") }).await;
    let second = vec![(session(HOME, "b", 1), None)];
    let named = vec![naming("a", b"two"), result("b", b"his")];
    write(&stores, WorkspaceCommit { sessions: second, files: named, ..next(HOME, 1) }).await;

    let released = [b"one", b"two", b"his"]
        .map(|bytes| ReleasedFileRow { session: session_id("a"), digest: sha256(bytes) });
    let retention = RetentionRows { released: released.into(), ..RetentionRows::default() };
    write(&stores, WorkspaceCommit { retention, ..next(HOME, 1) }).await;
    for (bytes, stays) in [(b"one", false), (b"two", true), (b"his", true)] {
        assert_eq!(is_there(&stores, HOME, &sha256(bytes)).await, stays);
    }
    assert_eq!(session_bytes(&stores, HOME, "a").await, 3);
}

/// Input: an image with a form for models, whose bytes the workspace holds under another name; expected: both are there
/// together, under the image's name, and go together when no session names them.
pub async fn an_image_is_read_back_with_its_form(stores: FileStoreFixture) {
    put(&stores, HOME, image("first.png", b"first", 7), b"first").await;
    let form = ModelForm {
        digest: sha256(b"first"),
        media_type: "image/png".to_owned(),
        bytes: 5,
        dimensions: PixelDimensions { width: 1280, height: 720 },
        is_first_frame: true,
    };
    let party = image("party.gif", b"frames", 90);
    let file = FileReference { model_form: Some(form), ..party.file.clone() };
    let whole = FileRow { file, ..party };
    let bytes = FileBytes { own: b"frames".to_vec(), form: Some(b"first".to_vec()) };
    stores.store.put_file(&key(HOME), whole.clone(), bytes).await.unwrap();
    let read = async |bytes: &[u8]| stores.store.file(&key(HOME), &sha256(bytes)).await.unwrap();
    assert_eq!(read(b"first").await, whole.form_row());
    assert_eq!(read(b"frames").await, Some(whole));
    assert_eq!(stores.store.delete_unnamed_files(&key(HOME), Timestamp(50)).await.unwrap(), 0);
    assert_eq!(stores.store.delete_unnamed_files(&key(HOME), Timestamp(91)).await.unwrap(), 2);
    assert_eq!((read(b"first").await, read(b"frames").await), (None, None));
}

/// Input: a commit that names a file which its workspace does not hold; expected: it is written, and the session has no
/// file.
pub async fn a_missing_file_is_not_noted(stores: FileStoreFixture) {
    put(&stores, OTHER, image("chart.png", b"png", 7), b"png").await;
    write(&stores, WorkspaceCommit { files: vec![naming("a", b"png")], ..begun(HOME, "a") }).await;
    assert_eq!(session_bytes(&stores, HOME, "a").await, 0);
}

/// Input: a session that names two files, one of them twice; expected: each counts once, in its workspace only.
pub async fn sizes_of_a_sessions_files_are_added_up(stores: FileStoreFixture) {
    put(&stores, HOME, image("one.png", b"12345", 7), b"12345").await;
    put(&stores, HOME, image("two.png", b"123", 7), b"123").await;
    let named = vec![naming("a", b"12345"), naming("a", b"123"), naming("a", b"12345")];
    write(&stores, WorkspaceCommit { files: named, ..begun(HOME, "a") }).await;
    assert_eq!(session_bytes(&stores, HOME, "a").await, 8);
    assert_eq!(session_bytes(&stores, HOME, "b").await, 0);
    assert_eq!(session_bytes(&stores, OTHER, "a").await, 0);
}
