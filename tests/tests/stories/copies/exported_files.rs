//! The files of a session go with its export, and come with its import: an image with a form for models, a PDF, a text and
//! the picture of a result.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::{Clock, ConvertedImage, FileStore, ImageFormat, MockImageConverter};
use entracte_application::session_export::{SESSION_DOCUMENT, SESSION_FILES_DOCUMENT, SessionExport};
use entracte_application::settings::{FileSettings, RuntimeSettings};
use entracte_application::system::sha256;
use entracte_application::use_cases::{
    AddExportFiles, AttachFiles, DeleteSession, ExportSession, FileUpload, ForkSession, ImportSession,
    MessageFile, ReadFile, RebuildPrompt, RebuiltPrompt, SendMessage, StoreExportFiles, StoreFile,
    StoredExport, UseCaseError,
};
use entracte_domain::file::{FileReference, PixelDimensions};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::session::Dialect;
use entracte_tests::postgres::{TestDatabase, stores_of_database};
use entracte_tests::runtime_fixture::{RuntimeFixture, TokioClock};

use super::bilingual_model::{BilingualModelStep, look_step};
use super::fixture::{SessionCopyFixture, chat};

/// A PDF of two pages.
const PDF: &[u8] = b"%PDF-1.7\n1 0 obj << /Type /Pages /Kids [] /Count 2 >> endobj\n%%EOF\n";

/// A GIF of so many columns and two rows, with so many frames.
fn gif(width: u8, frames: usize) -> Vec<u8> {
    let frame = [0x2c, 0, 0, 0, 0, width, 0, 2, 0, 0, 2, 1, 0x44, 0];
    [&b"GIF89a"[..], &[width, 0, 2, 0, 0, 0, 0], &frame.repeat(frames), &[0x3b]].concat()
}

/// Makes the form of each image: two columns and two rows.
fn images() -> Arc<MockImageConverter> {
    let mut images = MockImageConverter::new();
    images.expect_convert_image().returning(|_, _, _| {
        let dimensions = PixelDimensions { width: 2, height: 2 };
        Ok(ConvertedImage { format: ImageFormat::Gif, dimensions, bytes: gif(2, 1) })
    });
    Arc::new(images)
}

/// A database with the file that a command returns, as it is stored before the command runs.
struct FileDatabase {
    stage: SessionCopyFixture,
    files: Arc<dyn FileStore>,
    clock: Arc<dyn Clock>,
}

fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

impl FileDatabase {
    fn new(database: &Database, keep: Box<dyn std::any::Any + Send + Sync>) -> Self {
        let stage = SessionCopyFixture::with_stores(stores_of_database(database, keep), []);
        Self { stage, files: database.file_store(), clock: Arc::new(TokioClock::default()) }
    }

    fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("entracte.db");
        let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
        Self::new(&database, Box::new(directory))
    }

    fn postgres() -> Option<Self> {
        let made = TestDatabase::make()?;
        Some(Self::new(&made.open(), Box::new(made)))
    }

    async fn store(&self, name: &str, bytes: Vec<u8>) -> FileReference {
        let store = StoreFile::new(self.files.clone(), self.clock.clone(), images());
        let upload = FileUpload { name: name.into(), bytes, author: "ann".into() };
        store.run(&home(), upload, &FileSettings::default()).await.unwrap()
    }

    /// A chat that a person showed an animation, a PDF and a text, and in which a command brought a picture.
    async fn told(self) -> (Self, RuntimeFixture, SessionId) {
        let shot = self.store("shot.gif", gif(6, 1)).await;
        let Self { stage, files, clock } = self;
        let here = Self { stage: stage.with_result_files(vec![shot]), files, clock };
        let life = here.stage.life().await;
        let session = chat(&life, Dialect::Tools, false).await;
        let mut attached: Vec<MessageFile> = Vec::new();
        for (name, bytes) in
            [("party.gif", gif(4, 2)), ("report.pdf", PDF.to_vec()), ("weights.csv", b"kg;72".to_vec())]
        {
            attached.push(here.store(name, bytes).await.into());
        }
        let attach = AttachFiles::new(here.files.clone());
        let (said, settings) = (UserMessage::text("Look."), RuntimeSettings::default());
        let message = attach.run(&home(), Some(&session), said, &attached, &settings).await.unwrap();
        here.stage.model.push_steps([look_step("screen"), BilingualModelStep::Words("A party.")]);
        let after = life.follow().last_entry_number(&home(), &session).await.unwrap();
        let send = SendMessage::new(life.mail_sender.clone());
        send.run(&home(), &session, "ann".into(), message, None).await.unwrap();
        life.follow().run_until_idle(&home(), &session, after).await.unwrap();
        (here, life, session)
    }

    /// The bytes of all files that a session names.
    async fn held(&self, workspace: &WorkspaceKey, session: &SessionId) -> BTreeMap<String, Vec<u8>> {
        let mut held = BTreeMap::new();
        for (digest, _) in self.files.session_files(workspace, session).await.unwrap() {
            let bytes = self.files.file_bytes(workspace, &digest).await.unwrap().unwrap();
            assert_eq!(sha256(&bytes), digest);
            held.insert(digest.to_string(), bytes);
        }
        held
    }

    /// Every request of a session to a model, with the bytes of its files.
    async fn requests(&self, life: &RuntimeFixture, session: &SessionId) -> Vec<RebuiltPrompt> {
        let services = &life.services;
        let rebuild = RebuildPrompt::new(
            services.store.clone(),
            services.log.clone(),
            services.providers.clone(),
            services.settings.clone(),
        );
        let rebuild = rebuild.with_files(Some(self.files.clone()));
        let mut rebuilt = Vec::new();
        for call in rebuild.calls(&life.workspace, session).await.unwrap() {
            rebuilt.push(rebuild.run(&life.workspace, &call.id.to_string()).await.unwrap());
        }
        rebuilt
    }

    async fn store_files(
        &self,
        workspace: &WorkspaceKey,
        text: &str,
        limits: &FileSettings,
    ) -> Result<StoredExport, UseCaseError> {
        let store = StoreExportFiles::new(self.files.clone(), self.clock.clone(), images());
        store.run(workspace, "bob", text.to_owned(), limits).await
    }
}

