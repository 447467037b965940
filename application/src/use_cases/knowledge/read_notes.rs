use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use crate::ports::{Clock, KnowledgeDocument, KnowledgeStore};

/// How long a process writes no note after one failed: a read waits for the note, and a locked, full or read-only
/// database would delay every read.
const PAUSE_AFTER_FAILURE: Millis = Millis::minutes(5);

/// The failures of this process, which has one database.
static FAILURES: ReadNoteFailures = ReadNoteFailures(Mutex::new(None));

/// When a note last failed, by the monotonic clock; `None` since one succeeded.
struct ReadNoteFailures(Mutex<Option<Millis>>);

impl ReadNoteFailures {
    /// Whether to try now. After a pause, one read tries for all: the others do not wait for it.
    fn begin(&self, now: Millis) -> bool {
        let mut failed_at = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *failed_at {
            None => true,
            Some(at) if now.0.saturating_sub(at.0) < PAUSE_AFTER_FAILURE.0 => false,
            Some(_) => {
                *failed_at = Some(now);
                true
            }
        }
    }

    fn finish(&self, now: Millis, is_noted: bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (!is_noted).then_some(now);
    }
}

/// Notes that documents were read now, at most once a day each. A failure does not fail the read, and is remembered for
/// some minutes, in which no read tries again.
pub(super) async fn note_reads<'a>(
    store: &dyn KnowledgeStore,
    clock: &dyn Clock,
    workspace: &WorkspaceKey,
    documents: impl IntoIterator<Item = &'a KnowledgeDocument>,
) {
    note_unless_failing(&FAILURES, store, clock, workspace, documents).await;
}

async fn note_unless_failing<'a>(
    failures: &ReadNoteFailures,
    store: &dyn KnowledgeStore,
    clock: &dyn Clock,
    workspace: &WorkspaceKey,
    documents: impl IntoIterator<Item = &'a KnowledgeDocument>,
) {
    let now = clock.now();
    let due = documents.into_iter().filter(|document| document.needs_read_note(now));
    let ids: BTreeSet<String> = due.map(|document| document.id.clone()).collect();
    if ids.is_empty() || !failures.begin(clock.monotonic()) {
        return;
    }
    let ids: Vec<String> = ids.into_iter().collect();
    let noted = store.note_reads(workspace, &ids, now).await;
    failures.finish(clock.monotonic(), noted.is_ok());
    if let Err(error) = noted {
        tracing::warn!(%workspace, %error, "it cannot be noted now that documents were read");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use mockall::Sequence;

    use super::*;
    use crate::ports::{MockClock, MockKnowledgeStore, StoreError};
    use crate::samples;

    /// Input: reads while the database cannot be written, and when it can again; expected: one read in five minutes tries,
    /// and once that succeeds, each one does.
    #[tokio::test]
    async fn failed_note_is_not_tried_by_every_read() {
        static MINUTE: AtomicI64 = AtomicI64::new(0);
        let mut clock = MockClock::new();
        clock.expect_now().returning(|| samples::NOON);
        clock.expect_monotonic().returning(|| Millis::minutes(MINUTE.load(Ordering::SeqCst)));
        let (mut store, mut order) = (MockKnowledgeStore::new(), Sequence::new());
        store
            .expect_note_reads()
            .times(2)
            .in_sequence(&mut order)
            .returning(|_, _, _| Err(StoreError::Unavailable("locked".into())));
        store.expect_note_reads().times(2).in_sequence(&mut order).returning(|_, _, _| Ok(()));
        let failures = ReadNoteFailures(Mutex::new(None));
        let (workspace, document) = (samples::workspace(), samples::document());
        // Tries at 0 and 5, which fail, and at 10 and 11.
        for minute in [0, 1, 4, 5, 6, 9, 10, 11] {
            MINUTE.store(minute, Ordering::SeqCst);
            note_unless_failing(&failures, &store, &clock, &workspace, [&document]).await;
        }
    }
}
