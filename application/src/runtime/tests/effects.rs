use std::sync::Arc;
use std::sync::atomic::Ordering;

use entracte_domain::call::CallOutcome;
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Dialect, SummaryFault, SummaryMethod, SummaryProgress};
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use crate::commands::CallAttempt;
use crate::commands::request_for;
use crate::kit::{
    HangingExecutor, LIST, MachineSessionFixture, NOON, command, effect_context, executor, list, services,
    session, workspace,
};
use crate::ports::*;
use crate::prompt::{Projection, PromptStyle};
use crate::runtime::compaction::{CompactionFailure, CompactionJob, CompactionResult};
use crate::runtime::{EffectJob, EffectOutcome, RuntimeServices, perform};
use crate::settings::{RuntimeSettings, WorkspaceLocale, WorkspaceSettings};
use crate::system::sha256;

/// Services that only perform effects, with this model.
fn with_model(model: Option<MockProvider>) -> Arc<RuntimeServices> {
    let model = model.map(|mut model| {
        model.expect_limits().returning(|_| ModelCallLimits::default());
        Arc::new(model) as Arc<dyn Provider>
    });
    let mut providers = MockProviderRegistry::new();
    providers.expect_provider().returning(move |name| {
        assert_eq!(name, "claude");
        model.clone().ok_or_else(|| failure(FailureClass::Misconfigured))
    });
    Arc::new(RuntimeServices { providers: Arc::new(providers), ..services() })
}

pub(super) fn failure(class: FailureClass) -> ProviderFailure {
    ProviderFailure { class, message: "it failed".into(), retry_after: None, usage: None }
}

/// The outcome of a call that this executor runs (or is queried about), within one second.
async fn call(executor: Option<Arc<dyn CommandExecutor>>, ask: bool) -> CallOutcome {
    within(Millis::seconds(1), executor, ask).await
}

fn call_job(timeout: Millis, executor: Option<Arc<dyn CommandExecutor>>, ask: bool) -> EffectJob {
    let id = session().call_id(4, 0);
    let request = request_for(
        &MachineSessionFixture::chat().facts,
        None,
        WorkspaceLocale::default(),
        &id,
        &command(LIST),
        CallAttempt { key: "key".into(), number: 2, task: None },
        NOON,
    );
    EffectJob::Call {
        trace: "trace".into(),
        call: id,
        attempt: 2,
        ask,
        executor,
        request: Box::new(request),
        timeout,
        name: LIST.into(),
    }
}

async fn within(timeout: Millis, executor: Option<Arc<dyn CommandExecutor>>, ask: bool) -> CallOutcome {
    let (id, job) = (session().call_id(4, 0), call_job(timeout, executor, ask));
    match perform(effect_context(with_model(None)).await, workspace(), session(), job).await.unwrap() {
        EffectOutcome::Call { call, attempt, outcome } => {
            assert_eq!((call, attempt), (id, 2));
            outcome
        }
        other => panic!("{other:?}"),
    }
}

const LOST: CallOutcome = CallOutcome::Lost { found_by_start: None, lands_by: None };

#[tokio::test(start_paused = true)]
async fn call_returns_the_executors_outcome() {
    let done = CallOutcome::Succeeded { content: "[]".into(), digest: sha256(b"[]"), files: Vec::new() };
    let asked = CallOutcome::Probed { happened: Some(true), content: "sent".into(), digest: sha256(b"sent") };
    let (runs, asks) = (done.clone(), asked.clone());
    let mut executor = executor(vec![list()]);
    executor.expect_run().withf(|request| request.key == "key").return_once(|_| runs);
    executor.expect_probe_outcome().withf(|request| request.key == "key").return_once(|_| asks);
    let executor: Arc<dyn CommandExecutor> = Arc::new(executor);
    assert_eq!(call(Some(executor.clone()), false).await, done);
    assert_eq!(call(Some(executor), true).await, asked);
}

