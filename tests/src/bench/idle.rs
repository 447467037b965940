//! What sessions cost that wait: memory, CPU, the time to start with them, and to list them.

use std::time::{Duration, Instant};

use super::options::Kind;
use super::orders::{Orders, Report, Role};
use super::place::Place;
use super::rounds::orders;
use super::row::{Bound, Row};
use super::run::Bench;
use super::worker::Worker;

/// Makes so many sessions, each in a workspace of its own, that wait for approval.
fn prepare(bench: &Bench, place: &Place, sessions: usize) {
    let orders = Orders {
        sessions,
        guarded: true,
        one_story: true,
        ..orders(Role::Entracte, place, &bench.model, "idle")
    };
    bench.model.forget();
    let mut worker = Worker::start(&orders);
    worker.hear();
    worker.ask("go");
    bench.model.wait("idle", sessions);
    // A store may be silent for a while and go on: what counts is that each of them waits.
    let end = Instant::now() + Duration::from_mins(10);
    loop {
        let waiting = worker.ask("waiting").value;
        if waiting >= sessions as f64 {
            break;
        }
        assert!(Instant::now() < end, "{waiting} of {sessions} sessions wait");
        std::thread::sleep(Duration::from_millis(500));
    }
    worker.end();
}

/// A process that starts on what is there: what it says when it is ready, and its CPU milliseconds per second while
/// nothing is done; and the child itself.
fn start(bench: &Bench, place: &Place) -> (Worker, Report, f64) {
    let orders = Orders { sessions: 0, ..orders(Role::Entracte, place, &bench.model, "idle") };
    let mut worker = Worker::start(&orders);
    let ready = worker.hear();
    // Longer than the longest sleep of the runtime.
    let span = Duration::from_secs(if bench.options.quick { 1 } else { 35 });
    std::thread::sleep(span);
    let later = worker.ask("report");
    (worker, Report { resident_kb: ready.resident_kb.max(later.resident_kb), ..ready }, {
        (later.cpu_ms - ready.cpu_ms) / span.as_secs_f64()
    })
}

/// The rows.
pub fn rows(bench: &Bench, kind: Kind) -> Vec<Row> {
    let mb = |kb: u64| kb as f64 / 1024.0;
    let empty = Place::make(kind).expect("there is a server");
    // Made first, so that no migration is measured.
    Worker::start(&Orders { sessions: 0, ..orders(Role::Entracte, &empty, &bench.model, "idle") }).hear();
    let (_, alone, cpu) = start(bench, &empty);
    let row = Row::new("idle", "empty", kind.word())
        .with("start_ms", alone.value)
        .with("cpu_ms_per_s", cpu)
        .held("resident_mb", mb(alone.resident_kb), Bound::AtMost(15.0));
    let mut rows = vec![bench.beside_raw(row, kind)];
    for sessions in [bench.options.size(1000, 20), bench.options.size(10_000, 50)] {
        let place = Place::make(kind).expect("there is a server");
        prepare(bench, &place, sessions);
        let (mut worker, ready, cpu) = start(bench, &place);
        let listed = worker.ask("list");
        let more = mb(ready.resident_kb) - mb(alone.resident_kb);
        let row = Row::new("idle", format!("{sessions} waiting"), kind.word())
            .with("start_ms", ready.value)
            .with("settled_ms", ready.second)
            .held("list_waiting_ms", listed.value, Bound::AtMost(10.0))
            .held("list_open_ms", listed.second, Bound::AtMost(10.0))
            .held("more_resident_mb", more, Bound::AtMost(60.0))
            // A process without sessions looks at its mail too; a hundredth of a core is none.
            .held("cpu_ms_per_s", cpu, Bound::AtMost(10.0));
        rows.push(bench.beside_raw(row, kind));
    }
    rows
}
