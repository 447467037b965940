//! Guarantees for programs that embed the runtime: it shuts down in order, and any call may be dropped at any time.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its runtime has failed")]

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use entracte_application::instructions::{InstructionScope, InstructionSource};
use entracte_application::ports::{Clock, LogReader, MailSender, Provider, SessionFilter};
use entracte_application::runtime::{LocalRuntime, RuntimeServices, StaticProviderRegistry};
use entracte_application::stream::{Cursor, CursorFrame, LiveText, StreamFrame, StreamReadStart};
use entracte_application::use_cases::{
    AttachSession, ChangeSession, DeleteSession, EndSession, EventReader, ForkSession, InstructionUpdate,
    InterruptRound, LeaveSession, MarkRead, NewChat, SendMessage, SessionUpdate, SetInstructions,
    ShowSession, StartChat, UseCaseError, VerifySession,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::time::Millis;
use entracte_tests::fakes::gated_model::GatedFakeModel;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{TokioClock, envelope_line};

const DEADLINE: Millis = Millis::seconds(15);

fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

/// The services of a process on this store.
fn services(
    store: &Arc<MemoryStore>,
    model: &Arc<GatedFakeModel>,
    clock: &Arc<TokioClock>,
) -> Arc<RuntimeServices> {
    let providers = StaticProviderRegistry::new([model.clone() as Arc<dyn Provider>]);
    let services = RuntimeServices::new(store.clone(), Arc::new(providers), &[]).unwrap();
    let clock: Arc<dyn Clock> = clock.clone();
    Arc::new(RuntimeServices { started_at: clock.now(), clock, ..services })
}

async fn started(services: &Arc<RuntimeServices>) -> Arc<LocalRuntime> {
    let owner = services.acquire_ownership().await.unwrap();
    Arc::new(LocalRuntime::start(services.clone(), owner).await.unwrap())
}

async fn send(
    runtime: &Arc<LocalRuntime>,
    session: &SessionId,
    key: &str,
    text: &str,
) -> Result<(), UseCaseError> {
    let (message, key) = (UserMessage::text(text), Some(key.to_owned()));
    let verb = SendMessage::new(runtime.clone() as Arc<dyn MailSender>);
    verb.run(&home(), session, "ann".into(), message, key).await.map(drop)
}

/// The answer in progress is stored before the deadline, or cut at it; then the store is free, and the next runtime
/// answers the open messages.
#[tokio::test(start_paused = true)]
async fn embedder_can_shut_down() {
    let (store, model) = (Arc::new(MemoryStore::new()), Arc::new(GatedFakeModel::default()));
    let clock = Arc::new(TokioClock::default());
    model.model.push_lines([
        envelope_line("At nine."),
        envelope_line("never heard"),
        envelope_line("At six."),
    ]);
    let chat = NewChat::new("First chat", &model.info().name);

    let services_of_one = services(&store, &model, &clock);
    let one = started(&services_of_one).await;
    let session = StartChat::new(one.clone(), services_of_one.ids.clone());
    let session = session.run(&home(), chat).await.unwrap().session;
    send(&one, &session, "k1", "When do you open?").await.unwrap();
    let (ended, ()) = tokio::join!(one.shutdown(DEADLINE), async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        model.let_answer(1);
    });
    assert!(ended && !one.is_owner(), "what ran came to its end");
    let refused = send(&one, &session, "k2", "Are you there?").await;
    assert!(refused.is_err(), "who was shut down takes nothing in");
    // Its value may outlive it; the store is free.
    let services_of_two = services(&store, &model, &clock);
    let two = started(&services_of_two).await;
    send(&two, &session, "k2", "And when do you close?").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(!two.shutdown(DEADLINE).await, "the model never answered, so the call was cut at the deadline");

    model.let_answer(2);
    let services_of_three = services(&store, &model, &clock);
    let _three = started(&services_of_three).await;
    let turn = services_of_three.follow().run_until_idle(&home(), &session, 0).await.unwrap();
    assert_eq!(turn.reply.unwrap().text, "At six.");
    let verify = VerifySession::new(store.clone(), store.clone());
    assert_eq!(verify.run(&home(), &session).await.unwrap(), None);
}

