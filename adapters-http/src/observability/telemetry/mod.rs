//! OpenTelemetry traces and metrics of this process, sent to a collector if one is configured, and nowhere else.
//!
//! A round is a trace, with the id in every log line. A span covers the time in which the session works on it; waiting
//! for a person ends the span, and work after that is another span, linked to the first. The first span's id is derived
//! from the round, so that another process links to it too. Contents are names, ids, numbers and words of finite sets,
//! never text of a person, a model or a tool.

mod collector_client;
mod semantic_conventions;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use entracte_application::ports::{Clock, Observer, ReplyEnd, RoundTrace, RuntimeObservation};
use entracte_application::system::sha256;
use entracte_domain::id::SessionId;
use entracte_domain::session::SessionKind;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::usage::Usage;
use opentelemetry::metrics::{Histogram, Meter, MeterProvider as _};
use opentelemetry::trace::{Link, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, IdGenerator as _, RandomIdGenerator, SpanData, SpanEvents,
    SpanLinks, SpanProcessor as _,
};
use rustls::crypto::CryptoProvider;
use url::Url;

use self::collector_client::CollectorClient;
use super::{MOMENTS, THOUGHT, seconds};

/// Most open session spans. Sessions beyond it get no span.
const OPEN_MAX: usize = 10_000;

/// Longest wait for a collector at the end of the process.
const LAST: Millis = Millis::seconds(3);

/// Collector and limits of telemetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelemetryConfig {
    /// Base address of the collector, above `/v1/traces` and `/v1/metrics`.
    pub endpoint: Url,
    /// Timeout of a request.
    pub timeout: Millis,
    /// Interval between exports of metrics.
    pub interval: Millis,
    /// Most spans that wait for export; more are dropped.
    pub queue: usize,
}

/// Exports spans and metrics to a collector.
pub struct TelemetryExporter {
    clock: Arc<dyn Clock>,
    timeout: Millis,
    spans: BatchSpanProcessor,
    meters: SdkMeterProvider,
    numbers: TelemetryInstruments,
    /// The conventional name of each configured provider.
    providers: BTreeMap<String, String>,
    open: Mutex<HashMap<SessionId, RoundSpan>>,
}

/// An open span of a session's work on a round.
struct RoundSpan {
    context: SpanContext,
    kind: SessionKind,
    since: Timestamp,
    links: Vec<Link>,
}

