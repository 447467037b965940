//! A child: does what it is ordered to, and answers each word of its parent with one line.

use std::io::{BufRead, Write};
use std::time::Instant;

use entracte_adapters_db::Database;
use tokio::sync::mpsc;

use super::orders::{Orders, Report, Role};
use super::{model, process, raw, reference, services, streams, tick};

/// The words of the parent; none when it has gone.
pub struct Words(mpsc::Receiver<String>);

impl Words {
    fn listen() -> Self {
        let (words, heard) = mpsc::channel(1);
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                if words.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Self(heard)
    }

    /// The next one.
    pub async fn next(&mut self) -> Option<String> {
        self.0.recv().await
    }
}

/// Answers the parent.
pub fn answer(report: &Report) {
    let line = serde_json::to_string(report).expect("a report is plain data");
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").expect("the parent listens");
    out.flush().expect("the parent listens");
}

/// What this process and its database have used and done so far.
pub fn report(database: Option<&Database>) -> Report {
    let counts = database.map(Database::writer_counts).unwrap_or_default();
    Report {
        cpu_ms: process::cpu().as_secs_f64() * 1000.0,
        resident_kb: process::resident_kb(),
        works: counts.works,
        transactions: counts.transactions,
        ..Report::default()
    }
}

/// Lives until the parent says nothing more.
pub fn live(orders: &str) {
    let started = Instant::now();
    let orders: Orders = serde_json::from_str(orders).expect("the parent writes orders");
    // As the command line makes it.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let words = Words::listen();
        match orders.role {
            Role::Entracte => services::live(&orders, words, started).await,
            Role::Reference => reference::live(&orders, words).await,
            Role::Raw => raw::live(&orders, words).await,
            Role::Tick => tick::live(&orders, words).await,
            Role::Relay => streams::live(&orders, words).await,
            Role::Hammer => answer(&Report {
                value: model::hammer(&orders.model, 1, orders.amount),
                second: model::hammer(&orders.model, 100, orders.amount),
                ..Report::default()
            }),
        }
    });
    runtime.shutdown_background();
}
