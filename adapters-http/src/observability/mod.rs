//! Metrics of this process and of the database, for a monitoring system. No label is an id, so the number of series is
//! bounded by providers, commands and routes.

mod census_metrics;
mod exposition;
mod labels;
#[cfg(feature = "opentelemetry")]
mod telemetry;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entracte_application::journal::{JournalEntry, OccurrenceOutcome};
use entracte_application::ports::{Clock, Observer, RuntimeObservation};
use entracte_application::use_cases::SessionMetrics;
use entracte_domain::call::CallStatus;
use entracte_domain::dollars::Dollars;
use entracte_domain::message::{CommandResult, MessageBody};
use entracte_domain::session::LogAppend;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

pub(crate) use self::census_metrics::census_registry;
pub(crate) use self::exposition::ExpositionFormat;
use self::labels::{
    CallbackLabels, CommandLabels, ConnectionRefusalLabels, HttpRequestLabels, ModelCallLabels,
    NotificationLabels, OccurrenceLabels, ProviderLabels, StreamEndLabels, TokenKindLabels,
};
#[cfg(feature = "opentelemetry")]
pub use self::telemetry::{TelemetryConfig, TelemetryExporter};

/// Prefix of every metric name.
const PREFIX: &str = "entracte";

/// Histogram buckets of short operations, in seconds: commits, requests, commands.
const MOMENTS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0];

/// Histogram buckets of model calls, in seconds.
const THOUGHT: [f64; 10] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 180.0, 600.0];

type HistogramFamily<L> = Family<L, Histogram, fn() -> Histogram>;

/// The counters and histograms of this process since its start.
pub struct ServerMetrics {
    clock: Arc<dyn Clock>,
    registry: Registry,
    last_commit: Mutex<Option<Millis>>,
    commits: Histogram,
    occurrences: Family<OccurrenceLabels, Counter>,
    model_calls: Family<ModelCallLabels, Counter>,
    first_chunks: HistogramFamily<ProviderLabels>,
    model_times: HistogramFamily<ProviderLabels>,
    command_times: HistogramFamily<CommandLabels>,
    calls: Family<CommandLabels, Counter>,
    relaunches: Counter,
    early_stops: Counter,
    circuit_breaks: Counter,
    tokens: Family<TokenKindLabels, Counter>,
    cost: Counter<f64>,
    requests: HistogramFamily<HttpRequestLabels>,
    streams_dropped: Family<StreamEndLabels, Counter>,
    connections_refused: Family<ConnectionRefusalLabels, Counter>,
    notifications: Family<NotificationLabels, Counter>,
    callbacks: Family<CallbackLabels, Counter>,
}

fn short_histogram() -> Histogram {
    Histogram::new(MOMENTS)
}

fn model_time_histogram() -> Histogram {
    Histogram::new(THOUGHT)
}

