//! Killed with -9 while the model is called: how long until another process calls it again.

use std::time::{Duration, Instant};

use super::options::Kind;
use super::orders::{Orders, Role};
use super::place::Place;
use super::rounds::{ms, orders};
use super::row::{Bound, Row};
use super::run::Bench;
use super::worker::Worker;

/// Rounds that follow the call that was killed.
const AFTER: usize = 5;

/// Milliseconds from the start of the process to the first byte of its first model call; and model calls that were made
/// a second time.
pub fn once(bench: &Bench, kind: Kind, messages: usize) -> (f64, f64) {
    let model = &bench.model;
    let place = Place::make(kind).expect("there is a server");
    model.forget();
    // A round leaves two: what the model said, and what came of it.
    let rounds = messages / 2;
    let killed = rounds + 1;
    let total = killed + AFTER;
    let orders = Orders { calls: total, last: killed, ..orders(Role::Entracte, &place, model, "resume") };
    let mut worker = Worker::start(&orders);
    worker.hear();
    worker.ask("go");
    model.wait("resume", killed);
    drop(worker);
    let begun = Instant::now();
    let worker = Worker::start(&Orders { sessions: 0, ..orders });
    model.wait("resume", total);
    std::thread::sleep(Duration::from_millis(100));
    drop(worker);
    model.look("resume", |stories| {
        let story = stories[0];
        let again = story.sizes[killed..].iter().filter(|size| **size <= story.sizes[rounds]).count();
        let span = story.arrivals[killed].saturating_duration_since(begun);
        (ms(&span), again as f64)
    })
}

/// The rows.
pub fn rows(bench: &Bench, kind: Kind) -> Vec<Row> {
    let cases = [(bench.options.size(500, 20), 10.0), (bench.options.size(2000, 40), 20.0)];
    let mut rows = Vec::new();
    for (messages, most) in cases {
        let tries: Vec<_> = (0..bench.options.size(3, 1)).map(|_| once(bench, kind, messages)).collect();
        let best = tries.iter().map(|(span, _)| *span).fold(f64::MAX, f64::min);
        let again = tries.iter().map(|(_, again)| *again).fold(0.0, f64::max);
        let mut row = Row::new("resume", format!("{messages} messages"), kind.word());
        row = match kind {
            Kind::Sqlite => row.held("ms_to_the_next_model_call", best, Bound::AtMost(most)),
            Kind::Postgres => row.with("ms_to_the_next_model_call", best),
        };
        rows.push(bench.beside_raw(row.held("model_calls_made_again", again, Bound::AtMost(1.0)), kind));
    }
    rows
}
