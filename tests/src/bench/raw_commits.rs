//! Commits alone: one small entry each, through the same port and the same group commit as every measured loop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use entracte_adapters_db::Database;
use entracte_application::ports::{LogRow, SessionRow, WorkspaceCommit, WorkspaceRow, WorkspaceStore};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{PhaseLabel, SessionKind, Standing};
use entracte_domain::time::Timestamp;

use super::child::{ParentCommandReader, answer, report};
use super::services::open;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport};

/// A log that grows entry by entry: the smallest possible commit.
pub struct RawLogAppender {
    store: Arc<dyn WorkspaceStore>,
    workspace: WorkspaceRow,
    session: SessionId,
}

impl RawLogAppender {
    /// Creates a log in a workspace of its own.
    pub async fn begin(database: &Database, number: usize) -> Self {
        let store: Arc<dyn WorkspaceStore> = database.store();
        let key = WorkspaceKey::new(format!("raw{number:05}:bench"));
        let session = SessionId::new(format!("ses_raw{number:05}"));
        let created_at = Timestamp(0);
        let workspace = WorkspaceRow { key: key.clone(), seq: 0, body: Vec::new(), created_at, epoch: 0 };
        let row = SessionRow {
            id: session.clone(),
            workspace: key,
            kind: SessionKind::Chat,
            name: "raw".into(),
            standing: Standing::Open,
            phase: PhaseLabel::Idle,
            sequence: 0,
            placed: false,
            working: false,
            waiting: false,
            wake_at: None,
            end_reason: None,
            created_at,
            last_activity: created_at,
            body: Vec::new(),
        };
        let commit = WorkspaceCommit { sessions: vec![(row, None)], ..commit(workspace.clone(), None) };
        store.commit(commit).await.expect("the log begins");
        Self { store, workspace, session }
    }

    /// Appends one entry; it is durable when this returns.
    pub async fn append(&mut self, body: Vec<u8>) {
        let expected = self.workspace.seq;
        self.workspace.seq += 1;
        let entry = LogRow {
            seq: self.workspace.seq,
            session: self.session.clone(),
            sequence: self.workspace.seq,
            at: Timestamp(0),
            label: "step".into(),
            client_key: None,
            body,
        };
        let commit = WorkspaceCommit { log: vec![entry], ..commit(self.workspace.clone(), Some(expected)) };
        self.store.commit(commit).await.expect("the log is written");
    }
}

fn commit(workspace: WorkspaceRow, expected_seq: Option<u64>) -> WorkspaceCommit {
    WorkspaceCommit { expected_seq, ..WorkspaceCommit::for_workspace(workspace) }
}

/// Commits for a while one by one, then with a hundred writers at a time.
pub async fn live(orders: &BenchWorkerConfig, mut words: ParentCommandReader) {
    let database = open(orders);
    let span = Duration::from_millis(orders.amount as u64);
    let alone = rate(&database, 0..1, span).await;
    let many = rate(&database, 1..101, span).await;
    answer(&BenchWorkerReport { value: alone, second: many, ..report(Some(&database)) });
    while words.next().await.is_some() {}
}

/// Commits per second of these writers together.
async fn rate(database: &Database, writers: std::ops::Range<usize>, span: Duration) -> f64 {
    let mut journals = Vec::new();
    for number in writers {
        journals.push(RawLogAppender::begin(database, number).await);
    }
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for mut journal in journals {
        tasks.spawn(async move {
            let mut count = 0_u32;
            while begun.elapsed() < span {
                journal.append(vec![b'x'; 100]).await;
                count += 1;
            }
            count
        });
    }
    let count: u32 = tasks.join_all().await.into_iter().sum();
    f64::from(count) / begun.elapsed().as_secs_f64()
}