impl ServerMetrics {
    /// Metrics with all counters at zero.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let mut meters = Self {
            clock,
            registry: Registry::with_prefix(PREFIX),
            last_commit: Mutex::new(None),
            commits: short_histogram(),
            occurrences: Family::default(),
            model_calls: Family::default(),
            first_chunks: Family::new_with_constructor(model_time_histogram),
            model_times: Family::new_with_constructor(model_time_histogram),
            command_times: Family::new_with_constructor(short_histogram),
            calls: Family::default(),
            relaunches: Counter::default(),
            early_stops: Counter::default(),
            circuit_breaks: Counter::default(),
            tokens: Family::default(),
            cost: Counter::default(),
            requests: Family::new_with_constructor(short_histogram),
            streams_dropped: Family::default(),
            connections_refused: Family::default(),
            notifications: Family::default(),
            callbacks: Family::default(),
        };
        meters.register();
        meters
    }

    fn register(&mut self) {
        let all = &mut self.registry;
        all.register("occurrences", "Occurrences of automations that were decided", self.occurrences.clone());
        all.register("model_calls", "Attempts of model calls, by how they ended", self.model_calls.clone());
        let says = "Time to the first sign of life of a model";
        all.register("model_first_chunk_seconds", says, self.first_chunks.clone());
        all.register("model_call_seconds", "Time of an attempt of a model call", self.model_times.clone());
        all.register("command_call_seconds", "Time of a call of a command", self.command_times.clone());
        all.register("calls", "Results of calls, as models read them", self.calls.clone());
        let says = "Rounds that a session began by itself";
        all.register("relaunches", says, self.relaunches.clone());
        let says = "Stops because nothing progressed, or the same failed again and again";
        all.register("early_stops", says, self.early_stops.clone());
        all.register("circuit_breaks", "Closing calls at a limit", self.circuit_breaks.clone());
        all.register("tokens", "Tokens of model calls", self.tokens.clone());
        all.register("cost_usd", "What tokens with a known price cost, in US dollars", self.cost.clone());
        all.register("commit_seconds", "Time of a commit", self.commits.clone());
        all.register("callbacks", "Callbacks of long tasks, by verdict", self.callbacks.clone());
        all.register("http_request_seconds", "Time of a request of HTTP", self.requests.clone());
        let says = "Streams that the server ended, by why";
        all.register("streams_dropped", says, self.streams_dropped.clone());
        let says = "Connections that were refused at a limit of their address";
        all.register("connections_refused", says, self.connections_refused.clone());
        let says = "Tries to tell people outside, by what came of them";
        all.register("notifications", says, self.notifications.clone());
    }

    /// Time since the last committed turn; `None` before the first.
    pub(crate) fn last_commit_age(&self) -> Option<Millis> {
        let last = *self.last_commit.lock().unwrap_or_else(PoisonError::into_inner);
        last.map(|last| Millis(self.clock.monotonic().0.saturating_sub(last.0)))
    }

    /// Records an answered request. `route` is the documented path, never the requested one.
    pub(crate) fn record_request(&self, route: &str, status: u16, took: Millis) {
        let named = HttpRequestLabels { route: route.to_owned(), status: status.into() };
        self.requests.get_or_create(&named).observe(seconds(took));
    }

    /// Records a stream that the server ended.
    pub(crate) fn record_stream_end(&self, reason: &'static str) {
        self.streams_dropped.get_or_create(&StreamEndLabels { reason }).inc();
    }

    /// Records a connection that was refused at a limit of its address.
    pub(crate) fn record_refused_connection(&self, limit: &'static str) {
        self.connections_refused.get_or_create(&ConnectionRefusalLabels { limit }).inc();
    }

    /// Records a long-task callback. Unverified ones are counted, but never stored.
    pub(crate) fn record_callback(&self, verdict: &'static str) {
        self.callbacks.get_or_create(&CallbackLabels { verdict }).inc();
    }

    fn record_commit(&self, entries: &[Arc<JournalEntry>], took: Millis) {
        let now = self.clock.monotonic();
        *self.last_commit.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        self.commits.observe(seconds(took));
        for appended in entries.iter().flat_map(|entry| &entry.appended) {
            if let LogAppend::Message(message) = appended
                && let MessageBody::System(said) = &message.body
            {
                said.results.iter().for_each(|result| self.record_call_result(result));
            }
        }
        let counted = SessionMetrics::from_entries(entries.iter().map(AsRef::as_ref), &[]);
        self.relaunches.inc_by(counted.relaunches.into());
        self.early_stops.inc_by(counted.early_stops.into());
        self.circuit_breaks.inc_by(counted.circuit_breaks.into());
    }

    /// Records the result of a call, whether it ran outside, in the commit, or not at all.
    fn record_call_result(&self, result: &CommandResult) {
        let command = if is_catalog_command(result.status) { result.command.clone() } else { String::new() };
        self.calls.get_or_create(&CommandLabels { command, status: result.status.word() }).inc();
    }

    fn record_token_usage(&self, usage: &Usage) {
        let kinds = [
            ("input", usage.input),
            ("cache_read", usage.cache_read),
            ("cache_write", usage.cache_write),
            ("output", usage.output),
        ];
        for (kind, tokens) in kinds {
            self.tokens.get_or_create(&TokenKindLabels { kind }).inc_by(tokens);
        }
        self.cost.inc_by(dollars(usage.cost));
    }
}

/// Encodes all metrics as text: those of the database, and those of the process if the caller may see them.
pub(crate) fn encode_metrics(meters: Option<&ServerMetrics>, standing: &Registry) -> String {
    let mut text = String::new();
    let did = meters.map_or(Ok(()), |meters| encode_registry(&mut text, &meters.registry));
    let written =
        did.and_then(|()| encode_registry(&mut text, standing)).and_then(|()| encode_eof(&mut text));
    if let Err(error) = written {
        tracing::error!(%error, "the numbers could not be written");
    }
    text
}

