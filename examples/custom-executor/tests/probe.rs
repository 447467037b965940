//! The carrier fulfils the contract of the executor port, with an action of class `probe`.

use std::sync::Arc;

use custom_executor::parcels::ParcelDesk;
use entracte_domain::value::JsonValue;
use entracte_tests::contracts::executor::{ExecutorFixture, ExternalEffectsProbe, no_rows, request};

/// Reads the carrier's list without going through the executor.
struct ParcelListProbe(Arc<ParcelDesk>);

impl ExternalEffectsProbe for ParcelListProbe {
    fn changes(&self) -> usize {
        self.0.parcels().len()
    }

    fn request_count(&self) -> usize {
        self.0.parcels().len()
    }

    fn running_calls(&self) -> usize {
        0
    }
}

async fn open() -> ExecutorFixture {
    let desk = Arc::new(ParcelDesk::default());
    let to = JsonValue::from([("to", JsonValue::from("Brest"))]);
    ExecutorFixture {
        executor: desk.clone(),
        query: None,
        action: Some(request("parcels.send", to)),
        unanswered: None,
        refused: None,
        rows: no_rows(),
        world: Box::new(ParcelListProbe(desk)),
        keep: Box::new(()),
    }
}

entracte_tests::executor_contracts!(open);
