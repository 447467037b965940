use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::session::{Phase, SessionFacts, SessionKind, Slot};
use entracte_domain::time::{Deadline, Millis};

use crate::codec::encode_snapshot;
use crate::kit::{NOON, unavailable, workspace};
use crate::ports::{MockClock, MockWorkspaceStore, SessionRow};
use crate::samples;
use crate::use_cases::*;

/// A run with this slot.
fn run(id: &str, slot: Slot) -> SessionRow {
    let made = SessionFacts::new(SessionId::new(id), workspace(), SessionKind::Automation, NOON);
    let facts = SessionFacts { slot, ..made };
    let confirm = Deadline::after(NOON, Millis::seconds(5));
    let phase = Phase::WaitingCompletionConfirmation { confirm };
    let body = encode_snapshot(&facts, &phase).unwrap();
    SessionRow { body, ..samples::row(facts).unwrap() }
}

fn queue(store: MockWorkspaceStore) -> ReadQueue {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    ReadQueue::new(Arc::new(store), Arc::new(clock))
}

#[tokio::test]
async fn queued_sessions_precede_suspended_ones() {
    let ago = |minutes: i64| NOON.plus(Millis::minutes(-minutes));
    let damaged = SessionRow { body: b"{".to_vec(), ..run("ses_damaged", Slot::Queued(ago(9))) };
    let rows = vec![
        run("ses_late", Slot::Queued(ago(1))),
        run("ses_works", Slot::Held),
        run("ses_suspended", Slot::Suspended(ago(5))),
        run("ses_first", Slot::Queued(ago(3))),
        damaged,
    ];
    let mut store = MockWorkspaceStore::new();
    store.expect_workspace().returning(|_| Ok(None));
    store.expect_sessions_with_slot_demand().return_once(|_| Ok(rows));
    let waiting = queue(store).run(&workspace()).await.unwrap();
    assert_eq!(waiting, ["ses_first", "ses_late", "ses_suspended"].map(SessionId::new));
}

#[tokio::test]
async fn unreadable_queue_is_store_error() {
    let mut store = MockWorkspaceStore::new();
    store.expect_workspace().returning(|_| Ok(None));
    store.expect_sessions_with_slot_demand().return_once(|_| Err(unavailable()));
    let error = queue(store).run(&workspace()).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(_)), "{error:?}");
}
