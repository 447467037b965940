//! Server databases: connections and their refusals, ownership, several processes, notifications of mail, and outages of
//! the server.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod blobs;
mod documents;
mod groups;
mod opening;
mod outage;
mod ownership;
mod resuming;
mod worker_processes;

use entracte_application::ports::{CallRow, LogRow, SessionRow, WorkspaceCommit, WorkspaceRow};
use entracte_domain::command::CommandKind;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{PhaseLabel, SessionKind, Standing};
use entracte_domain::time::Timestamp;

/// The commit that creates a workspace named after its one session.
fn begun(stem: &str) -> WorkspaceCommit {
    let (key, id) = (WorkspaceKey::new(format!("ann:{stem}")), SessionId::new(format!("ses_{stem}")));
    let session = SessionRow {
        id: id.clone(),
        workspace: key.clone(),
        kind: SessionKind::Chat,
        name: "Chat".to_owned(),
        standing: Standing::Active,
        phase: PhaseLabel::Idle,
        sequence: 1,
        placed: true,
        working: false,
        waiting: false,
        wake_at: None,
        end_reason: None,
        created_at: Timestamp(1),
        last_activity: Timestamp(1),
        body: vec![2],
    };
    let entry = LogRow {
        seq: 1,
        session: id,
        sequence: 1,
        at: Timestamp(1),
        label: "UserMessageSent".to_owned(),
        client_key: None,
        body: vec![3],
    };
    WorkspaceCommit {
        sessions: vec![(session, None)],
        log: vec![entry],
        ..WorkspaceCommit::for_workspace(WorkspaceRow {
            key,
            seq: 1,
            body: vec![1],
            created_at: Timestamp(1),
            epoch: 0,
        })
    }
}

/// The commit after [`begun`], of a working session: it changes existing rows and adds a call.
fn at_work(stem: &str) -> WorkspaceCommit {
    let mut commit = begun(stem);
    commit.workspace.seq = 2;
    commit.expected_seq = Some(1);
    let (row, expected) = &mut commit.sessions[0];
    (row.sequence, *expected) = (2, Some(1));
    (commit.log[0].seq, commit.log[0].sequence) = (2, 2);
    commit.calls = vec![CallRow {
        id: commit.log[0].session.call_id(2, 0),
        session: commit.log[0].session.clone(),
        sequence: 2,
        ordinal: 0,
        command: "tool_data.get".to_owned(),
        command_id: Digest::new("d"),
        kind: CommandKind::Query,
        state: LedgerState::Started,
        attempt: 1,
        exchange: 1,
        requested_at: Timestamp(1),
        finished_at: None,
        result_seq: None,
        body: vec![4],
    }];
    commit
}
