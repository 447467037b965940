//! Sample rows: each function returns a complete row with plain values that a test may change.

use entracte_application::ports::{CallRow, LogRow, ResourceRow, SessionRow, WorkspaceCommit, WorkspaceRow};
use entracte_domain::command::CommandKind;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{PhaseLabel, SessionKind, Standing};
use entracte_domain::time::Timestamp;

/// The workspace of most tests.
pub const HOME: &str = "ann:home";

/// Creates a workspace key.
pub fn key(text: &str) -> WorkspaceKey {
    WorkspaceKey::new(text)
}

/// A session id from its stem.
pub fn session_id(stem: &str) -> SessionId {
    SessionId::new(format!("ses_{stem}"))
}

/// A workspace at `seq`.
pub fn workspace(workspace: &str, seq: u64) -> WorkspaceRow {
    WorkspaceRow {
        epoch: 0,
        key: key(workspace),
        seq,
        body: format!("settings at {seq}").into_bytes(),
        created_at: Timestamp(1_000_000),
    }
}

/// An open chat at `sequence`.
pub fn session(workspace: &str, stem: &str, sequence: u64) -> SessionRow {
    SessionRow {
        id: session_id(stem),
        workspace: key(workspace),
        kind: SessionKind::Chat,
        name: format!("Chat {stem}"),
        standing: Standing::Open,
        phase: PhaseLabel::Idle,
        sequence,
        placed: false,
        working: false,
        waiting: false,
        wake_at: None,
        end_reason: None,
        created_at: Timestamp(2_000_000),
        last_activity: Timestamp(3_000_000),
        body: vec![0, 159, 146, 150],
    }
}

/// Entry `seq` of a workspace: input `sequence` of a session.
pub fn entry(stem: &str, seq: u64, sequence: u64) -> LogRow {
    LogRow {
        seq,
        session: session_id(stem),
        sequence,
        at: Timestamp(4_000_000),
        label: "UserMessageSent".to_owned(),
        client_key: None,
        body: format!("entry {seq}").into_bytes(),
    }
}

/// A call of a session.
pub fn call(stem: &str, sequence: u64, ordinal: u32) -> CallRow {
    let session = session_id(stem);
    CallRow {
        id: session.call_id(sequence, ordinal as usize),
        session,
        sequence,
        ordinal,
        command: "tool_data.get".to_owned(),
        command_id: Digest::new("d1"),
        kind: CommandKind::Query,
        state: LedgerState::Proposed,
        attempt: 0,
        exchange: 1,
        requested_at: Timestamp(5_000_000),
        finished_at: None,
        result_seq: None,
        body: b"call".to_vec(),
    }
}

/// A resource without a parent.
pub fn resource(kind: &str, id: &str) -> ResourceRow {
    ResourceRow {
        kind: kind.to_owned(),
        id: id.to_owned(),
        parent: None,
        parent_kind: None,
        name: format!("The {kind} {id}"),
        at: None,
        version: 1,
        body: "{\"unit\":\"kg\"}".to_owned(),
        created_at: Timestamp(6_000_000),
        updated_at: Timestamp(6_000_000),
    }
}

/// A resource inside `parent`.
pub fn child(kind: &str, id: &str, parent: &ResourceRow) -> ResourceRow {
    let (parent_kind, parent) = (Some(parent.kind.clone()), Some(parent.id.clone()));
    ResourceRow { parent_kind, parent, ..resource(kind, id) }
}

/// A commit that only creates a workspace.
pub fn first(workspace_key: &str) -> WorkspaceCommit {
    WorkspaceCommit::for_workspace(workspace(workspace_key, 0))
}

/// A commit on a workspace at `seq` that changes nothing yet.
pub fn next(workspace_key: &str, seq: u64) -> WorkspaceCommit {
    WorkspaceCommit {
        workspace: workspace(workspace_key, seq),
        expected_seq: Some(seq),
        ..first(workspace_key)
    }
}

/// A commit that creates a workspace with one session, whose first input is entry 1.
pub fn begun(workspace_key: &str, stem: &str) -> WorkspaceCommit {
    WorkspaceCommit {
        workspace: workspace(workspace_key, 1),
        sessions: vec![(session(workspace_key, stem, 1), None)],
        log: vec![entry(stem, 1, 1)],
        ..first(workspace_key)
    }
}

/// The commit of the next input: the session advances from `sequence`, the workspace from `seq`.
pub fn input(workspace_key: &str, stem: &str, seq: u64, sequence: u64) -> WorkspaceCommit {
    WorkspaceCommit {
        workspace: workspace(workspace_key, seq + 1),
        sessions: vec![(session(workspace_key, stem, sequence + 1), Some(sequence))],
        log: vec![entry(stem, seq + 1, sequence + 1)],
        ..next(workspace_key, seq)
    }
}
