//! Tests of the database as a whole: valid files, ownership, costs of queries. The contract suites of the tests crate
//! test what every store must do.

mod backups;
mod cost_pages;
mod hash_dictionary;
mod mail_watch;
mod memory;
mod opening;
mod ownership;
mod query_plans;
pub(crate) mod statement_costs;

use std::path::{Path, PathBuf};

use entracte_application::ports::{LogRow, SessionRow, WorkspaceCommit, WorkspaceRow};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{PhaseLabel, SessionKind, Standing};
use entracte_domain::time::Timestamp;
use tempfile::TempDir;

use crate::{Database, DatabaseOptions};

/// A temporary directory and the path of a database in it.
pub(crate) fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("entracte.db");
    (directory, path)
}

/// Opens the database at `path`.
pub(crate) fn open(path: &Path) -> Database {
    Database::open_at(path.to_owned().into(), DatabaseOptions::default()).expect("the database opens")
}

/// The error, with its causes, of opening the database at `path`.
pub(crate) fn refusal(path: &Path) -> String {
    let error = Database::open_at(path.to_owned().into(), DatabaseOptions::default()).expect_err("refused");
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// The commit that creates a workspace named after its one session.
pub(crate) fn begun(stem: &str) -> WorkspaceCommit {
    let (key, id) = (WorkspaceKey::new(format!("ann:{stem}")), SessionId::new(format!("ses_{stem}")));
    WorkspaceCommit {
        sessions: vec![(session(key.clone(), id.clone()), None)],
        log: vec![entry(id)],
        ..WorkspaceCommit::for_workspace(WorkspaceRow {
            key,
            seq: 1,
            body: vec![1],
            created_at: Timestamp(1),
            epoch: 0,
        })
    }
}

/// The commit that follows [`begun`].
pub(crate) fn input(stem: &str) -> WorkspaceCommit {
    let mut commit = begun(stem);
    commit.workspace.seq = 2;
    commit.expected_seq = Some(1);
    commit.sessions[0].0.sequence = 2;
    commit.sessions[0].1 = Some(1);
    commit.log[0].seq = 2;
    commit.log[0].sequence = 2;
    commit
}

fn session(workspace: WorkspaceKey, id: SessionId) -> SessionRow {
    SessionRow {
        id,
        workspace,
        kind: SessionKind::Chat,
        name: "Chat".to_owned(),
        standing: Standing::Active,
        phase: PhaseLabel::CallingAi,
        sequence: 1,
        placed: true,
        working: true,
        waiting: false,
        wake_at: Some(Timestamp(9)),
        end_reason: None,
        created_at: Timestamp(1),
        last_activity: Timestamp(1),
        body: vec![2],
    }
}

fn entry(session: SessionId) -> LogRow {
    LogRow {
        seq: 1,
        session,
        sequence: 1,
        at: Timestamp(1),
        label: "UserMessageSent".to_owned(),
        client_key: None,
        body: vec![3],
    }
}