/// Input: an executor that reports a secret in an endless line, and something else at once; expected: watchers get the
/// beginning of the first report without the secret, and the second one not.
#[tokio::test(start_paused = true)]
async fn progress_is_published_without_secrets_and_bounded() {
    #[derive(Clone, Copy)]
    struct Hush;
    impl SecretScrubberFactory for Hush {
        fn scrubber(&self, _: &[SecretOwner]) -> Arc<dyn Scrubber> {
            Arc::new(*self)
        }
    }
    impl Scrubber for Hush {
        fn scrub_text(&self, text: &str) -> String {
            text.replace("hush-hush", "***")
        }
        fn partial_secret_len(&self, _: &str) -> usize {
            0
        }
    }
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (mut feed, kept) = (MockEventFeed::new(), told.clone());
    feed.expect_publish().returning(move |event| {
        if let FeedEvent::CallProgressed { call, progress, .. } = event {
            kept.lock().unwrap().push((call, progress.text));
        }
    });
    let services = RuntimeServices { feed: Arc::new(feed), secrets: Arc::new(Hush), ..services() };
    let mut reports = executor(vec![list()]);
    reports.expect_run().returning(|request| {
        for text in [format!("with hush-hush\nhere {}", "x".repeat(10_000)), "at once".to_owned()] {
            request.progress.report(CallProgress { text, percent: None });
        }
        LOST
    });
    let job = call_job(Millis::seconds(1), Some(Arc::new(reports)), false);
    perform(effect_context(Arc::new(services)).await, workspace(), session(), job).await.unwrap();
    let told = told.lock().unwrap();
    let [(call, text)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(*call, session().call_id(4, 0));
    assert!(text.starts_with("with *** ↵ here xx") && text.chars().count() == 300, "{text}");
}

#[tokio::test(start_paused = true)]
async fn unanswered_call_times_out_and_drops_its_work() {
    for ask in [false, true] {
        let hangs = HangingExecutor::new(vec![list()]);
        let (begun, dropped) = (hangs.begun.clone(), hangs.dropped.clone());
        let began = tokio::time::Instant::now();
        assert_eq!(call(Some(Arc::new(hangs)), ask).await, CallOutcome::TimedOut);
        assert_eq!(began.elapsed().as_millis(), 1000);
        assert_eq!((begun.load(Ordering::SeqCst), dropped.load(Ordering::SeqCst)), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_of_zero_is_no_limit() {
    let hangs = HangingExecutor::new(vec![list()]);
    let dropped = hangs.dropped.clone();
    let work = within(Millis(0), Some(Arc::new(hangs)), false);
    let day = std::time::Duration::from_secs(86_400);
    assert!(tokio::time::timeout(day, work).await.is_err(), "it is waited for all day");
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "dropping the effect drops the work");
}

#[tokio::test(start_paused = true)]
async fn panicking_executor_gives_unknown_outcome() {
    let mut panics = executor(vec![list()]);
    panics.expect_run().returning(|_| panic!("a bug"));
    panics.expect_probe_outcome().returning(|_| panic!("a bug"));
    let panics: Arc<dyn CommandExecutor> = Arc::new(panics);
    assert_eq!(call(Some(panics.clone()), false).await, LOST);
    assert_eq!(call(Some(panics), true).await, LOST);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_executor_is_gone_is_lost() {
    assert_eq!(call(None, false).await, LOST);
}

pub(super) fn request() -> ModelRequest {
    ModelRequest {
        session: session(),
        model: "sonnet".into(),
        encoding: "".into(),
        system: vec!["You help.".into()],
        turns: Vec::new(),
        tools: Vec::new().into(),
        commands: CommandRequestPolicy::Allowed,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

fn reply(text: &str, end: ReplyEnd) -> ModelReply {
    ModelReply {
        text: text.into(),
        calls: Vec::new(),
        end,
        usage: Some(Usage { input: 10, output: 5, ..Usage::default() }),
        model: None,
        raw: None,
        request_id: None,
        body_digest: None,
    }
}

/// The outcome of a model call.
async fn ask_model(services: Arc<RuntimeServices>, envelope: bool) -> Result<ModelReply, ProviderFailure> {
    let request = Box::new(request());
    let job = EffectJob::Model {
        round: 3,
        attempt: 2,
        provider: "claude".into(),
        tree: None,
        acts_as: None,
        request,
        envelope,
        time: Millis(0),
        trace: "trace".into(),
    };
    match perform(effect_context(services).await, workspace(), session(), job).await.unwrap() {
        EffectOutcome::Model { round: 3, attempt: 2, result } => result,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn model_call_returns_reply_and_streams_its_text() {
    let cases =
        [(false, "Hello", vec!["Hel", "lo"]), (true, "Hello", vec![r#"{"pre_text": "Hel"#, r#"lo"}"#])];
    for (envelope, expected, pieces) in cases {
        let mut model = MockProvider::new();
        model.expect_call().withf(|asked, _| *asked == request()).return_once(move |_, sink| {
            pieces.iter().for_each(|piece| sink.text(piece));
            Ok(reply(&pieces.concat(), ReplyEnd::Done))
        });
        let said = Arc::new(std::sync::Mutex::new(String::new()));
        let heard = said.clone();
        let mut feed = MockEventFeed::new();
        feed.expect_publish().returning(move |event| match event {
            FeedEvent::Said { workspace: at, session: of, round: 3, attempt: 2, text }
                if (&at, &of) == (&workspace(), &session()) =>
            {
                heard.lock().unwrap().push_str(&text);
            }
            other => panic!("{other:?}"),
        });
        let providers = with_model(Some(model)).providers.clone();
        let services = Arc::new(RuntimeServices { providers, feed: Arc::new(feed), ..services() });
        assert_eq!(ask_model(services, envelope).await.unwrap().end, ReplyEnd::Done);
        assert_eq!(*said.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn reasoning_is_streamed_separately_from_text() {
    for envelope in [false, true] {
        let mut model = MockProvider::new();
        model.expect_call().return_once(|_, sink| {
            ["I ", "look."].iter().for_each(|piece| sink.thinking_text(piece));
            Ok(reply("", ReplyEnd::Done))
        });
        let thought = Arc::new(std::sync::Mutex::new(String::new()));
        let heard = thought.clone();
        let mut feed = MockEventFeed::new();
        feed.expect_publish().returning(move |event| match event {
            FeedEvent::Thought { workspace: at, session: of, round: 3, attempt: 2, text }
                if (&at, &of) == (&workspace(), &session()) =>
            {
                heard.lock().unwrap().push_str(&text);
            }
            other => panic!("{other:?}"),
        });
        let providers = with_model(Some(model)).providers.clone();
        let services = Arc::new(RuntimeServices { providers, feed: Arc::new(feed), ..services() });
        ask_model(services, envelope).await.unwrap();
        assert_eq!(*thought.lock().unwrap(), "I look.");
    }
}

#[tokio::test]
async fn model_failure_keeps_its_class() {
    let mut model = MockProvider::new();
    model.expect_call().return_once(|_, _| Err(failure(FailureClass::Throttled)));
    let failed = ask_model(with_model(Some(model)), false).await;
    assert_eq!(failed, Err(failure(FailureClass::Throttled)));
}

#[tokio::test]
async fn a_provider_that_panics_is_a_lost_call() {
    let mut model = MockProvider::new();
    model.expect_call().returning(|_, _| panic!("a bug"));
    let failed = ask_model(with_model(Some(model)), false).await.unwrap_err();
    assert_eq!(failed.class, FailureClass::Lost);
}

/// Sends its pieces at these seconds (`None` = a sign of life only), then nothing more.
struct StallingProvider(Vec<(u64, Option<&'static str>)>);

#[async_trait::async_trait]
impl Provider for StallingProvider {
    fn info(&self) -> ProviderDescription {
        unreachable!("nobody asks")
    }

    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    fn limits(&self, model: &str) -> ModelCallLimits {
        assert_eq!(model, "sonnet");
        ModelCallLimits {
            first_byte: Millis::seconds(10),
            idle: Millis::seconds(4),
            whole: Millis::seconds(30),
        }
    }

    fn body(&self, _: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(Vec::new())
    }

    async fn call(&self, _: ModelRequest, sink: Arc<dyn ReplySink>) -> Result<ModelReply, ProviderFailure> {
        let begun = tokio::time::Instant::now();
        for (at, piece) in &self.0 {
            tokio::time::sleep_until(begun + std::time::Duration::from_secs(*at)).await;
            piece.map_or_else(|| sink.keep_alive(), |piece| sink.text(piece));
        }
        std::future::pending().await
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("silent".into())
    }
}

#[tokio::test(start_paused = true)]
async fn model_call_ends_at_its_limit() {
    let pieces = |seconds: &[u64], piece| seconds.iter().map(|at| (*at, piece)).collect::<Vec<_>>();
    let cases = [
        ("never a word", Vec::new(), 10, "first_byte_timeout_seconds"),
        ("it begins and stalls", pieces(&[1, 3], Some("Hel")), 7, "idle_timeout_seconds"),
        ("it lives without a word and stalls", pieces(&[9, 12, 15], None), 19, "idle_timeout_seconds"),
        (
            "it never comes to an end",
            pieces(&[3, 6, 9, 12, 15, 18, 21, 24, 27, 29], None),
            30,
            "call_timeout",
        ),
    ];
    for (what, pieces, ends, setting) in cases {
        let mut providers = MockProviderRegistry::new();
        let model: Arc<dyn Provider> = Arc::new(StallingProvider(pieces));
        providers.expect_provider().returning(move |_| Ok(model.clone()));
        let mut feed = MockEventFeed::new();
        feed.expect_publish().return_const(());
        let services = RuntimeServices { providers: Arc::new(providers), feed: Arc::new(feed), ..services() };
        let begun = tokio::time::Instant::now();
        let failed = ask_model(Arc::new(services), false).await.unwrap_err();
        assert_eq!((failed.class, begun.elapsed().as_secs()), (FailureClass::Lost, ends), "{what}");
        assert!(failed.message.contains(setting), "{what}: {}", failed.message);
    }
}

#[tokio::test]
async fn unconfigured_provider_fails_before_sending() {
    let failed = ask_model(with_model(None), false).await;
    assert_eq!(failed, Err(failure(FailureClass::Misconfigured)));
}

/// The outcome of a summary made with this method if the model answers like this.
async fn summarize(
    summing: SummaryProgress,
    answer: Result<ModelReply, ProviderFailure>,
) -> Result<Box<CompactionResult>, Box<CompactionFailure>> {
    let mut model = MockProvider::new();
    model.expect_call().return_once(|_, sink| {
        sink.text("nobody watches a summary");
        answer
    });
    let style = PromptStyle::from_settings(&WorkspaceSettings::default(), &RuntimeSettings::default());
    let work = CompactionJob {
        summing,
        dialect: Dialect::Tools,
        conversation: Projection::new(&style),
        record: Arc::default(),
        blocks: Vec::new(),
        plan: None,
        zone: "UTC".into(),
        search: None,
        budget: 20_000,
        request_most: 20_000,
        turns: None,
        pieces: 12,
    };
    let asked = work.summary_request().map(|asked| (asked, Box::new(request())));
    let (provider, work) = ("claude".into(), Box::new(work));
    let (tree, acts_as, trace) = (None, None, "trace".into());
    let job = EffectJob::Compact { round: 3, attempt: 1, provider, tree, acts_as, asked, work, trace };
    match perform(effect_context(with_model(Some(model))).await, workspace(), session(), job).await.unwrap() {
        EffectOutcome::Compaction { round: 3, attempt: 1, result } => result,
        other => panic!("{other:?}"),
    }
}

fn by(method: SummaryMethod, faults: &[&str]) -> SummaryProgress {
    SummaryProgress {
        faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
        ..SummaryProgress::new(method, None)
    }
}

#[tokio::test]
async fn faulty_summary_is_requested_once_more() {
    let usage = Some(Usage { input: 10, output: 5, ..Usage::default() });
    for method in [SummaryMethod::Patch, SummaryMethod::Words] {
        let whole = summarize(by(method, &[]), Ok(reply("Ann is tired.", ReplyEnd::Done))).await.unwrap();
        let notes: Vec<&str> = whole.summary.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!((notes, whole.summary.method, whole.usage), (vec!["Ann is tired."], method, usage));
        for (text, end) in [("Ann is ti", ReplyEnd::OutputLimit { limit: None }), (" \n", ReplyEnd::Done)] {
            let failed = summarize(by(method, &[]), Ok(reply(text, end.clone()))).await.unwrap_err();
            assert!(matches!(&failed.fault, SummaryFault::Faulty(faults) if faults.len() == 2), "{failed:?}");
            let again = summarize(by(method, &["it was cut"]), Ok(reply(text, end))).await.unwrap_err();
            assert_eq!(again.fault, SummaryFault::NoAnswer, "what follows needs no model");
            assert!(again.asked.unwrap().ask.ends_with("it was cut"));
        }
        let failed = summarize(by(method, &[]), Err(failure(FailureClass::Overloaded))).await.unwrap_err();
        assert_eq!((failed.fault, failed.message.as_str()), (SummaryFault::NoAnswer, "it failed"));
    }
}

/// Input: requests for a summary that failed, with the usage that was told; expected: one that the provider never read uses
/// nothing, and the usage of one whose answer broke off is not known, whatever was told before.
#[tokio::test]
async fn failed_summary_uses_what_is_known() {
    let part = Usage { input: 10, output: 5, ..Usage::default() };
    for (class, told, expected) in [
        (FailureClass::Unreachable, None, Some(Usage::default())),
        (FailureClass::Overloaded, Some(part), Some(part)),
        (FailureClass::Lost, None, None),
        (FailureClass::Lost, Some(part), Some(Usage { unknown_attempts: 1, ..part })),
    ] {
        let failed = ProviderFailure { usage: told.map(Box::new), ..failure(class) };
        let failed = summarize(by(SummaryMethod::Words, &[]), Err(failed)).await.unwrap_err();
        assert_eq!(failed.usage, expected, "{class:?}");
    }
}

#[tokio::test]
async fn commands_in_summary_reply_are_not_run() {
    let calls = vec![NativeCall { provider_call_id: "a".into(), name: "x".into(), arguments: "{}".into() }];
    let answer = ModelReply { calls, ..reply("I look.", ReplyEnd::Done) };
    let failed = summarize(by(SummaryMethod::Patch, &[]), Ok(answer)).await.unwrap_err();
    assert!(matches!(failed.fault, SummaryFault::Faulty(_)), "{failed:?}");
}

#[tokio::test]
async fn mechanical_summary_calls_no_model() {
    let failed = Err(failure(FailureClass::Overloaded));
    let done = summarize(by(SummaryMethod::Mechanical, &[]), failed).await.unwrap();
    assert_eq!((done.summary.method, done.asked, done.usage), (SummaryMethod::Mechanical, None, None));
}

/// Knows one secret, in its literal form.
struct SingleSecretScrubber;

const SECRET: &str = "sk-12345";

impl SecretScrubberFactory for SingleSecretScrubber {
    fn scrubber(&self, _: &[SecretOwner]) -> Arc<dyn Scrubber> {
        Arc::new(Self)
    }
}

impl Scrubber for SingleSecretScrubber {
    fn scrub_text(&self, text: &str) -> String {
        text.replace(SECRET, "[secret]")
    }

    fn partial_secret_len(&self, text: &str) -> usize {
        (1..SECRET.len()).rev().find(|count| text.ends_with(&SECRET[..*count])).unwrap_or(0)
    }
}

#[tokio::test]
async fn secret_is_removed_from_stream_and_reply() {
    let whole = "sk-12345 and \u{e9}: sk-12345, sk-1";
    let escaped = r#"{"pre_text": "\u0073k-12345 and é: sk-12345, sk-1"}"#;
    let clean = r#"{"pre_text":"[secret] and é: [secret], sk-1"}"#;
    let shown = "[secret] and \u{e9}: [secret], sk-1";
    for (envelope, said, expected) in [(false, whole, shown), (true, escaped, clean)] {
        let mut model = MockProvider::new();
        model.expect_call().return_once(move |_, sink| {
            said.chars().for_each(|piece| sink.text(&piece.to_string()));
            let arguments = r#"{"a": "\u0073k-12345", "n": 1.10}"#.to_owned();
            let call = NativeCall { provider_call_id: "1".into(), name: "x".into(), arguments };
            let raw = ProviderTurn { dialect: "d".into(), bytes: r#"["thought: sk-12345"]"#.into() };
            Ok(ModelReply { calls: vec![call], raw: Some(raw), ..reply(said, ReplyEnd::Done) })
        });
        let heard = Arc::new(std::sync::Mutex::new(String::new()));
        let words = heard.clone();
        let mut feed = MockEventFeed::new();
        feed.expect_publish().returning(move |event| match event {
            FeedEvent::Said { text, .. } => words.lock().unwrap().push_str(&text),
            other => panic!("{other:?}"),
        });
        let providers = with_model(Some(model)).providers.clone();
        let secrets = Arc::new(SingleSecretScrubber);
        let services = RuntimeServices { providers, secrets, feed: Arc::new(feed), ..services() };
        let reply = ask_model(Arc::new(services), envelope).await.unwrap();
        assert_eq!(*heard.lock().unwrap(), shown);
        assert_eq!(reply.text, expected);
        assert_eq!(reply.calls[0].arguments, r#"{"a":"[secret]","n":1.10}"#);
        assert_eq!(reply.raw, None);
    }
}

#[tokio::test]
async fn raw_blocks_without_a_secret_are_kept() {
    let raw = Some(ProviderTurn { dialect: "d".into(), bytes: r#"["thought \u00e9"]"#.into() });
    let mut model = MockProvider::new();
    let said = raw.clone();
    model
        .expect_call()
        .return_once(move |_, _| Ok(ModelReply { raw: said, ..reply("Hello", ReplyEnd::Done) }));
    let mut services = RuntimeServices::clone(&with_model(Some(model)));
    services.secrets = Arc::new(SingleSecretScrubber);
    assert_eq!(ask_model(Arc::new(services), false).await.unwrap().raw, raw);
}
