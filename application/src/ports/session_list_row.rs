//! What lists show of a session.

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{EndReason, PhaseLabel, SessionKind, Standing};
use entracte_domain::time::Timestamp;

use super::{ColumnWord, SessionRow};

/// The columns of a session's row that a list needs, without the encoded facts and phase. Long lists read this type,
/// and full rows only for the sessions they open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionListRow {
    /// Unique id of the session.
    pub id: SessionId,
    /// The workspace the session belongs to.
    pub workspace: WorkspaceKey,
    /// The session kind.
    pub kind: ColumnWord<SessionKind>,
    /// Display name.
    pub name: String,
    /// Its standing.
    pub standing: ColumnWord<Standing>,
    /// The label of its phase.
    pub phase: ColumnWord<PhaseLabel>,
    /// Whether it waits for a person.
    pub waiting: bool,
    /// The earliest deadline of its state.
    pub wake_at: Option<Timestamp>,
    /// The end reason, once it has ended.
    pub end_reason: Option<ColumnWord<EndReason>>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its last input arrived.
    pub last_activity: Timestamp,
}

impl From<SessionRow> for SessionListRow {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.id,
            workspace: row.workspace,
            kind: row.kind.into(),
            name: row.name,
            standing: row.standing.into(),
            phase: row.phase.into(),
            waiting: row.waiting,
            wake_at: row.wake_at,
            end_reason: row.end_reason.map(ColumnWord::from),
            created_at: row.created_at,
            last_activity: row.last_activity,
        }
    }
}
