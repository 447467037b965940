//! Your own program: every command of `entracte`, with a store, a provider, an executor and an observer of your own.
//!
//! ```sh
//! own-program chat --message "When do you open?"
//! ```
//!
//! The store is in memory, so each command begins anew; one that lasts is given in the same way. What the builder does not
//! get is configured as ever: more providers, tools, limits, the server.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use custom_executor::NoticeBoard;
use custom_provider::RuleClerk;
use custom_store::MapStore;
use entracte::Program;
use entracte_application::ports::{Observer, RuntimeObservation};
use entracte_domain::session::Dialect;

fn main() -> ExitCode {
    let clerk = RuleClerk::new("Dear Ann", &[("open", "we open at nine.")]);
    let (store, counter) = (Arc::new(MapStore::default()), Arc::new(EventCounter::default()));
    let exit = Program::builder()
        // Called for each database that a command opens; all of them get the same store.
        .stores(move |of_database| of_database.with_ports(store.clone()))
        .provider(Arc::new(clerk), Dialect::Envelope)
        .executor(Arc::new(NoticeBoard::default()))
        .observer(counter.clone())
        .build()
        .command_line(std::env::args_os());
    if std::env::var_os("COUNT_EVENTS").is_some() {
        eprintln!("{} events were observed", counter.0.load(Ordering::Relaxed));
    }
    exit
}

/// Counts what happens at run time.
#[derive(Default)]
struct EventCounter(AtomicU32);

impl Observer for EventCounter {
    fn observe(&self, _: RuntimeObservation<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