impl Observer for ServerMetrics {
    fn observe(&self, seen: RuntimeObservation<'_>) {
        match seen {
            RuntimeObservation::Committed { entries, occurrences, took } => {
                self.record_commit(entries, took);
                for occurrence in occurrences {
                    let outcome = match &occurrence.outcome {
                        OccurrenceOutcome::Run(_) => "ran",
                        OccurrenceOutcome::Skipped(_) => "skipped",
                    };
                    self.occurrences.get_or_create(&OccurrenceLabels { outcome }).inc();
                }
            }
            RuntimeObservation::RoundBegan { .. } | RuntimeObservation::RoundRested { .. } => {}
            RuntimeObservation::ModelCalled { provider, failed, first, whole, usage, .. } => {
                let provider = provider.to_owned();
                let class = failed.map_or("answered", |class| class.word());
                self.model_calls.get_or_create(&ModelCallLabels { provider: provider.clone(), class }).inc();
                let asked = ProviderLabels { provider };
                if let Some(first) = first {
                    self.first_chunks.get_or_create(&asked).observe(seconds(first));
                }
                self.model_times.get_or_create(&asked).observe(seconds(whole));
                if let Some(usage) = usage {
                    self.record_token_usage(usage);
                }
            }
            RuntimeObservation::CallEnded { command, status, took, .. } => {
                let ran = CommandLabels { command: command.to_owned(), status };
                self.command_times.get_or_create(&ran).observe(seconds(took));
            }
            RuntimeObservation::Notified { outcome } => {
                self.notifications.get_or_create(&NotificationLabels { outcome }).inc();
            }
            // New observations may be added; unknown ones are not counted.
            _ => {}
        }
    }
}

/// Whether the call's name is in the catalog at this status; any other name comes from a model, and the number of such
/// names is unbounded.
fn is_catalog_command(status: CallStatus) -> bool {
    match status {
        CallStatus::Succeeded
        | CallStatus::Cached
        | CallStatus::Accepted
        | CallStatus::Failed
        | CallStatus::InvalidArguments
        | CallStatus::SchemaRequired
        | CallStatus::PlanFirst
        | CallStatus::Rejected
        | CallStatus::Expired
        | CallStatus::TimedOut
        | CallStatus::Unknown => true,
        CallStatus::Duplicate
        | CallStatus::UnknownCommand
        | CallStatus::Malformed
        | CallStatus::Forbidden
        | CallStatus::OverLimit
        | CallStatus::Repeated
        | CallStatus::RepeatedReply
        | CallStatus::Cancelled => false,
    }
}

fn seconds(span: Millis) -> f64 {
    Duration::from_millis(span.0.max(0).unsigned_abs()).as_secs_f64()
}

/// Dollars as a float for charts; exact amounts are stored elsewhere.
fn dollars(amount: Dollars) -> f64 {
    amount.to_string().parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use entracte_application::ports::RoundTrace;
    use entracte_application::system::SystemClock;
    use entracte_domain::id::SessionId;
    use entracte_domain::session::failure::FailureClass;

    #[test]
    fn observations_are_counted_under_documented_names() {
        let meters = ServerMetrics::new(Arc::new(SystemClock));
        assert_eq!(meters.last_commit_age(), None);
        let usage = Usage { input: 7, output: 2, ..Usage::default() };
        let usage = usage.with_cost("0.5".parse().unwrap());
        let session = SessionId::new("ses_1");
        let call = session.call_id(2, 0);
        let round = RoundTrace { session: &session, trace: "" };
        let answered = |failed| RuntimeObservation::ModelCalled {
            round,
            provider: "claude",
            model: "",
            answer: None,
            failed,
            first: Some(Millis(300)),
            whole: Millis(2000),
            usage: Some(&usage),
        };
        meters.observe(answered(None));
        meters.observe(answered(Some(FailureClass::Overloaded)));
        let (command, took) = ("zones.list", Millis(20));
        meters.observe(RuntimeObservation::CallEnded {
            round,
            call: &call,
            command,
            status: "succeeded",
            took,
        });
        meters.observe(RuntimeObservation::Committed { entries: &[], occurrences: &[], took: Millis(4) });
        meters.record_request("/v1/me", 200, Millis(1));
        meters.observe(RuntimeObservation::Notified { outcome: "refused" });
        meters.record_stream_end("slow");
        meters.record_refused_connection("heads");
        meters.record_callback("forged");
        let text = encode_metrics(Some(&meters), &Registry::default());
        for line in [
            "entracte_model_calls_total{provider=\"claude\",class=\"answered\"} 1",
            "entracte_model_calls_total{provider=\"claude\",class=\"overloaded\"} 1",
            "entracte_model_first_chunk_seconds_sum{provider=\"claude\"} 0.6",
            "entracte_model_call_seconds_count{provider=\"claude\"} 2",
            "entracte_command_call_seconds_count{command=\"zones.list\",status=\"succeeded\"} 1",
            "entracte_tokens_total{kind=\"input\"} 14",
            "entracte_cost_usd_total 1.0",
            "entracte_commit_seconds_count 1",
            "entracte_relaunches_total 0",
            "entracte_notifications_total{outcome=\"refused\"} 1",
            "entracte_streams_dropped_total{reason=\"slow\"} 1",
            "entracte_connections_refused_total{limit=\"heads\"} 1",
            "entracte_callbacks_total{verdict=\"forged\"} 1",
            "entracte_http_request_seconds_count{route=\"/v1/me\",status=\"200\"} 1",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.ends_with("# EOF\n"));
        assert!(meters.last_commit_age().is_some());
    }
}
