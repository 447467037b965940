//! Real work on a file, with a backup of the database after each commit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    CommandExecutor, CommitError, ReceiptRow, SessionFilter, SessionRow, StoreError, WaitCondition,
    WakeSchedule, WorkspaceCommit, WorkspaceRow, WorkspaceStore,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{ApprovalChoice, SendMessage, VerifySession};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::time::Timestamp;
use entracte_tests::crash::every_point::in_memory;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::postgres::stores_of_database;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, FixedNoonClock, RuntimeFixture, SequentialIds, ServicesFixtureParts,
    command_request_line, envelope_line, services,
};
use serde_json::json;
use tokio::sync::Mutex;

/// A store that backs up the database after each commit; one commit at a time.
struct CommitBackupStore {
    store: Arc<dyn WorkspaceStore>,
    database: Database,
    folder: PathBuf,
    states: Mutex<Vec<PathBuf>>,
}

impl CommitBackupStore {
    fn keep(&self, states: &mut Vec<PathBuf>) {
        let path = self.folder.join(format!("state-{}.db", states.len()));
        self.database.backup(&path).unwrap();
        states.push(path);
    }
}

#[async_trait]
impl WorkspaceStore for CommitBackupStore {
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError> {
        let mut states = self.states.lock().await;
        // Before the first commit the owner recorded its ownership.
        if states.len() == 1 {
            self.keep(&mut states);
        }
        self.store.commit(commit).await?;
        self.keep(&mut states);
        Ok(())
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.store.workspace(key).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.store.workspaces().await
    }

    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError> {
        self.store.session(workspace, id).await
    }

    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.store.session_id_exists(id).await
    }

    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError> {
        self.store.receipts(workspace, keys).await
    }

    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.store.sessions_with_slot_demand(workspace).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.store.due(now).await
    }

    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.store.due_sessions_in(workspace, now).await
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.store.wake_schedule(now).await
    }

    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.store.waiting(what).await
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.store.next_wake(workspace).await
    }
}

/// A file with its log, as a killed process leaves it.
pub(crate) struct WalTestImage {
    /// The file itself.
    pub(crate) file: Vec<u8>,
    /// The write-ahead log beside it.
    pub(crate) wal: Vec<u8>,
    /// The database before the work, and after each commit, each with the number of its last entry.
    pub(crate) states: Vec<(u64, Database)>,
    _folder: tempfile::TempDir,
}

pub(crate) fn open(path: &Path) -> Database {
    Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap()
}

/// Every committed state is complete: it equals the replay of its journals.
async fn verify(state: &Database) {
    for row in state.log_reader().sessions(&SessionFilter::default()).await.unwrap().rows {
        let verify = VerifySession::new(state.store(), state.log_reader());
        assert_eq!(verify.run(&row.workspace, &row.id).await.unwrap(), None);
    }
}

/// The number of the last entry of the one workspace.
pub(crate) async fn last_entry(database: &Database) -> u64 {
    database.store().workspaces().await.unwrap().first().map_or(0, |row| row.seq)
}

/// How often the log beside a database began anew, from its header.
fn restarts(path: &Path) -> Option<Vec<u8>> {
    let log = std::fs::read(format!("{}-wal", path.display())).unwrap();
    log.get(12..16).map(<[u8]>::to_vec)
}

/// Works on a new file. At most so many `long` messages follow until the log begins anew, and a few short ones then.
pub(crate) async fn work(long: usize) -> WalTestImage {
    // A long history needs more space than memory may have.
    let folder = if long > 0 { tempfile::tempdir() } else { in_memory() }.unwrap();
    let path = folder.path().join("entracte.db");
    // Closing the last connection moves everything into the file, so that the log contains only the work.
    drop(open(&path));
    let database = open(&path);
    let recorder = CommitBackupStore {
        store: database.store(),
        database: database.clone(),
        folder: folder.path().to_owned(),
        states: Mutex::default(),
    };
    recorder.keep(&mut *recorder.states.lock().await);
    let recorder = Arc::new(recorder);
    play(&database, &path, recorder.clone(), long).await;
    // No writer is left, and the file is still open, as after a kill.
    let read = |suffix: &str| std::fs::read(folder.path().join(format!("entracte.db{suffix}"))).unwrap();
    let (file, wal) = (read(""), read("-wal"));
    let mut states = Vec::new();
    for path in recorder.states.lock().await.iter() {
        let state = open(path);
        verify(&state).await;
        states.push((last_entry(&state).await, state));
    }
    drop(database);
    WalTestImage { file, wal, states, _folder: folder }
}

/// A chat that reads, creates zones with approval, performs an external action with approval, and gets long messages.
async fn play(database: &Database, path: &Path, recorder: Arc<CommitBackupStore>, long: usize) {
    let mut lines = vec![
        command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))]),
        command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))]),
        command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
    ];
    lines.extend((0..100).map(|number| envelope_line(&format!("Answer {number}."))));
    let model = Arc::new(FakeModel::default());
    model.push_lines(lines.into_iter().collect::<Vec<FakeModelLine>>());
    let mut stores = stores_of_database(database, Box::new(()));
    let resources = ResourcesExecutor::new(stores.resources.clone());
    let executors: Vec<Arc<dyn CommandExecutor>> =
        vec![Arc::new(RecordingExecutor::default()), Arc::new(resources)];
    stores.store = recorder;
    let parts = ServicesFixtureParts {
        stores,
        provider: model,
        executors,
        rules: RuleBook::default(),
        clock: Arc::new(FixedNoonClock),
        ids: Arc::new(SequentialIds::default()),
    };
    let life = RuntimeFixture::start_runtime(services(&parts)).await;
    let chat = life.chat(true).await;
    for text in ["make a zone", "write to bob"] {
        life.send_and_wait(&chat, text).await;
        life.decide_and_wait(&chat, ApprovalChoice::Approve).await;
    }
    for number in 0..20 {
        life.send_and_wait(&chat, &format!("message {number}")).await;
    }
    let send = SendMessage::new(life.mail_sender.clone());
    let before = restarts(path);
    for number in (0..long).take_while(|_| restarts(path) == before) {
        let text = format!("{number}: {}", "word ".repeat(30_000));
        send.run(&life.workspace, &chat, "ann".into(), UserMessage::text(&text), None).await.unwrap();
        life.follow().run_until_idle(&life.workspace, &chat, 0).await.unwrap();
    }
    for number in 0..if long > 0 { 6 } else { 0 } {
        life.send_and_wait(&chat, &format!("another {number}")).await;
    }
}