impl TelemetryExporter {
    /// An exporter that starts immediately. Must be created inside a runtime. `providers` has the conventional name
    /// (`gen_ai.provider.name`) of each configured provider; `crypto` serves the TLS connection to the collector.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn new(
        terms: &TelemetryConfig,
        providers: BTreeMap<String, String>,
        clock: Arc<dyn Clock>,
        crypto: Arc<CryptoProvider>,
    ) -> Result<Self, String> {
        let timeout = span(terms.timeout);
        let wire = Arc::new(CollectorClient::new(&terms.endpoint, timeout, crypto)?);
        let under = |path: &str| format!("{}{path}", terms.endpoint.as_str().trim_end_matches('/'));
        let resource = Resource::builder()
            .with_service_name(semantic_conventions::SCOPE)
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(under("/v1/traces"))
            .with_timeout(timeout)
            .with_shared_http_client(wire.clone())
            .build()
            .map_err(|error| error.to_string())?;
        let config = BatchConfigBuilder::default().with_max_queue_size(terms.queue.max(1)).build();
        let mut spans = BatchSpanProcessor::new(exporter, config);
        spans.set_resource(&resource);
        let exporter = MetricExporter::builder()
            .with_http()
            .with_endpoint(under("/v1/metrics"))
            .with_timeout(timeout)
            .with_shared_http_client(wire)
            .build()
            .map_err(|error| error.to_string())?;
        let reader = PeriodicReader::builder(exporter)
            .with_interval(span(terms.interval.max(Millis::seconds(1))))
            .build();
        let meters = SdkMeterProvider::builder().with_resource(resource).with_reader(reader).build();
        let numbers = TelemetryInstruments::from_meter(&meters.meter(semantic_conventions::SCOPE));
        Ok(Self { clock, timeout: terms.timeout, spans, meters, numbers, providers, open: Mutex::default() })
    }

    /// Exports the remaining data, within the last seconds of the process. Open spans end now.
    pub async fn finish(self: Arc<Self>) {
        let stretches: Vec<(SessionId, RoundSpan)> = self.lock_open_spans().drain().collect();
        for (session, stretch) in stretches {
            self.end_round_span(&session, stretch);
        }
        let (left, clock) = (self.timeout.min(LAST), self.clock.clone());
        let timeout = span(left);
        // The shutdown blocks on the exporters' own threads.
        let sent = tokio::task::spawn_blocking(move || {
            let spans = self.spans.shutdown_with_timeout(timeout);
            let numbers = self.meters.shutdown_with_timeout(timeout);
            spans.and(numbers)
        });
        tokio::select! {
            sent = sent => {
                if let Ok(Err(error)) = sent {
                    tracing::warn!(%error, "the last telemetry was not sent");
                }
            }
            () = clock.sleep(left) => tracing::warn!("the last telemetry was not sent in time"),
        }
    }

    /// The conventional name of a provider; its own for one that is not configured any more.
    fn conventional_name(&self, provider: &str) -> String {
        self.providers.get(provider).map_or(provider, String::as_str).to_owned()
    }

    fn lock_open_spans(&self) -> MutexGuard<'_, HashMap<SessionId, RoundSpan>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_round_span(&self, round: RoundTrace<'_>, kind: SessionKind, resumed: bool) {
        let first = first_span(round);
        let context = match resumed {
            true => context_of(first.trace_id(), RandomIdGenerator::default().new_span_id()),
            false => first.clone(),
        };
        let links = if resumed { vec![Link::new(first, Vec::new(), 0)] } else { Vec::new() };
        let stretch = RoundSpan { context, kind, since: self.clock.now(), links };
        let before = {
            let mut open = self.lock_open_spans();
            match open.get(round.session) {
                // The session was only reloaded meanwhile: its span continues.
                Some(known) if known.context.trace_id() == stretch.context.trace_id() => return,
                None if open.len() >= OPEN_MAX => return,
                Some(_) | None => open.insert(round.session.clone(), stretch),
            }
        };
        if let Some(before) = before {
            self.end_round_span(round.session, before);
        }
    }

    fn end_round_span(&self, session: &SessionId, stretch: RoundSpan) {
        let took = self.clock.now().since(stretch.since);
        let (name, time) = match stretch.kind {
            SessionKind::Automation => (semantic_conventions::INVOKE_WORKFLOW, &self.numbers.workflow),
            SessionKind::Chat | SessionKind::Seed | SessionKind::Agent => {
                (semantic_conventions::INVOKE_AGENT, &self.numbers.agent)
            }
        };
        time.record(seconds(took), &[]);
        let about = vec![KeyValue::new(semantic_conventions::OPERATION, name), conversation(session)];
        let span =
            FinishedSpan { name: name.to_owned(), kind: SpanKind::Internal, about, took, failed: None };
        self.export_span(stretch.context, SpanId::INVALID, stretch.links, span);
    }

    /// Exports a span of a session's operation inside a round.
    fn record_child_span(&self, round: RoundTrace<'_>, span: FinishedSpan) {
        let parent = self.lock_open_spans().get(round.session).map(|stretch| stretch.context.clone());
        // Work that another process began belongs to the first span of its round.
        let parent = parent.unwrap_or_else(|| first_span(round));
        let context = context_of(parent.trace_id(), RandomIdGenerator::default().new_span_id());
        self.export_span(context, parent.span_id(), Vec::new(), span);
    }

    fn export_span(&self, context: SpanContext, parent: SpanId, links: Vec<Link>, span: FinishedSpan) {
        let now = self.clock.now();
        let mut kept = SpanLinks::default();
        kept.links = links;
        let mut attributes = span.about;
        attributes.extend(span.failed.map(|class| KeyValue::new(semantic_conventions::ERROR, class)));
        self.spans.on_end(SpanData {
            span_context: context,
            parent_span_id: parent,
            parent_span_is_remote: false,
            span_kind: span.kind,
            name: span.name.into(),
            start_time: instant(now.plus(Millis(-span.took.0.max(0)))),
            end_time: instant(now),
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: kept,
            status: span.failed.map_or(Status::Unset, Status::error),
            instrumentation_scope: InstrumentationScope::builder(semantic_conventions::SCOPE).build(),
        });
    }
}

