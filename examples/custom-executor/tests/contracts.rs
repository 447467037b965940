//! The notice board fulfils the contract of the executor port, checked by the suite that Entracte exports.

use std::sync::Arc;

use custom_executor::NoticeBoard;
use entracte_domain::value::JsonValue;
use entracte_tests::contracts::executor::{ExecutorFixture, ExternalEffectsProbe, no_rows, request};

/// Reads the effects on the board without going through the executor.
struct NoticeBoardProbe(Arc<NoticeBoard>);

impl ExternalEffectsProbe for NoticeBoardProbe {
    fn changes(&self) -> usize {
        self.0.notes().len()
    }

    fn request_count(&self) -> usize {
        self.0.notes().len()
    }

    fn running_calls(&self) -> usize {
        0
    }
}

async fn open() -> ExecutorFixture {
    let board = Arc::new(NoticeBoard::default());
    let note = JsonValue::from([("note", JsonValue::from("The lift is out of order."))]);
    ExecutorFixture {
        executor: board.clone(),
        query: Some(request("board.read", JsonValue::Object(Vec::new()))),
        action: Some(request("board.pin", note)),
        unanswered: None,
        refused: None,
        rows: no_rows(),
        world: Box::new(NoticeBoardProbe(board)),
        keep: Box::new(()),
    }
}

entracte_tests::executor_contracts!(open);
