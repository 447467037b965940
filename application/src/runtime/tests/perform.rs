use std::sync::Arc;
use std::sync::atomic::Ordering;

use entracte_domain::command::CallOutcome;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use crate::commands::Attempt;
use crate::commands::request_for;
use crate::kit::{Hangs, LIST, NOON, Story, command, executor, house, list, session};
use crate::ports::*;
use crate::runtime::{House, Job, Outcome, perform};
use crate::settings::Locale;
use crate::system::sha256;

/// A house that only performs, with this model.
fn with_model(model: Option<MockProvider>) -> Arc<House> {
    let model = model.map(|model| Arc::new(model) as Arc<dyn Provider>);
    let mut providers = MockProviderRegistry::new();
    providers.expect_provider().returning(move |name| {
        assert_eq!(name, "claude");
        model.clone().ok_or_else(|| failure(FailureClass::Misconfigured))
    });
    Arc::new(House { providers: Arc::new(providers), ..house() })
}

fn failure(class: FailureClass) -> ProviderFailure {
    ProviderFailure { class, message: "it failed".into(), retry_after: None, usage: None }
}

/// What comes of a call that this executor runs (or is asked about), within one second.
async fn call(executor: Option<Arc<dyn CommandExecutor>>, ask: bool) -> CallOutcome {
    within(Millis::seconds(1), executor, ask).await
}

async fn within(timeout: Millis, executor: Option<Arc<dyn CommandExecutor>>, ask: bool) -> CallOutcome {
    let id = session().call(4, 0);
    let request = request_for(
        &Story::chat().facts,
        Locale::default(),
        &id,
        &command(LIST),
        Attempt { key: "key".into(), number: 2 },
        NOON,
    );
    let job = Job::Call {
        call: id.clone(),
        attempt: 2,
        ask,
        executor,
        request: Box::new(request),
        timeout,
        name: LIST.into(),
    };
    match perform(with_model(None), session(), job).await {
        Outcome::Call { call, attempt, outcome } => {
            assert_eq!((call, attempt), (id, 2));
            outcome
        }
        other => panic!("{other:?}"),
    }
}

const LOST: CallOutcome = CallOutcome::Lost { found_by_start: None };

#[tokio::test(start_paused = true)]
async fn a_call_gives_what_its_executor_says() {
    let done = CallOutcome::Succeeded { content: "[]".into(), digest: sha256(b"[]") };
    let asked = CallOutcome::Probed { happened: Some(true), content: "sent".into(), digest: sha256(b"sent") };
    let (runs, asks) = (done.clone(), asked.clone());
    let mut executor = executor(vec![list()]);
    executor.expect_run().withf(|request| request.key == "key").return_once(|_| runs);
    executor.expect_ask().withf(|request| request.key == "key").return_once(|_| asks);
    let executor: Arc<dyn CommandExecutor> = Arc::new(executor);
    assert_eq!(call(Some(executor.clone()), false).await, done);
    assert_eq!(call(Some(executor), true).await, asked);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_times_out_and_its_work_is_really_dropped() {
    for ask in [false, true] {
        let hangs = Hangs::new(vec![list()]);
        let (begun, dropped) = (hangs.begun.clone(), hangs.dropped.clone());
        let began = tokio::time::Instant::now();
        assert_eq!(call(Some(Arc::new(hangs)), ask).await, CallOutcome::TimedOut);
        assert_eq!(began.elapsed().as_millis(), 1000);
        assert_eq!((begun.load(Ordering::SeqCst), dropped.load(Ordering::SeqCst)), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_of_zero_is_no_limit() {
    let hangs = Hangs::new(vec![list()]);
    let dropped = hangs.dropped.clone();
    let work = within(Millis(0), Some(Arc::new(hangs)), false);
    let day = std::time::Duration::from_secs(86_400);
    assert!(tokio::time::timeout(day, work).await.is_err(), "it is waited for all day");
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "dropping the effect drops the work");
}

#[tokio::test(start_paused = true)]
async fn an_executor_that_panics_leaves_an_outcome_that_nobody_knows() {
    let mut panics = executor(vec![list()]);
    panics.expect_run().returning(|_| panic!("a bug"));
    panics.expect_ask().returning(|_| panic!("a bug"));
    let panics: Arc<dyn CommandExecutor> = Arc::new(panics);
    assert_eq!(call(Some(panics.clone()), false).await, LOST);
    assert_eq!(call(Some(panics), true).await, LOST);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_executor_is_gone_is_lost() {
    assert_eq!(call(None, false).await, LOST);
}

fn request() -> ModelRequest {
    ModelRequest {
        session: session(),
        model: "sonnet".into(),
        encoding: "".into(),
        system: vec!["You help.".into()],
        turns: Vec::new(),
        tools: Vec::new().into(),
        commands: CommandUse::Allowed,
        output: OutputShape::Text,
        written: Written::default(),
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

/// What comes of a model call.
async fn ask_model(house: Arc<House>, envelope: bool) -> Result<ModelReply, ProviderFailure> {
    let request = Box::new(request());
    let job = Job::Model { round: 3, attempt: 2, provider: "claude".into(), request, envelope };
    match perform(house, session(), job).await {
        Outcome::Model { round: 3, attempt: 2, result } => result,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_model_call_gives_the_whole_reply_and_its_words_to_those_who_watch() {
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
        let mut feed = MockFeed::new();
        feed.expect_publish().returning(move |event| match event {
            FeedEvent::Said { session: of, round: 3, attempt: 2, text } if of == session() => {
                heard.lock().unwrap().push_str(&text);
            }
            other => panic!("{other:?}"),
        });
        let providers = with_model(Some(model)).providers.clone();
        let house = Arc::new(House { providers, feed: Arc::new(feed), ..house() });
        assert_eq!(ask_model(house, envelope).await.unwrap().end, ReplyEnd::Done);
        assert_eq!(*said.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn a_failure_of_the_model_is_passed_on_as_it_was_classified() {
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

#[tokio::test]
async fn a_provider_that_is_not_configured_fails_before_anything_is_sent() {
    let failed = ask_model(with_model(None), false).await;
    assert_eq!(failed, Err(failure(FailureClass::Misconfigured)));
}

/// What comes of a compaction, when the model answers so.
async fn compact(answer: Result<ModelReply, ProviderFailure>) -> Result<(String, Option<Usage>), String> {
    let mut model = MockProvider::new();
    model.expect_call().return_once(|_, sink| {
        sink.text("nobody watches a summary");
        answer
    });
    let request = Box::new(request());
    let job = Job::Compact { round: 3, attempt: 1, provider: "claude".into(), request };
    match perform(with_model(Some(model)), session(), job).await {
        Outcome::Compaction { round: 3, attempt: 1, result } => result,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_summary_is_whole_or_none() {
    let usage = Some(Usage { input: 10, output: 5, ..Usage::default() });
    let whole = compact(Ok(reply("Ann weighs 72.5 kg.", ReplyEnd::Done))).await;
    assert_eq!(whole, Ok(("Ann weighs 72.5 kg.".into(), usage)));
    let none = Err("the summary was empty or cut".to_owned());
    assert_eq!(compact(Ok(reply("Ann wei", ReplyEnd::Cut))).await, none);
    assert_eq!(compact(Ok(reply(" \n", ReplyEnd::Done))).await, none);
    assert_eq!(compact(Err(failure(FailureClass::Overloaded))).await, Err("it failed".into()));
}
