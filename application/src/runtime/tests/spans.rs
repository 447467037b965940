//! The spans that a subscriber of the embedding program receives of a session's work: each by its name, with its
//! parent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use entracte_domain::call::CallOutcome;
use entracte_domain::session::Phase;
use entracte_domain::time::Millis;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Instrument as _, Metadata, Subscriber};

use crate::commands::{CallAttempt, request_for};
use crate::kit::{
    LIST, MachineSessionFixture, NOON, command, effect_context, executor, list, services, session, workspace,
};
use crate::ports::{CommandExecutor, MockProvider, MockProviderRegistry, NoopObserver, Provider};
use crate::runtime::round_spans::{report_round, span_of, trace_of};
use crate::runtime::session_draft::SessionDraft;
use crate::runtime::tests::effects::{failure, request};
use crate::runtime::{EffectJob, RuntimeServices, perform};
use crate::settings::WorkspaceLocale;
use crate::system::sha256;
use entracte_domain::session::failure::FailureClass;

/// Records the path of each span, and the span of each line.
#[derive(Clone, Default)]
struct SpanRecorder(Arc<SpanRecording>);

#[derive(Default)]
struct SpanRecording {
    last: AtomicU64,
    ways: Mutex<HashMap<u64, String>>,
    open: Mutex<Vec<u64>>,
    lines: Mutex<Vec<String>>,
}

impl SpanRecorder {
    fn way(&self, span: Option<u64>) -> String {
        span.and_then(|span| self.0.ways.lock().unwrap().get(&span).cloned()).unwrap_or_default()
    }

    fn here(&self) -> Option<u64> {
        self.0.open.lock().unwrap().last().copied()
    }

    /// The distinct span paths of the lines.
    fn lines(&self) -> Vec<String> {
        let mut lines = self.0.lines.lock().unwrap().clone();
        lines.dedup();
        lines
    }
}

impl Subscriber for SpanRecorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("entracte_application")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.0.last.fetch_add(1, Ordering::SeqCst) + 1;
        let parent = span.parent().map(Id::into_u64).or_else(|| self.here().filter(|_| span.is_contextual()));
        let above = self.way(parent);
        let name = span.metadata().name();
        let way = if above.is_empty() { name.to_owned() } else { format!("{above} > {name}") };
        self.0.ways.lock().unwrap().insert(id, way);
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        let way = self.way(self.here());
        self.0.lines.lock().unwrap().push(way);
    }

    fn enter(&self, span: &Id) {
        self.0.open.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let mut open = self.0.open.lock().unwrap();
        if let Some(at) = open.iter().rposition(|id| *id == span.into_u64()) {
            open.remove(at);
        }
    }
}

/// The span of a session whose round is under way.
fn of_round() -> tracing::Span {
    let MachineSessionFixture { facts, phase, .. } = MachineSessionFixture::chat().with_model_called();
    span_of(&SessionDraft { facts: Arc::new(facts), phase, stored: None }, None)
}

#[tokio::test(start_paused = true)]
async fn model_call_span_nests_in_round_and_session() {
    let watcher = SpanRecorder::default();
    let _watched = tracing::subscriber::set_default(watcher.clone());
    let mut providers = MockProviderRegistry::new();
    providers.expect_provider().returning(|_| {
        let mut model = MockProvider::new();
        model.expect_limits().returning(|_| crate::ports::ModelCallLimits::default());
        model.expect_call().returning(|_, _| {
            tracing::warn!("a line of the adapter");
            Err(failure(FailureClass::Lost))
        });
        Ok(Arc::new(model) as Arc<dyn Provider>)
    });
    let means =
        effect_context(Arc::new(RuntimeServices { providers: Arc::new(providers), ..services() })).await;
    let (provider, request) = ("claude".to_owned(), Box::new(request()));
    let job = EffectJob::Model {
        round: 1,
        attempt: 1,
        provider,
        tree: None,
        acts_as: None,
        request,
        envelope: false,
        time: Millis(0),
        trace: "trace".into(),
    };
    perform(means, workspace(), session(), job).instrument(of_round()).await.unwrap();
    assert_eq!(watcher.lines(), ["session > round > model call"]);
}

#[tokio::test(start_paused = true)]
async fn call_span_nests_in_round_with_executor_lines() {
    let watcher = SpanRecorder::default();
    let _watched = tracing::subscriber::set_default(watcher.clone());
    let mut executor = executor(vec![list()]);
    executor.expect_run().returning(|_| {
        tracing::warn!("a line of the executor");
        CallOutcome::Succeeded { content: "[]".into(), digest: sha256(b"[]"), files: Vec::new() }
    });
    let call = session().call_id(4, 0);
    let (facts, locale, key) =
        (MachineSessionFixture::chat().facts, WorkspaceLocale::default(), "key".into());
    let attempt = CallAttempt { key, number: 1, task: None };
    let request = Box::new(request_for(&facts, None, locale, &call, &command(LIST), attempt, NOON));
    let executor = Some(Arc::new(executor) as Arc<dyn CommandExecutor>);
    let (timeout, name) = (Millis::seconds(1), LIST.into());
    let trace = "trace".into();
    let job = EffectJob::Call { call, trace, attempt: 1, ask: false, executor, request, timeout, name };
    perform(effect_context(Arc::new(services())).await, workspace(), session(), job)
        .instrument(of_round())
        .await
        .unwrap();
    assert_eq!(watcher.lines(), ["session > round > call"]);
}

/// Input: a round that begins, works three times and rests; expected: all its lines are in one span, made once with that of
/// its session, and all its work has one trace id.
#[test]
fn spans_of_a_round_are_made_once() {
    let watcher = SpanRecorder::default();
    let _watched = tracing::subscriber::set_default(watcher.clone());
    let MachineSessionFixture { facts, phase, .. } = MachineSessionFixture::chat().with_model_called();
    let works = SessionDraft { facts: Arc::new(facts), phase, stored: None };
    let known = report_round(&works, None, Millis(7), &NoopObserver);
    for _ in 0..3 {
        span_of(&works, known.as_ref()).in_scope(|| tracing::info!("a line of the round"));
        let trace = trace_of(&session(), 1, known.as_ref());
        assert!(Arc::ptr_eq(&trace, &trace_of(&session(), 1, known.as_ref())));
        assert_eq!(trace, trace_of(&session(), 1, None), "it is the same in every process");
        assert_ne!(trace, trace_of(&session(), 2, known.as_ref()));
    }
    let rests = SessionDraft { phase: Phase::Idle, ..works };
    assert!(report_round(&rests, known, Millis(9), &NoopObserver).is_none());
    assert_eq!(watcher.0.ways.lock().unwrap().len(), 2);
    assert_eq!(watcher.lines(), ["session > round"]);
}

#[test]
fn lines_before_first_round_use_session_span() {
    let watcher = SpanRecorder::default();
    let _watched = tracing::subscriber::set_default(watcher.clone());
    let MachineSessionFixture { facts, phase, .. } = MachineSessionFixture::chat();
    span_of(&SessionDraft { facts: Arc::new(facts), phase, stored: None }, None)
        .in_scope(|| tracing::info!("a line of the session"));
    assert_eq!(watcher.lines(), ["session"]);
}