async fn export_names(life: &RuntimeFixture, session: &SessionId) -> SessionExport {
    let services = &life.services;
    let export = ExportSession::new(services.store.clone(), services.log.clone());
    export.run(&life.workspace, session).await.unwrap()
}

async fn export_with_files(here: &FileDatabase, life: &RuntimeFixture, session: &SessionId) -> SessionExport {
    let named = export_names(life, session).await;
    AddExportFiles::new(here.files.clone()).run(&life.workspace, named).await.unwrap()
}

async fn import(life: &RuntimeFixture, document: String, as_new: bool) -> Result<SessionId, UseCaseError> {
    let import = ImportSession::new(life.mail_sender.clone(), life.services.ids.clone());
    Ok(import.run(&life.workspace, "bob".into(), document, as_new).await?.session)
}

async fn check_files_travel(here: FileDatabase, there: FileDatabase) {
    let (here, life, session) = here.told().await;
    let export = export_with_files(&here, &life, &session).await;
    let text = export.encode().unwrap();
    assert!(text.contains(SESSION_FILES_DOCUMENT));
    assert_eq!(SessionExport::decode(&text).unwrap().encode().unwrap(), text);

    let mut away = there.stage.life().await;
    away.workspace = WorkspaceKey::new("bob:away");
    let stored = there.store_files(&away.workspace, &text, &FileSettings::default()).await.unwrap();
    assert_eq!((stored.files, stored.missing_files), (3, 0), "the animation, the PDF and the picture");
    let imported = import(&away, stored.document, false).await.unwrap();
    assert_eq!(imported, session);
    away.verify(&session).await;

    let held = there.held(&away.workspace, &session).await;
    assert_eq!(held, here.held(&home(), &session).await);
    assert_eq!(held.len(), 4, "the form of the animation, too");
    let sent = here.requests(&life, &session).await;
    let rebuilt = there.requests(&away, &session).await;
    assert_eq!(rebuilt.len(), 2);
    for (rebuilt, sent) in rebuilt.iter().zip(&sent) {
        assert_eq!(rebuilt.request.turns, sent.request.turns);
        assert_eq!(rebuilt.request.files, sent.request.files);
    }
    assert!(sent[1].request.files.get(&sha256(&gif(2, 1))).is_some(), "models saw the form");
    // An export of the import has them again.
    assert_eq!(export_with_files(&there, &away, &session).await.files, export.files);
}

/// Input: a session with an animation, a PDF, a text and the picture of a result, exported from one database and imported
/// into another; expected: it opens and verifies there, its workspace has all bytes with the form that models saw, and
/// every past request is rebuilt with them.
#[tokio::test(start_paused = true)]
async fn files_travel_with_their_session() {
    check_files_travel(FileDatabase::sqlite(), FileDatabase::sqlite()).await;
    if let Some(postgres) = FileDatabase::postgres() {
        check_files_travel(FileDatabase::sqlite(), postgres).await;
    }
    if let Some(postgres) = FileDatabase::postgres() {
        check_files_travel(postgres, FileDatabase::sqlite()).await;
    }
}

