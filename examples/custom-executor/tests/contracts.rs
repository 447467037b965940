//! The notice board keeps the contract of the executor port, proved by the suite that Entracte exports.

use std::sync::Arc;

use custom_executor::Board;
use entracte_domain::value::Value;
use entracte_tests::contracts::executor::{Commands, World, no_rows, request};

/// What is seen of the board from outside.
struct Seen(Arc<Board>);

impl World for Seen {
    fn changes(&self) -> usize {
        self.0.notes().len()
    }

    fn knocks(&self) -> usize {
        self.0.notes().len()
    }

    fn at_work(&self) -> usize {
        0
    }
}

async fn open() -> Commands {
    let board = Arc::new(Board::default());
    let note = Value::from([("note", Value::from("The lift is out of order."))]);
    Commands {
        executor: board.clone(),
        query: Some(request("board.read", Value::Object(Vec::new()))),
        action: Some(request("board.pin", note)),
        unanswered: None,
        refused: None,
        rows: no_rows(),
        world: Box::new(Seen(board)),
        keep: Box::new(()),
    }
}

entracte_tests::executor_contracts!(open);