/// Polls this many times, then drops the future.
async fn dropped_after<T>(polls: u32, work: impl Future<Output = T>) {
    let mut work = Box::pin(work);
    for _ in 0..polls {
        if Pin::as_mut(&mut work).poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// A dropped call, at any poll, has taken effect completely or not at all; repeated under the same id or key it takes
/// effect once.
#[tokio::test(start_paused = true)]
async fn a_dropped_use_case_loses_nothing() {
    for polls in 0..8 {
        let (store, model) = (Arc::new(MemoryStore::new()), Arc::new(GatedFakeModel::default()));
        let clock = Arc::new(TokioClock::default());
        model.model.push_lines((0..9).map(|_| envelope_line("At nine.")));
        let services = services(&store, &model, &clock);
        let runtime = started(&services).await;
        let (home, session) = (home(), SessionId::new("ses_mine"));

        let start = StartChat::new(runtime.clone(), services.ids.clone());
        let chat = || NewChat::new("First chat", &model.info().name);
        dropped_after(polls, start.run_as(&home, session.clone(), chat())).await;
        start.run_as(&home, session.clone(), chat()).await.unwrap();

        dropped_after(polls, send(&runtime, &session, "k1", "When do you open?")).await;
        send(&runtime, &session, "k1", "When do you open?").await.unwrap();
        model.let_answer(1);
        services.follow().run_until_idle(&home, &session, 0).await.unwrap();
        assert_eq!(model.asked(), 1, "dropped after {polls} polls: one message, one answer");

        let change = ChangeSession::new(runtime.clone(), store.clone());
        let named = |name: &str| SessionUpdate { name: Some(name.to_owned()), ..SessionUpdate::default() };
        dropped_after(polls, change.run(&home, &session, "ann".into(), named("Opening hours"))).await;
        let shown = ShowSession::new(store.clone());
        let name = shown.run(&home, &session).await.unwrap().facts.name;
        assert!(name == "First chat" || name == "Opening hours", "dropped after {polls} polls: {name}");
        change.run(&home, &session, "ann".into(), named("Opening hours")).await.unwrap();

        send(&runtime, &session, "k2", "And on Sundays?").await.unwrap();
        let interrupt = InterruptRound::new(runtime.clone());
        dropped_after(polls, interrupt.run(&home, &session, "ann".into())).await;
        // If the session is interrupted already, the call is refused with that reason.
        let _ = interrupt.run(&home, &session, "ann".into()).await;
        let end = EndSession::new(runtime.clone());
        dropped_after(polls, end.run(&home, &session, "ann".into())).await;
        let _ = end.run(&home, &session, "ann".into()).await;

        let shown = shown.run(&home, &session).await.unwrap();
        assert_eq!(shown.facts.name, "Opening hours");
        let verify = VerifySession::new(store.clone(), store.clone());
        assert_eq!(verify.run(&home, &session).await.unwrap(), None, "dropped after {polls} polls");
        assert!(runtime.shutdown(DEADLINE).await, "nothing hangs after what was dropped");
    }
}

/// Each use case as its documentation says: repeated after a drop it is idempotent, or refused, or creates one more.
#[tokio::test(start_paused = true)]
async fn repeated_calls_after_drop_behave_as_documented() {
    for polls in 0..8 {
        let (store, model) = (Arc::new(MemoryStore::new()), Arc::new(GatedFakeModel::default()));
        let clock = Arc::new(TokioClock::default());
        let services = services(&store, &model, &clock);
        let runtime = started(&services).await;
        let (home, session) = (home(), SessionId::new("ses_mine"));
        let start = StartChat::new(runtime.clone(), services.ids.clone());
        let chat = NewChat::new("First chat", &model.info().name);
        start.run_as(&home, session.clone(), chat).await.unwrap();

        // The same text makes no second version; with the earlier version as base it is refused.
        let set = SetInstructions::new(runtime.clone());
        let telling = |expected| InstructionUpdate {
            text: Some("Be brief.".into()),
            source: InstructionSource::Written,
            expected,
        };
        dropped_after(polls, set.run(&home, InstructionScope::Workspace, "ann".into(), telling(None))).await;
        set.run(&home, InstructionScope::Workspace, "ann".into(), telling(None)).await.unwrap();
        let versions =
            store.versions_of_instructions(&home, &InstructionScope::Workspace, None, 9).await.unwrap();
        assert_eq!(versions.len(), 1, "dropped after {polls} polls");
        let late = set.run(&home, InstructionScope::Workspace, "ann".into(), telling(Some(0))).await;
        assert!(matches!(late, Err(UseCaseError::Conflict(_))), "{late:?}");

        // Attaching and marking are idempotent.
        let (open, leave) = (AttachSession::new(runtime.clone()), LeaveSession::new(runtime.clone()));
        dropped_after(polls, open.run(&home, &session, "ann".into(), "phone".into())).await;
        open.run(&home, &session, "ann".into(), "phone".into()).await.unwrap();
        let shown = ShowSession::new(store.clone());
        assert_eq!(shown.run(&home, &session).await.unwrap().facts.attached.len(), 1);
        dropped_after(polls, leave.run(&home, &session, "ann".into(), "phone".into())).await;
        leave.run(&home, &session, "ann".into(), "phone".into()).await.unwrap();
        assert_eq!(shown.run(&home, &session).await.unwrap().facts.attached.len(), 0);
        let mark = MarkRead::new(runtime.clone());
        dropped_after(polls, mark.run(&home, &session, "ann".into(), 1)).await;
        mark.run(&home, &session, "ann".into(), 1).await.unwrap();

        // A fork draws its id, so a repeated call creates one more if the first was posted.
        let fork = ForkSession::new(runtime.clone(), store.clone(), services.ids.clone());
        let forked = || fork.run(&home, &session, "ann".into(), None, Some("Fork".into()));
        dropped_after(polls, forked()).await;
        forked().await.unwrap();
        let all = SessionFilter { workspace: Some(home.clone()), ..SessionFilter::default() };
        let forks = store.sessions(&all).await.unwrap().rows.iter().filter(|row| row.name == "Fork").count();
        assert!((1..=2).contains(&forks), "dropped after {polls} polls: {forks}");
        assert!(polls > 0 || forks == 1, "what was never polled is not done");

        // A deleted session is not found.
        let delete = DeleteSession::new(runtime.clone());
        dropped_after(polls, delete.run(&home, &session, "ann".into())).await;
        let again = delete.run(&home, &session, "ann".into()).await;
        assert!(matches!(again, Ok(()) | Err(UseCaseError::NotFound(_))), "{again:?}");
        let gone = shown.run(&home, &session).await.err().unwrap();
        assert!(matches!(gone, UseCaseError::NotFound(_)), "{gone}");
        assert!(runtime.shutdown(DEADLINE).await, "nothing hangs after what was dropped");
    }
}

/// The frames for a reader, without the transient ones.
fn durable(told: Vec<CursorFrame>) -> Vec<StreamFrame> {
    told.into_iter().filter(|told| told.at.is_some()).map(|told| told.frame).collect()
}

/// All frames until a session rests, read by calls of which some are dropped after this many polls.
async fn read_with_drops(mut reader: EventReader, polls: u32, entries: usize) -> Vec<StreamFrame> {
    let mut frames = Vec::new();
    while frames.iter().filter(|frame| matches!(frame, StreamFrame::Entry(_))).count() < entries {
        let mut kept = None;
        dropped_after(polls, async { kept = Some(reader.wait_for_frames().await.unwrap()) }).await;
        let told = match kept {
            Some(told) => told,
            None => reader.wait_for_frames().await.unwrap(),
        };
        frames.extend(durable(told));
    }
    frames
}

/// A reader whose calls are dropped at any poll gets every frame that another reader gets, and none twice.
#[tokio::test(start_paused = true)]
async fn dropped_reader_misses_nothing() {
    let (store, model) = (Arc::new(MemoryStore::new()), Arc::new(GatedFakeModel::default()));
    let clock = Arc::new(TokioClock::default());
    model.model.push_lines((0..3).map(|_| envelope_line("At nine.")));
    let live = Arc::new(LiveText::default());
    let services = services(&store, &model, &clock);
    let services = Arc::new(RuntimeServices { feed: live.clone(), ..(*services).clone() });
    let runtime = started(&services).await;
    let (home, session) = (home(), SessionId::new("ses_mine"));
    let start = StartChat::new(runtime.clone(), services.ids.clone());
    let chat = NewChat::new("First chat", &model.info().name);
    start.run_as(&home, session.clone(), chat).await.unwrap();
    let events = services.events(live);
    let from = |cursor| events.open(&home, Some(&session), StreamReadStart::At(cursor), None);
    send(&runtime, &session, "k1", "When do you open?").await.unwrap();
    model.let_answer(1);
    services.follow().run_until_idle(&home, &session, 0).await.unwrap();
    let entries = store.entries(&home, &session, 0, 100).await.unwrap().len();
    let told = read_with_drops(from(Cursor::default()).await.unwrap(), u32::MAX, entries).await;
    assert!(entries > 3, "{told:?}");
    for polls in 0..6 {
        let reader = from(Cursor::default()).await.unwrap();
        let again = read_with_drops(reader, polls, entries).await;
        assert_eq!(again, told, "dropped after {polls} polls");
    }
}
