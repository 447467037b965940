//! The context budget, end to end: a model behind a strict server that counts its input.

use std::sync::Arc;

use entracte_application::instructions::{InstructionScope, InstructionSource};
use entracte_application::journal::JournalEntry;
use entracte_application::ports::{CommandExecutor, SessionFilter};
use entracte_application::use_cases::{
    ChangeSession, CompactSession, InstructionUpdate, MeasureContext, NewChat, RebuildPrompt,
    RequestDigestCheck, SendMessage, SessionUpdate, SetInstructions, StartChat, UseCaseError,
};
use entracte_domain::id::SessionId;
use entracte_domain::message::{Message, MessageBody, SystemKind, UserMessage};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Input, JournalNote, LogAppend, SessionLimit, SummaryMethod};
use entracte_tests::runtime_fixture::RuntimeFixture;
use entracte_tests::strict::FakeProviderServer;

use super::fixture::{PromptFixture, change_voice};
use super::recording_model::NamedProviderRegistry;
use super::token_spending_model::{
    LongResultExecutor, MODEL, MeteredModelRequest, TokenSpendingModel, width,
};

/// The summary of a model that notes nothing.
const NOTHING: &str = "{}";

/// A running process with this model and executor on this budget.
async fn life(
    scene: &mut PromptFixture,
    model: &Arc<TokenSpendingModel>,
    budget: u32,
    messages: u32,
) -> RuntimeFixture {
    let world: Arc<dyn CommandExecutor> = Arc::new(LongResultExecutor::default());
    scene.set_executors(vec![world]);
    scene.change_rules(|rules| {
        rules.context_tokens = budget;
        rules.history_messages = messages;
        (rules.rounds, rules.relaunches, rules.without_progress) = (0, 0, 0);
    });
    scene.life_with(NamedProviderRegistry::single_provider("fake", model.clone())).await
}

async fn start(life: &RuntimeFixture) -> Result<SessionId, UseCaseError> {
    let chat = NewChat {
        name: "test".into(),
        provider: "fake".into(),
        model: MODEL.into(),
        dialect: Dialect::Tools,
        require_validation: false,
        restriction: Restriction::Open,
        mode: None,
    };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    Ok(start.run(&life.workspace, chat).await?.session)
}

async fn chat(life: &RuntimeFixture) -> SessionId {
    start(life).await.unwrap()
}

/// Every request was sent, and is rebuilt byte for byte, including those for summaries.
async fn all_are_rebuilt(
    scene: &PromptFixture,
    life: &RuntimeFixture,
    session: &SessionId,
    model: &Arc<TokenSpendingModel>,
) {
    let (store, log) = (life.services.store.clone(), life.services.log.clone());
    let providers = NamedProviderRegistry::single_provider("fake", model.clone());
    let rebuild = RebuildPrompt::new(store, log, providers, scene.settings.clone());
    let calls = rebuild.calls(&life.workspace, session).await.unwrap();
    assert_eq!(calls.len(), model.all().len());
    for (call, sent) in calls.iter().zip(model.all()) {
        let rebuilt = rebuild.run(&life.workspace, call.id.as_str()).await.unwrap();
        assert_eq!(call.asked.is_some(), sent.asks, "{}", call.id);
        assert!(matches!(rebuilt.digests(), Some(RequestDigestCheck::Match(_))), "{}", call.id);
    }
}

/// The requests of the work itself, without those for summaries.
fn work(all: &[MeteredModelRequest]) -> impl Iterator<Item = &MeteredModelRequest> {
    all.iter().filter(|sent| !sent.asks)
}

/// The methods of the summaries of a session, in order.
pub(crate) async fn methods(life: &RuntimeFixture, session: &SessionId) -> Vec<SummaryMethod> {
    let entries = life.entries(session).await;
    let summaries = entries.iter().filter_map(|entry| match &entry.input {
        Input::ContextCompacted { summary, .. } => Some(summary.method),
        _ => None,
    });
    summaries.collect()
}