/// Input: an export without files, as earlier versions wrote it, imported into the same workspace, into another one of the
/// same database, and into another database; expected: all are sessions; the files are those of the own workspace alone,
/// and elsewhere the number of missing ones is said.
#[tokio::test(start_paused = true)]
async fn export_without_files_reaches_no_other_workspace() {
    let (here, life, session) = FileDatabase::sqlite().told().await;
    let text = export_names(&life, &session).await.encode().unwrap();
    assert!(text.contains(SESSION_DOCUMENT));
    let stored = here.store_files(&home(), &text, &FileSettings::default()).await.unwrap();
    assert_eq!((&stored.document, stored.files, stored.missing_files), (&text, 0, 0));
    let copy = import(&life, stored.document, true).await.unwrap();
    assert_eq!(here.held(&home(), &copy).await, here.held(&home(), &session).await);

    let eve = RuntimeFixture { workspace: WorkspaceKey::new("eve:other"), ..life };
    let stored = here.store_files(&eve.workspace, &text, &FileSettings::default()).await.unwrap();
    assert_eq!((stored.files, stored.missing_files), (0, 3));
    let copy = import(&eve, stored.document, true).await.unwrap();
    assert_eq!(here.held(&eve.workspace, &copy).await, BTreeMap::new());
    let read = ReadFile::new(here.files.clone()).run(&eve.workspace, &sha256(PDF)).await;
    assert!(matches!(read, Err(UseCaseError::NotFound(_))), "{read:?}");
    eve.verify(&copy).await;
}

/// Input: session files whose files were changed, exceed a limit, are named by no entry or are of another kind; expected:
/// each refusal names the file and the reason or the setting, and nothing is stored.
#[tokio::test(start_paused = true)]
async fn refused_import_names_the_file_and_stores_nothing() {
    let (here, life, session) = FileDatabase::sqlite().told().await;
    let export = export_with_files(&here, &life, &session).await;
    let text = export.encode().unwrap();
    let usual = FileSettings::default();
    let other = SessionExport {
        files: [(sha256(b"Mine."), Arc::from(&b"Mine."[..]))]
            .into_iter()
            .chain(export.files.clone())
            .collect(),
        ..export.clone()
    };
    let cases = [
        (text.replace("JVBERi0x", "JVBERi0y"), usual, "report.pdf", "do not match its hash"),
        (text.clone(), FileSettings { max_bytes: 40, ..usual }, "party.gif", "files.max_bytes"),
        (text.clone(), FileSettings { pages: 1, ..usual }, "report.pdf", "files.pages"),
        (text.clone(), FileSettings { megapixels: 0, ..usual }, "party.gif", "files.megapixels"),
        (text.clone(), FileSettings { per_message: 1, ..usual }, "2 files", "files.per_message"),
        (text.clone(), FileSettings { session_bytes: 99, ..usual }, "bytes", "files.session_bytes"),
        (other.encode().unwrap(), usual, sha256(b"Mine.").as_str(), "no entry names the file"),
    ]
    .map(|(text, limits, name, why)| (text, limits, name.to_owned(), why));
    let there = FileDatabase::sqlite();
    let away = there.stage.life().await;
    for (text, limits, name, why) in cases {
        let refused = there.store_files(&away.workspace, &text, &limits).await;
        let Err(UseCaseError::Invalid(says)) = refused else { panic!("{why}: {refused:?}") };
        assert!(says.starts_with("nothing was imported: "), "{says}");
        assert!(says.contains(&name) && says.contains(why), "{says}");
    }
    assert_eq!(there.files.unnamed_file_bytes(&home()).await.unwrap(), 0);
    // The request for the session itself carries no files.
    let refused = import(&away, text, false).await;
    assert!(matches!(refused, Err(UseCaseError::Invalid(_))), "{refused:?}");
}

/// Input: a fork of a session with files, whose original is deleted; expected: the fork names all of them, and has them
/// still; with the fork they go.
#[tokio::test(start_paused = true)]
async fn fork_keeps_the_files_of_its_original() {
    for place in [Some(FileDatabase::sqlite()), FileDatabase::postgres()].into_iter().flatten() {
        let (here, life, session) = place.told().await;
        let held = here.held(&home(), &session).await;
        let services = &life.services;
        let fork = ForkSession::new(life.mail_sender.clone(), services.store.clone(), services.ids.clone());
        let fork = fork.run(&home(), &session, "ann".into(), None, None).await.unwrap().session;
        let delete = DeleteSession::new(life.mail_sender.clone());
        delete.run(&home(), &session, "ann".into()).await.unwrap();
        assert_eq!(here.held(&home(), &fork).await, held);
        assert_eq!(here.requests(&life, &fork).await.len(), 2);
        delete.run(&home(), &fork, "ann".into()).await.unwrap();
        assert_eq!(here.files.file(&home(), &sha256(PDF)).await.unwrap(), None);
    }
}