impl Observer for TelemetryExporter {
    fn observe(&self, seen: RuntimeObservation<'_>) {
        match seen {
            RuntimeObservation::Committed { .. } => {}
            RuntimeObservation::RoundBegan { round, kind, resumed } => {
                self.start_round_span(round, kind, resumed)
            }
            RuntimeObservation::RoundRested { round } => {
                let stretch = self.lock_open_spans().remove(round.session);
                if let Some(stretch) = stretch {
                    self.end_round_span(round.session, stretch);
                }
            }
            RuntimeObservation::ModelCalled {
                round,
                provider,
                model,
                answer,
                failed,
                first,
                whole,
                usage,
            } => {
                let failed = failed.map(|class| class.word());
                let mut labels = vec![
                    KeyValue::new(semantic_conventions::OPERATION, semantic_conventions::CHAT),
                    KeyValue::new(semantic_conventions::PROVIDER, self.conventional_name(provider)),
                    KeyValue::new(semantic_conventions::PROVIDER_ENTRY, provider.to_owned()),
                    KeyValue::new(semantic_conventions::REQUEST_MODEL, model.to_owned()),
                ];
                labels.extend(failed.map(|class| KeyValue::new(semantic_conventions::ERROR, class)));
                self.numbers.record_model_call(first, whole, usage, &labels);
                let mut about = vec![
                    KeyValue::new(semantic_conventions::OPERATION, semantic_conventions::CHAT),
                    KeyValue::new(semantic_conventions::PROVIDER, self.conventional_name(provider)),
                    KeyValue::new(semantic_conventions::PROVIDER_ENTRY, provider.to_owned()),
                    KeyValue::new(semantic_conventions::REQUEST_MODEL, model.to_owned()),
                    conversation(round.session),
                ];
                if let Some((answered, end)) = answer {
                    about.extend(
                        answered.map(|model| {
                            KeyValue::new(semantic_conventions::RESPONSE_MODEL, model.to_owned())
                        }),
                    );
                    about.push(KeyValue::new(semantic_conventions::FINISH_REASONS, reasons(end)));
                }
                about.extend(usage.into_iter().flat_map(tokens));
                let name = format!("{} {model}", semantic_conventions::CHAT).trim_end().to_owned();
                self.record_child_span(
                    round,
                    FinishedSpan { name, kind: SpanKind::Client, about, took: whole, failed },
                );
            }
            RuntimeObservation::CallEnded { round, call, command, status, took } => {
                let is_well = matches!(status, "succeeded" | "accepted" | "probed");
                let failed = (!is_well).then_some(status);
                let mut labels = vec![
                    KeyValue::new(semantic_conventions::OPERATION, semantic_conventions::EXECUTE_TOOL),
                    KeyValue::new(semantic_conventions::TOOL_NAME, command.to_owned()),
                ];
                labels.extend(failed.map(|status| KeyValue::new(semantic_conventions::ERROR, status)));
                self.numbers.tool.record(seconds(took), &labels);
                let about = vec![
                    KeyValue::new(semantic_conventions::OPERATION, semantic_conventions::EXECUTE_TOOL),
                    KeyValue::new(semantic_conventions::TOOL_NAME, command.to_owned()),
                    KeyValue::new(semantic_conventions::TOOL_CALL, call.to_string()),
                    conversation(round.session),
                ];
                let name = format!("{} {command}", semantic_conventions::EXECUTE_TOOL);
                self.record_child_span(
                    round,
                    FinishedSpan { name, kind: SpanKind::Internal, about, took, failed },
                );
            }
            // New observations may be added; unknown ones are not counted.
            _ => {}
        }
    }
}

