//! Who has a session open: a fact with a lease. Whoever closes a session says so; whoever dies stops renewing the lease.
//! It decides how long a chat that rests keeps its slot, and nothing else.

use crate::session::{ClockSetbackPolicy, SessionFacts};
use crate::time::{Deadline, Timestamp};

/// Somebody has a session open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionAttachment {
    /// Its id, drawn by whoever opened it: one person may have a session open twice.
    pub id: String,
    /// The person.
    pub author: String,
    /// Until when it counts, unless it is renewed before.
    pub lease: Deadline,
}

/// How many attachments are remembered; the one that ends first makes room.
pub const ATTACHED_MAX: usize = 16;

impl SessionFacts {
    /// Who has it open now.
    pub fn active_attachments(&self, now: Timestamp) -> impl Iterator<Item = &SessionAttachment> {
        self.attached.iter().filter(move |attachment| !attachment.lease.has_lapsed(now))
    }

    /// The lease that ends last, of those that have it open.
    pub(crate) fn latest_lease(&self) -> Option<Deadline> {
        self.attached.iter().map(|attachment| attachment.lease).max_by_key(|lease| lease.due_at)
    }

    /// Opens it, or renews the lease. Those that are over are forgotten.
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
