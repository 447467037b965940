//! Streams: the delay of a word from the model to each client, its cost, and the cost of silent streams. The real
//! program serves over HTTP, beside a minimal relay of server-sent events.
//!
//! This program is the model and all clients: it writes its clock into each piece, and subtracts it when the piece
//! arrives.

mod client;
mod model;
mod relay;
pub(super) mod servers;

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::join_all;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use self::client::{DeliveryLatencies, StreamBenchClient};
use self::model::StreamingModelServer;
use self::servers::{EntracteStreamServer, ReferenceStreamServer, StreamBenchServer};
use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::quantile;
use super::runner::BenchContext;

pub use self::relay::live;

/// The amount of work.
#[derive(Clone, Copy, Debug)]
pub struct StreamBenchSizes {
    /// Concurrent sessions, each with a client of its own.
    pub sessions: usize,
    /// Pieces that each session streams.
    pub pieces: usize,
    /// Interval between two pieces.
    pub pace: Duration,
    /// Additional clients that read nothing.
    pub slow: usize,
    /// Number of silent streams.
    pub idle: usize,
    /// How long the silent streams are measured.
    pub rest: Duration,
}

impl StreamBenchSizes {
    /// The full measurement.
    pub const FULL: Self = Self {
        sessions: 100,
        pieces: 200,
        pace: Duration::from_millis(50),
        slow: 10,
        idle: 1000,
        rest: Duration::from_secs(20),
    };
    /// A check that it runs; the figures are not meaningful.
    pub const QUICK: Self = Self {
        sessions: 4,
        pieces: 10,
        pace: Duration::from_millis(20),
        slow: 1,
        idle: 5,
        rest: Duration::from_millis(500),
    };
}

/// The figures of one server.
#[derive(Clone, Debug)]
pub struct StreamBenchFigures {
    /// Median delay from the model to the client, in milliseconds.
    pub p50_ms: f64,
    /// 99th percentile of the same delay.
    pub p99_ms: f64,
    /// Number of received pieces.
    pub pieces: usize,
    /// CPU milliseconds of the server during delivery.
    pub cpu_ms: f64,
    /// Resident memory of the server afterwards, in megabytes.
    pub resident_mb: f64,
}

impl StreamBenchFigures {
    fn cpu_us_per_piece(&self) -> f64 {
        self.cpu_ms * 1000.0 / self.pieces.max(1) as f64
    }
}

/// Path of the measured program, beside this one.
pub(super) fn program() -> PathBuf {
    let here = std::env::current_exe().expect("this program has a path");
    here.with_file_name("entracte")
}

/// The rows `streams`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let sizes = if bench.options.quick { StreamBenchSizes::QUICK } else { StreamBenchSizes::FULL };
    let place = BenchDatabase::make(kind).expect("there is a server");
    measure(&program(), &place, kind, sizes, true)
}

/// Measures a program on a database; `beside` also measures the minimal relay, which requires this process to be the
/// benchmark.
pub fn measure(
    program: &Path,
    place: &BenchDatabase,
    kind: BenchDatabaseKind,
    sizes: StreamBenchSizes,
    beside: bool,
) -> Vec<BenchResultRow> {
    assert!(
        program.is_file(),
        "{} is not there; build it: cargo build -p entracte-app-cli",
        program.display()
    );
    // On a second call one is installed already; nothing here uses TLS.
    let _there_is_one = rustls::crypto::ring::default_provider().install_default();
    // Every stream is a connection at both ends.
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _as_it_is = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        let talker = StreamingModelServer::start(sizes.pieces, sizes.pace).await;
        let mut speaking = BenchResultRow::new("streams", format!("{0} x {0}", sizes.sessions), kind.word());
        if beside {
            let least = speak(&ReferenceStreamServer::start(talker.address()), &talker, sizes).await;
            speaking = speaking
                .with("least_p50_ms", least.p50_ms)
                .with("least_p99_ms", least.p99_ms)
                .with("least_cpu_us_per_piece", least.cpu_us_per_piece());
        }
        let served = EntracteStreamServer::start(program, place, talker.address(), sizes.sessions).await;
        let all = speak(&served, &talker, sizes).await;
        let speaking = speaking
            .with("pieces", all.pieces as f64)
            .with("p50_ms", all.p50_ms)
            .with("cpu_us_per_piece", all.cpu_us_per_piece())
            .with("resident_mb", all.resident_mb)
            .held("p99_ms", all.p99_ms, GoalBound::AtMost(100.0));
        vec![speaking, idle(&served, kind, sizes).await]
    })
}

/// All sessions stream at once, each to its own client, while some other clients read nothing.
async fn speak(
    server: &dyn StreamBenchServer,
    talker: &StreamingModelServer,
    sizes: StreamBenchSizes,
) -> StreamBenchFigures {
    let mut clients = Vec::with_capacity(sizes.sessions);
    for number in 0..sizes.sessions {
        clients.push(StreamBenchClient::open(server.stream_target(number).await).await);
    }
    let mut slow = Vec::with_capacity(sizes.slow);
    for number in 0..sizes.slow {
        slow.push(client::open_unread_stream(&server.stream_target(number % sizes.sessions).await).await);
    }
    let before = server.resource_usage();
    let asked = (0..sizes.sessions).map(|number| server.start_reply(number));
    let listening = clients.into_iter().map(|client| client.receive_pieces(talker.clock(), sizes.pieces));
    let (heard, _) = tokio::join!(join_all(listening), join_all(asked));
    let after = server.resource_usage();
    drop(slow);
    let mut spans: Vec<f64> = heard.iter().flat_map(|DeliveryLatencies(spans)| spans).copied().collect();
    spans.sort_by(f64::total_cmp);
    StreamBenchFigures {
        p50_ms: quantile(&spans, 50),
        p99_ms: quantile(&spans, 99),
        pieces: spans.len(),
        cpu_ms: after.cpu_ms - before.cpu_ms,
        resident_mb: after.resident_mb,
    }
}

/// Measures silent streams.
async fn idle(
    served: &EntracteStreamServer,
    kind: BenchDatabaseKind,
    sizes: StreamBenchSizes,
) -> BenchResultRow {
    let before = served.resource_usage();
    let mut clients = Vec::with_capacity(sizes.idle);
    for number in 0..sizes.idle {
        clients.push(StreamBenchClient::open(served.stream_target(number % sizes.sessions).await).await);
    }
    // The cost of opening streams must not count as the cost of keeping them open.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let opened = served.resource_usage();
    tokio::time::sleep(sizes.rest).await;
    let rested = served.resource_usage();
    drop(clients);
    BenchResultRow::new("streams", format!("{} idle", sizes.idle), kind.word())
        .with("cpu_ms_per_s", (rested.cpu_ms - opened.cpu_ms) / sizes.rest.as_secs_f64())
        .with("kb_for_each", (opened.resident_mb - before.resident_mb) * 1024.0 / sizes.idle.max(1) as f64)
        .with("resident_mb", rested.resident_mb)
}