/// Lets the model read more, message after message, until there are this many summaries.
async fn go_on_until(
    life: &RuntimeFixture,
    session: &SessionId,
    model: &TokenSpendingModel,
    summaries: usize,
) {
    let mut messages = 0;
    while methods(life, session).await.len() < summaries {
        messages += 1;
        assert!(messages < 40, "there is no summary {summaries}");
        model.add_looks(3);
        life.send_and_wait(session, &format!("Go on, part {messages}.")).await;
    }
}

/// Input: 300 rounds with results of 2 to 20 kB on a budget of 20,000 tokens; expected: the strict server accepts every
/// request, and none exceeds the budget, of the work or for a summary.
#[tokio::test(start_paused = true)]
async fn three_hundred_rounds_stay_within_the_budget() {
    const BUDGET: u64 = 20_000;
    let note = r#"{"add":[{"kind":"fact","text":"Nothing of note so far."}]}"#;
    let model = Arc::new(TokenSpendingModel::new(200_000, 300, 1, &[note, NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, u32::try_from(BUDGET).unwrap(), 0).await;
    let session = chat(&life).await;
    life.send_and_wait(&session, "Look at everything, and say when something is of note.").await;
    let all = model.all();
    let largest = all.iter().map(|sent| sent.tokens).max().unwrap();
    assert_eq!(work(&all).count(), 301);
    assert!(largest <= BUDGET, "{largest}");

    let first = all[0].tokens;
    let mut grown = (0..=300_u64)
        .map(|round| first + (1..=round).map(|look| (width(look) + 250) * 270 / 1_000).sum::<u64>());
    let (without, last) = (grown.clone().sum::<u64>(), grown.next_back().unwrap());
    let with: u64 = all.iter().map(|sent| sent.tokens).sum();
    let cached: u64 = all.iter().map(|sent| sent.cached).sum();
    let summaries = all.iter().filter(|sent| sent.asks).count();
    println!(
        "300 rounds: {with} tokens sent, {} % of them cached, {summaries} summaries, largest {largest}; \
         without: {without}, the last request {last}",
        cached * 100 / with
    );
    assert!(with * 4 < without, "{with} {without}");
    assert!(methods(&life, &session).await.iter().all(|method| *method == SummaryMethod::Patch));
    life.verify(&session).await;
}

/// Input: results of 2 to 20 kB on small budgets, and a model whose summaries are sound, faulty, or long and faulty, so that
/// the second request quotes them; expected: no request for a summary exceeds the budget, and each is rebuilt byte for
/// byte.
#[tokio::test(start_paused = true)]
async fn summary_requests_stay_within_the_budget() {
    let note = r#"{"add":[{"kind":"fact","text":"Nothing of note so far."}]}"#;
    let faulty = format!(r#"{{"add":"{}"}}"#, "very long ".repeat(390));
    for budget in [12_000, 20_000] {
        for summaries in [[note, NOTHING, note], [faulty.as_str(), note, NOTHING], [&faulty, &faulty, note]] {
            let model = Arc::new(TokenSpendingModel::new(200_000, 20, 1, &summaries));
            let mut scene = PromptFixture::new();
            let life = life(&mut scene, &model, budget, 0).await;
            let session = chat(&life).await;
            life.send_and_wait(&session, &format!("Look at everything. {}", "Slowly. ".repeat(800))).await;
            let all = model.all();
            let asks: Vec<u64> = all.iter().filter(|sent| sent.asks).map(|sent| sent.tokens).collect();
            assert!(asks.len() > 3, "{budget}: {asks:?}");
            assert!(asks.iter().all(|tokens| *tokens <= u64::from(budget)), "{budget}: {asks:?}");
            all_are_rebuilt(&scene, &life, &session, &model).await;
            life.verify(&session).await;
        }
    }
}

/// Input: a chat whose first part is summarized; expected: the summary says how many messages, answers and results are no
/// longer in the prompt.
#[tokio::test(start_paused = true)]
async fn summary_says_what_it_leaves_out() {
    let model = Arc::new(TokenSpendingModel::new(200_000, 2, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 20_000, 0).await;
    let session = chat(&life).await;
    life.send_and_wait(&session, "Look twice.").await;
    go_on_until(&life, &session, &model, 3).await;
    let entries = life.entries(&session).await;
    let summaries = entries.iter().filter_map(|entry| match &entry.input {
        Input::ContextCompacted { summary, .. } => Some((entry.sequence, summary)),
        _ => None,
    });
    let mut most = 0;
    for (at, summary) in summaries {
        let kept_from = summary.kept_from.unwrap();
        let left = || entries.iter().filter(|entry| entry.sequence < kept_from);
        let messages = left().filter(|entry| matches!(entry.input, Input::UserMessageSent(_))).count();
        let is_later = |entry: &&JournalEntry| entry.sequence >= kept_from && entry.sequence < at;
        let is_message = |entry: &JournalEntry| matches!(entry.input, Input::UserMessageSent(_));
        // The last message stays whole wherever it stands.
        let whole = usize::from(!entries.iter().filter(is_later).any(is_message));
        let answers = left().filter(|entry| matches!(entry.input, Input::AiResponseReceived(_))).count();
        let results = left().flat_map(|entry| entry.messages()).map(|message| match message.body {
            MessageBody::System(system) => system.results.len(),
            _ => 0,
        });
        let results: usize = results.sum();
        let counted = |count: usize, one: &str, other: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {other}"),
        };
        let messages = counted(messages - whole, "message of a person", "messages of people");
        let says = format!(
            "No longer here in full: {messages}, {answers} of your answers and {}.",
            counted(results, "result", "results")
        );
        most = most.max(answers.min(results));
        assert!(summary.text.contains(&says), "{says}\n{}", summary.text);
    }
    assert!(most > 2, "{most}");
}

/// Input: several calls in a reply, on a small budget, behind the strict server of every kind; expected: it accepts
/// every request, and each is rebuilt byte for byte, including those for summaries.
#[tokio::test(start_paused = true)]
async fn compaction_keeps_calls_paired() {
    for server in FakeProviderServer::ALL.into_iter().filter(|server| server.tools) {
        let kind = server.kind;
        let model = Arc::new(TokenSpendingModel::with_strict_server(server, 200_000, (15, 3), &[NOTHING]));
        let mut scene = PromptFixture::new();
        let life = life(&mut scene, &model, 20_000, 0).await;
        let session = chat(&life).await;
        life.send_and_wait(&session, "Look at everything.").await;
        assert!(methods(&life, &session).await.len() > 1, "{kind}");
        all_are_rebuilt(&scene, &life, &session, &model).await;
    }
}

/// Input: a conversation of some 50,000 tokens, and a model that from then on reads 20,000 at once; expected: every
/// result is read, in pieces that fit, with a note each, and the work continues from one summary.
#[tokio::test(start_paused = true)]
async fn a_conversation_larger_than_the_window_is_read_in_pieces() {
    let summaries: Vec<String> = (1..=16)
        .map(|n| format!(r#"{{"add":[{{"kind":"fact","text":"Piece number {n} was dull."}}]}}"#))
        .collect();
    let summaries: Vec<&str> = summaries.iter().map(String::as_str).collect();
    let model = Arc::new(TokenSpendingModel::new(400_000, 18, 1, &summaries));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 0, 0).await;
    let session = chat(&life).await;
    life.send_and_wait(&session, "Look at everything.").await;
    assert!(methods(&life, &session).await.is_empty());
    model.set_window(20_000);
    life.send_and_wait(&session, "And now?").await;

    assert_eq!(methods(&life, &session).await, [SummaryMethod::Words]);
    let asked: Vec<MeteredModelRequest> = model.all().into_iter().filter(|sent| sent.asks).collect();
    assert!((4..=16).contains(&asked.len()), "{}", asked.len());
    assert!(
        asked.iter().all(|sent| sent.tokens <= 20_000),
        "{:?}",
        asked.iter().map(|sent| sent.tokens).max()
    );
    let read: String = asked.iter().map(|sent| String::from_utf8(sent.body.clone()).unwrap()).collect();
    for look in 1..=18 {
        assert!(read.contains(&format!("line of look {look},")), "{look}");
    }
    let last = model.all().pop().unwrap();
    let last = String::from_utf8(last.body).unwrap();
    for piece in 1..=asked.len() {
        assert!(last.contains(&format!("Piece number {piece} was dull.")), "{piece}");
    }
    all_are_rebuilt(&scene, &life, &session, &model).await;
    life.verify(&session).await;
}

/// Input: a conversation that fits for one model, and another model that counts it larger; expected: it is summarized
/// from text, because none of it is in the other model's cache. Without a model change, the session's own request asks
/// for the summary at its end.
#[tokio::test(start_paused = true)]
async fn changed_model_is_summarized_from_text() {
    for (other, expected) in [(Some("claude-sonnet-5"), SummaryMethod::Words), (None, SummaryMethod::Patch)] {
        let model = Arc::new(TokenSpendingModel::new(400_000, 18, 1, &[NOTHING]));
        let mut scene = PromptFixture::new();
        let life = life(&mut scene, &model, 60_000, 0).await;
        let session = chat(&life).await;
        life.send_and_wait(&session, "Look at everything.").await;
        assert!(methods(&life, &session).await.is_empty());
        match other {
            Some(other) => change_voice(&life, &session, other, Dialect::Tools).await,
            None => model.add_looks(4),
        }
        life.send_and_wait(&session, "And now?").await;
        assert_eq!(methods(&life, &session).await, [expected], "{other:?}");
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, UseCaseError>) -> String {
    match result {
        Err(UseCaseError::Invalid(text)) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

async fn tell(life: &RuntimeFixture, scope: InstructionScope, text: &str) -> Result<(), UseCaseError> {
    let set = SetInstructions::new(life.mail_sender.clone());
    let telling =
        InstructionUpdate { text: Some(text.to_owned()), source: InstructionSource::Written, expected: None };
    set.run(&life.workspace, scope, "ann".into(), telling).await
}

/// Input: a model with such a small window that the data that is always sent leaves no room; expected: no session is
/// created, and the refusal contains the numbers, the largest part and the remedies. Instructions that take the room
/// are refused too, in every scope; shorter ones are accepted.
#[tokio::test(start_paused = true)]
async fn what_is_always_sent_has_its_share_when_it_is_configured() {
    let model = Arc::new(TokenSpendingModel::new(1_000, 0, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 80_000, 0).await;
    let text = refusal(start(&life).await);
    assert!(text.contains("at most 280") && text.contains("budget of 700"), "{text}");
    assert!(text.contains("limits.context_tokens"), "{text}");
    assert!(life.services.log.sessions(&SessionFilter::default()).await.unwrap().rows.is_empty());

    model.set_window(20_000);
    let session = chat(&life).await;
    let long = "Speak of the weather only where somebody asks. ".repeat(600);
    let short = "Speak of the weather.";
    for scope in [InstructionScope::Workspace, InstructionScope::Session(session.clone())] {
        let text = refusal(tell(&life, scope.clone(), &long).await);
        assert!(text.contains(&format!("the instructions of the {}", scope.kind())), "{text}");
        tell(&life, scope, short).await.unwrap();
    }
    let changed = refusal({
        model.set_window(1_000);
        let change = SessionUpdate { model: Some("claude-sonnet-5".into()), ..SessionUpdate::default() };
        let set = ChangeSession::new(life.mail_sender.clone(), life.services.store.clone());
        set.run(&life.workspace, &session, "ann".into(), change).await
    });
    assert!(changed.contains("claude-sonnet-5"), "{changed}");
}

/// Input: a running session whose model reads less from now on; expected: it is reported with its largest part.
#[tokio::test(start_paused = true)]
async fn a_prefix_that_grew_too_large_is_shown() {
    let model = Arc::new(TokenSpendingModel::new(30_000, 0, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 80_000, 0).await;
    let session = chat(&life).await;
    life.send_and_wait(&session, "Hello.").await;
    let services = &life.services;
    let measure = MeasureContext::new(
        services.store.clone(),
        services.log.clone(),
        services.providers.clone(),
        services.settings.clone(),
        services.rules.clone(),
    );
    assert_eq!(measure.run(&life.workspace, &session).await.unwrap().overweight, None);
    model.set_window(2_000);
    let heavy = measure.run(&life.workspace, &session).await.unwrap().overweight.unwrap();
    assert!(heavy.tokens > heavy.most && heavy.most == heavy.budget / 5 * 2, "{heavy:?}");
    assert!(heavy.part_tokens > 0 && !heavy.part_name().is_empty(), "{heavy:?}");
}

/// Input: messages of about 8,000 and 14,000 tokens on a budget of 20,000; expected: the larger one is refused with
/// both numbers and changes nothing; the other one is accepted.
#[tokio::test(start_paused = true)]
async fn a_message_beyond_half_of_the_budget_is_refused() {
    let model = Arc::new(TokenSpendingModel::new(200_000, 0, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 20_000, 0).await;
    let session = chat(&life).await;
    let before = life.entries(&session).await.len();
    let send = SendMessage::new(life.mail_sender.clone());
    let message = UserMessage::text("word ".repeat(12_000));
    let text = refusal(send.run(&life.workspace, &session, "ann".into(), message, None).await);
    assert!(
        text.contains("14400") && text.contains("10000") && text.contains("keep it as a document"),
        "{text}"
    );
    assert_eq!(life.entries(&session).await.len(), before);
    life.send_and_wait(&session, &"word ".repeat(6_500)).await;
    assert_eq!(model.all().len(), 1);
}

/// The messages that a reader sees, without the line that marks a compaction.
fn read(messages: Vec<Message>) -> Vec<MessageBody> {
    let is_line = |body: &MessageBody| matches!(body, MessageBody::System(system) if system.kind == SystemKind::ContextSummary);
    messages.into_iter().map(|message| message.body).filter(|body| !is_line(body)).collect()
}

/// Input: the same session on a small budget and on a large one; expected: a reader sees the same messages.
#[tokio::test(start_paused = true)]
async fn compaction_is_invisible_to_the_reader() {
    let mut seen = Vec::new();
    for budget in [20_000, 0] {
        let model = Arc::new(TokenSpendingModel::new(1_000_000, 20, 1, &[NOTHING]));
        let mut scene = PromptFixture::new();
        let life = life(&mut scene, &model, budget, 0).await;
        let session = chat(&life).await;
        life.send_and_wait(&session, "Look at everything.").await;
        model.add_looks(5);
        life.send_and_wait(&session, "And again.").await;
        assert_eq!(methods(&life, &session).await.is_empty(), budget == 0);
        let messages = life.entries(&session).await.iter().flat_map(|entry| entry.messages()).collect();
        let mut bodies = read(messages);
        for body in &mut bodies {
            // The ids of calls count the model calls of the fake.
            if let MessageBody::Ai(said) = body {
                (said.provider_turn, said.own_calls) = (None, Vec::new());
                said.queries.clear();
            }
        }
        seen.push(bodies.len());
        assert!(
            bodies
                .iter()
                .any(|body| matches!(body, MessageBody::Ai(said) if said.original == "That is all."))
        );
    }
    assert_eq!(seen[0], seen[1]);
}

/// Input: a model whose window becomes smaller than the data that is always sent; expected: nothing is sent, the limit
/// is reported with its numbers, and the chat rests; the same at the next message.
#[tokio::test(start_paused = true)]
async fn small_window_never_loops() {
    let model = Arc::new(TokenSpendingModel::new(30_000, 5, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 80_000, 0).await;
    let session = chat(&life).await;
    model.set_window(1_000);
    for (text, times) in [("Look.", 1), ("Look again.", 2)] {
        life.send_and_wait(&session, text).await;
        assert_eq!(life.phase(&session).await, "IDLE");
        let entries = life.entries(&session).await;
        let limits: Vec<(u64, u64)> = entries
            .iter()
            .flat_map(|entry| &entry.appended)
            .filter_map(|appended| match appended {
                LogAppend::Note(JournalNote::LimitReached(SessionLimit::Context { size, budget })) => {
                    Some((*size, *budget))
                }
                _ => None,
            })
            .collect();
        assert_eq!(limits.len(), times, "{limits:?}");
        assert!(limits.iter().all(|(size, budget)| size > budget && *budget == 700), "{limits:?}");
        assert!(entries.len() < 12 * times, "{}", entries.len());
    }
    assert!(model.all().is_empty());
    life.verify(&session).await;
}

/// Identifiers of every kind.
const IDENTIFIERS: [&str; 20] = [
    "INV-2026-00417",
    "DE89370400440532013000",
    "FR7630006000011234567890189",
    "3f2b8c1e-9d4a-4c6f-8b7e-1a2b3c4d5e6f",
    "ann.lee@example.org",
    "https://example.org/orders/88231",
    "/srv/archive/2026/q3.pdf",
    "2026-09-30",
    "1,284.50 EUR",
    "PO-77120/B",
    "a94f3c21be77",
    "SKU-44X-9012",
    "4915200",
    "bob@example.com",
    "KX7-2291",
    "2025-12-01",
    "docs/plan_v7.md",
    "RMA-55-0091",
    "88200417",
    "Q3-REPORT-11",
];

/// Input: a task in the first message, identifiers in it and in the second, and a model that notes nothing, or drops
/// earlier notes; expected: after five summaries all of it is in the next request, byte for byte.
#[tokio::test(start_paused = true)]
async fn objective_survives_five_compactions() {
    let drops = r#"{"drop":[{"key":1,"why":"wrong"},{"key":2,"why":"wrong"}]}"#;
    for summary in [NOTHING, drops, "Never mind.", ""] {
        let model = Arc::new(TokenSpendingModel::new(200_000, 0, 1, &[summary]));
        let mut scene = PromptFixture::new();
        let life = life(&mut scene, &model, 20_000, 0).await;
        let session = chat(&life).await;
        let fact = "The blue folder belongs to Ann, whatever anybody says later.";
        life.send_and_wait(
            &session,
            &format!("{fact} Work through these: {}.", IDENTIFIERS[..10].join(" ; ")),
        )
        .await;
        life.send_and_wait(&session, &format!("And these: {}.", IDENTIFIERS[10..].join(" ; "))).await;
        go_on_until(&life, &session, &model, 5).await;
        let all = model.all();
        let last = String::from_utf8(work(&all).last().unwrap().body.clone()).unwrap();
        assert!(last.contains(fact), "{summary}: {last}");
        for identifier in IDENTIFIERS {
            assert!(last.contains(identifier), "{summary}: {identifier}\n{last}");
        }
        life.verify(&session).await;
    }
}

/// Input: an order from a person before the first summary, and one between it and the later ones; expected: both are in
/// the last request, though the second summary reads only new messages.
#[tokio::test(start_paused = true)]
async fn second_summary_contains_intermediate_messages() {
    let model = Arc::new(TokenSpendingModel::new(200_000, 0, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 20_000, 0).await;
    let session = chat(&life).await;
    for (summaries, says) in [(1, "Pay INV-2026-00417."), (4, "And then RMA-55-0091.")] {
        life.send_and_wait(&session, says).await;
        go_on_until(&life, &session, &model, summaries).await;
    }
    let all = model.all();
    let last = String::from_utf8(work(&all).last().unwrap().body.clone()).unwrap();
    for identifier in ["INV-2026-00417", "RMA-55-0091"] {
        assert!(last.contains(identifier), "{identifier}\n{last}");
    }
    life.verify(&session).await;
}

/// Input: a limit of ten messages; expected: never more turns than that, and no model is called for a summary.
#[tokio::test(start_paused = true)]
async fn message_limit_needs_no_model() {
    let model = Arc::new(TokenSpendingModel::new(200_000, 12, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 0, 10).await;
    let session = chat(&life).await;
    life.send_and_wait(&session, "Look at everything.").await;
    let all = model.all();
    assert!(all.iter().all(|sent| !sent.asks && sent.request.turns.len() <= 10));
    assert!(methods(&life, &session).await.iter().all(|method| *method == SummaryMethod::Mechanical));
    assert!(!methods(&life, &session).await.is_empty());
}

/// Input: a chat with one short reply, and a person who requests a summary; expected: the model sees its reply to the
/// last message, which would otherwise look unanswered.
#[tokio::test(start_paused = true)]
async fn summarized_short_chat_keeps_its_last_reply() {
    let model = Arc::new(TokenSpendingModel::new(200_000, 1, 1, &[NOTHING]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 80_000, 0).await;
    let session = chat(&life).await;
    life.send_and_wait(&session, "Look once.").await;
    let after = life.follow().last_entry_number(&life.workspace, &session).await.unwrap();
    let compact = CompactSession::new(life.mail_sender.clone());
    compact.run(&life.workspace, &session, "ann".into()).await.unwrap();
    life.follow().run_until_idle(&life.workspace, &session, after).await.unwrap();
    life.send_and_wait(&session, "And now?").await;
    let last = String::from_utf8(model.all().pop().unwrap().body).unwrap();
    let at = |said: &str| last.find(said).unwrap_or_else(|| panic!("{said} is missing: {last}"));
    assert!(at("Look once.") < at("That is all.") && at("That is all.") < at("And now?"), "{last}");
    life.verify(&session).await;
}

/// Input: a resting chat, and a person who requests a summary; expected: one summary at the end of its own request, a
/// shorter prompt, no reply, and it rests again. While it works, and before its first reply, the request is refused.
#[tokio::test(start_paused = true)]
async fn a_chat_that_rests_is_summed_up_by_hand() {
    let note = r#"{"add":[{"kind":"fact","text":"Nothing of note so far."}]}"#;
    let model = Arc::new(TokenSpendingModel::new(200_000, 6, 1, &[note]));
    let mut scene = PromptFixture::new();
    let life = life(&mut scene, &model, 80_000, 0).await;
    let session = chat(&life).await;
    let compact = CompactSession::new(life.mail_sender.clone());
    let early = compact.run(&life.workspace, &session, "ann".into()).await;
    assert!(matches!(early, Err(UseCaseError::NotApplicable(_))), "{early:?}");
    life.send_and_wait(&session, "Look at everything.").await;
    let (before, size) = (model.all().len(), model.all().pop().unwrap().tokens);

    let after = life.follow().last_entry_number(&life.workspace, &session).await.unwrap();
    compact.run(&life.workspace, &session, "ann".into()).await.unwrap();
    life.follow().run_until_idle(&life.workspace, &session, after).await.unwrap();
    assert_eq!(methods(&life, &session).await, [SummaryMethod::Patch]);
    assert_eq!(model.all().len(), before + 1);
    assert_eq!(life.phase(&session).await, "IDLE");
    assert!(model.all().pop().unwrap().asks);
    life.send_and_wait(&session, "And now?").await;
    let last = model.all().pop().unwrap();
    assert!(last.tokens < size / 3 * 2, "{} {size}", last.tokens);
    assert!(String::from_utf8(last.body).unwrap().contains("Nothing of note so far."));
    all_are_rebuilt(&scene, &life, &session, &model).await;
    life.verify(&session).await;
}