/// A span that has ended.
struct FinishedSpan {
    name: String,
    kind: SpanKind,
    about: Vec<KeyValue>,
    took: Millis,
    failed: Option<&'static str>,
}

/// The metric instruments.
struct TelemetryInstruments {
    inference: Histogram<f64>,
    first_chunk: Histogram<f64>,
    input: Histogram<u64>,
    output: Histogram<u64>,
    cache_read: Histogram<u64>,
    cache_write: Histogram<u64>,
    agent: Histogram<f64>,
    workflow: Histogram<f64>,
    tool: Histogram<f64>,
}

impl TelemetryInstruments {
    fn from_meter(meter: &Meter) -> Self {
        let time = |name: &'static str, classes: &[f64]| {
            meter.f64_histogram(name).with_unit("s").with_boundaries(classes.to_vec()).build()
        };
        let tokens = |name: &'static str| meter.u64_histogram(name).with_unit("{token}").build();
        Self {
            inference: time(semantic_conventions::INFERENCE, &THOUGHT),
            first_chunk: time(semantic_conventions::FIRST_CHUNK, &THOUGHT),
            input: tokens(semantic_conventions::USED_INPUT),
            output: tokens(semantic_conventions::USED_OUTPUT),
            cache_read: tokens(semantic_conventions::USED_CACHE_READ),
            cache_write: tokens(semantic_conventions::USED_CACHE_WRITE),
            agent: time(semantic_conventions::AGENT_TIME, &THOUGHT),
            workflow: time(semantic_conventions::WORKFLOW_TIME, &THOUGHT),
            tool: time(semantic_conventions::TOOL_TIME, &MOMENTS),
        }
    }

    fn record_model_call(
        &self,
        first: Option<Millis>,
        whole: Millis,
        usage: Option<&Usage>,
        labels: &[KeyValue],
    ) {
        self.inference.record(seconds(whole), labels);
        if let Some(first) = first {
            self.first_chunk.record(seconds(first), labels);
        }
        if let Some(usage) = usage {
            self.input.record(usage.input, labels);
            self.output.record(usage.output, labels);
            self.cache_read.record(usage.cache_read, labels);
            self.cache_write.record(usage.cache_write, labels);
        }
    }
}

fn tokens(usage: &Usage) -> [KeyValue; 4] {
    let counted =
        |name: &'static str, tokens: u64| KeyValue::new(name, i64::try_from(tokens).unwrap_or(i64::MAX));
    [
        counted(semantic_conventions::INPUT_TOKENS, usage.all_input()),
        counted(semantic_conventions::OUTPUT_TOKENS, usage.output),
        counted(semantic_conventions::CACHE_READ_TOKENS, usage.cache_read),
        counted(semantic_conventions::CACHE_WRITE_TOKENS, usage.cache_write),
    ]
}

fn conversation(session: &SessionId) -> KeyValue {
    KeyValue::new(semantic_conventions::CONVERSATION, session.to_string())
}

fn reasons(end: &ReplyEnd) -> Value {
    let reason = match end {
        ReplyEnd::Done => "stop",
        ReplyEnd::OutputLimit { .. } => "length",
        ReplyEnd::Paused => "pause",
        ReplyEnd::Unknown(word) => word,
    };
    Value::Array(Array::String(vec![StringValue::from(reason.to_owned())]))
}

/// The first span of a round, whichever process it ran in.
fn first_span(round: RoundTrace<'_>) -> SpanContext {
    let trace = TraceId::from_hex(round.trace).unwrap_or(TraceId::INVALID);
    let digest = sha256(format!("span {}", round.trace).as_bytes()).to_string();
    let span = digest.get(..16).and_then(|letters| SpanId::from_hex(letters).ok());
    context_of(trace, span.unwrap_or(SpanId::INVALID))
}

fn context_of(trace: TraceId, span: SpanId) -> SpanContext {
    SpanContext::new(trace, span, TraceFlags::SAMPLED, false, TraceState::NONE)
}

fn instant(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(at.0.max(0).unsigned_abs())
}

fn span(length: Millis) -> Duration {
    Duration::from_millis(length.0.max(1).unsigned_abs())
}
