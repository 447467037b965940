//! Attachments: people who have a session open, each with a lease. A client that closes the session ends its
//! attachment; one that dies stops renewing the lease. Attachments only decide how long a resting chat keeps its slot.

use crate::session::{ClockSetbackPolicy, SessionFacts};
use crate::time::{Deadline, Timestamp};

/// An open client of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionAttachment {
    /// Id chosen by the client: one person may have a session open several times.
    pub id: String,
    /// The person who has the session open.
    pub author: String,
    /// Lease of the attachment, unless renewed before its end.
    pub lease: Deadline,
}

/// Maximum number of stored attachments; beyond it the one with the earliest end is dropped.
pub const ATTACHED_MAX: usize = 16;

impl SessionFacts {
    /// Attachments whose lease has not ended at `now`.
    pub fn active_attachments(&self, now: Timestamp) -> impl Iterator<Item = &SessionAttachment> {
        self.attached.iter().filter(move |attachment| !attachment.lease.has_lapsed(now))
    }

    /// The latest lease of all attachments.
    pub(crate) fn latest_lease(&self) -> Option<Deadline> {
        self.attached.iter().map(|attachment| attachment.lease).max_by_key(|lease| lease.due_at)
    }

    /// Adds an attachment or renews its lease, and drops expired ones.
    pub(crate) fn attach(
        &mut self,
        attachment: SessionAttachment,
        set_back: ClockSetbackPolicy,
        now: Timestamp,
    ) {
        self.attached.retain(|known| known.id != attachment.id && !set_back.has_lapsed(known.lease, now));
        self.attached.push(attachment);
        if self.attached.len() > ATTACHED_MAX {
            self.attached.sort_by_key(|known| known.lease.due_at);
            self.attached.remove(0);
        }
    }
}
