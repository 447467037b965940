//! The measured child process: does its configured work and answers each command of its parent with one line.

use std::io::{BufRead, Write};
use std::time::Instant;

use entracte_adapters_db::Database;
use tokio::sync::mpsc;

use super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport, BenchWorkerRole};
use super::{model_server, process, raw_commits, reference, retention, schedule_tick, services, streams};

/// The parent's commands, one line each; it ends when the parent has closed the pipe.
pub struct ParentCommandReader(mpsc::Receiver<String>);

impl ParentCommandReader {
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

    /// The next command; `None` when the parent has closed the pipe.
    pub async fn next(&mut self) -> Option<String> {
        self.0.recv().await
    }
}

/// Sends a report to the parent.
pub fn answer(report: &BenchWorkerReport) {
    let line = serde_json::to_string(report).expect("a report is plain data");
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").expect("the parent listens");
    out.flush().expect("the parent listens");
}

/// The resources that this process and its database have used so far.
pub fn report(database: Option<&Database>) -> BenchWorkerReport {
    let counts = database.map(Database::writer_counts).unwrap_or_default();
    BenchWorkerReport {
        cpu_ms: process::cpu().as_secs_f64() * 1000.0,
        resident_kb: process::resident_kb(),
        works: counts.works,
        transactions: counts.transactions,
        ..BenchWorkerReport::default()
    }
}

/// Runs the child until the parent closes the pipe.
pub fn live(orders: &str) {
    let started = Instant::now();
    let orders: BenchWorkerConfig = serde_json::from_str(orders).expect("the parent writes orders");
    // The same runtime as the command line uses.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let words = ParentCommandReader::listen();
        match orders.role {
            BenchWorkerRole::Entracte => services::live(&orders, words, started).await,
            BenchWorkerRole::Reference => reference::live(&orders, words).await,
            BenchWorkerRole::Raw => raw_commits::live(&orders, words).await,
            BenchWorkerRole::Tick => schedule_tick::live(&orders, words).await,
            BenchWorkerRole::Retention => retention::live(&orders, words).await,
            BenchWorkerRole::Relay => streams::live(&orders, words).await,
            BenchWorkerRole::Hammer => answer(&BenchWorkerReport {
                value: model_server::measure_model_throughput(&orders.model, 1, orders.amount),
                second: model_server::measure_model_throughput(&orders.model, 100, orders.amount),
                ..BenchWorkerReport::default()
            }),
        }
    });
    runtime.shutdown_background();
}
