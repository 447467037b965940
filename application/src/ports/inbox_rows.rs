//! The items that wait for a person in sessions, as an inbox counts and orders them.

use entracte_domain::command::CommandKind;
use entracte_domain::id::SessionId;
use entracte_domain::session::{Phase, SessionFacts, unseen_end};
use entracte_domain::time::Timestamp;

entracte_domain::words! {
    /// The kinds of items that wait in sessions.
    pub enum InboxRowKind {
        /// A call that needs approval.
        Approval = "approval",
        /// A question.
        Question = "question",
        /// A run that is parked until a person looks at it.
        Parked = "parked",
        /// A run that ended without success and that no person has seen.
        Ended = "ended",
        /// A call that failed after a person approved it.
        Failed = "failed",
    }
}

impl InboxRowKind {
    /// The id of an item of this kind; `of` is the id of its session, or of its approval or call.
    pub fn item_id(self, of: &str) -> String {
        match self {
            Self::Approval => of.to_owned(),
            Self::Question => format!("question:{of}"),
            Self::Parked => format!("parked:{of}"),
            Self::Ended => format!("run:{of}"),
            Self::Failed => format!("failed:{of}"),
        }
    }

    /// The kind of the item with this id, and what its [`item_id`](Self::item_id) was made of; `None` if the id is of an item
    /// that is in no row.
    pub fn from_item_id(id: &str) -> Option<(Self, &str)> {
        let by_kind = [Self::Question, Self::Parked, Self::Ended, Self::Failed];
        let found = by_kind.into_iter().find_map(|kind| {
            let of = id.strip_prefix(kind.item_id("").as_str())?;
            Some((kind, of))
        });
        found.or_else(|| id.starts_with("apr_").then_some((Self::Approval, id)))
    }
}

/// An item that waits for a person in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InboxRow {
    /// The session it waits in; the row goes with it.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The id of the item.
    pub item: String,
    /// Its kind.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub kind: InboxRowKind,
    /// Since when it waits.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub asked_at: Timestamp,
    /// When it is over if nobody acts; `None` if it waits until somebody does.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub due_at: Option<Timestamp>,
    /// The command, if the item is the approval of a query.
    pub command: Option<String>,
}

impl InboxRow {
    /// The items that wait in a session; none if it does not wait. An item that is not an approval waits since the latest
    /// input, unless a store knows it already.
    pub fn of_session(facts: &SessionFacts, phase: &Phase) -> Vec<Self> {
        let row = |kind: InboxRowKind, of: &str| Self {
            session: facts.id.clone(),
            item: kind.item_id(of),
            kind,
            asked_at: facts.last_event_at,
            due_at: None,
            command: None,
        };
        let session = facts.id.as_str();
        let mut rows = Vec::new();
        if let Phase::WaitingCommunicationResponse { expires, .. } = phase {
            let due_at = expires.map(|expires| expires.due_at);
            rows.push(Self { due_at, ..row(InboxRowKind::Question, session) });
        }
        if let Some((batch, expires)) = phase.batch_awaiting_decision() {
            rows.extend(batch.undecided().map(|call| Self {
                asked_at: call.requested_at,
                due_at: Some(expires.due_at),
                command: (call.kind == CommandKind::Query).then(|| call.command.name.clone()),
                ..row(InboxRowKind::Approval, call.approval_id().as_str())
            }));
        }
        if unseen_end(facts, phase).is_some() {
            rows.push(row(InboxRowKind::Ended, session));
        }
        rows.extend(facts.failed.iter().map(|failed| row(InboxRowKind::Failed, failed.call.as_str())));
        if phase.park_reason().is_some() {
            rows.push(row(InboxRowKind::Parked, session));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: the id of an item of each kind, and one of an item that is in no row; expected: what the id was made of, and
    /// nothing.
    #[test]
    fn item_ids_name_what_they_are_of() {
        for kind in InboxRowKind::ALL {
            let of = if kind == InboxRowKind::Approval { "apr_k1_1_0" } else { "ses_k1" };
            assert_eq!(InboxRowKind::from_item_id(&kind.item_id(of)), Some((kind, of)));
        }
        assert_eq!(InboxRowKind::from_item_id("unknown:cal_k1_1_0"), None);
    }
}
