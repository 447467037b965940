//! The budget of the context, end to end: a model behind a strict server that counts what it is sent.

use std::sync::Arc;

use entracte_application::ports::CommandExecutor;
use entracte_application::use_cases::{Digests, NewChat, RebuildPrompt, StartChat};
use entracte_domain::id::SessionId;
use entracte_domain::message::{Body, Message, SystemKind};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Appended, Dialect, Input, Limit, Note, SummaryMethod};
use entracte_tests::stage::Life;

use super::recorder::Providers;
use super::scene::Scene;
use super::spender::{Sent, Spender, Wide, width};

/// What a model is that writes nothing down.
const NOTHING: &str = "{}";

/// A life with this model and a wide world, on this budget.
async fn life(scene: &mut Scene, model: &Arc<Spender>, budget: u32, messages: u32) -> Life {
    let world: Arc<dyn CommandExecutor> = Arc::new(Wide::default());
    scene.set_executors(vec![world]);
    scene.change_rules(|rules| {
        rules.context_tokens = budget;
        rules.history_messages = messages;
        (rules.rounds, rules.relaunches, rules.without_progress) = (0, 0, 0);
    });
    scene.life_with(Providers::one("fake", model.clone())).await
}

async fn chat(life: &Life) -> SessionId {
    let chat = NewChat {
        name: "test".into(),
        provider: "fake".into(),
        model: "claude-opus-5-5".into(),
        dialect: Dialect::Tools,
        require_validation: false,
        restriction: Restriction::Open,
        mode: None,
    };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    start.run(&life.workspace, chat).await.unwrap().session
}

/// What of the requests is the work itself, without the requests for summaries.
fn work(all: &[Sent]) -> impl Iterator<Item = &Sent> {
    all.iter().filter(|sent| !sent.asks)
}

async fn methods(life: &Life, session: &SessionId) -> Vec<SummaryMethod> {
    let entries = life.entries(session).await;
    let summaries = entries.iter().filter_map(|entry| match &entry.input {
        Input::ContextCompacted { summary, .. } => Some(summary.method),
        _ => None,
    });
    summaries.collect()
}

/// Input: 300 rounds with results of 2 to 20 kB on a budget of 20,000 tokens; expected: the strict server takes every
/// request, and none of the work is larger than the budget.
#[tokio::test(start_paused = true)]
async fn three_hundred_rounds_stay_within_the_budget() {
    const BUDGET: u64 = 20_000;
    let note = r#"{"add":[{"kind":"fact","text":"Nothing of note so far."}]}"#;
    let model = Arc::new(Spender::new(200_000, 300, 1, &[note, NOTHING]));
    let mut scene = Scene::new();
    let life = life(&mut scene, &model, u32::try_from(BUDGET).unwrap(), 0).await;
    let session = chat(&life).await;
    life.turn(&session, "Look at everything, and say when something is of note.").await;
    let all = model.all();
    let largest = work(&all).map(|sent| sent.tokens).max().unwrap();
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

/// Input: several calls in a reply, on a small budget; expected: the strict server takes every request, and every one of
/// them is rebuilt byte for byte, those for summaries too.
#[tokio::test(start_paused = true)]
async fn compaction_keeps_calls_paired() {
    let model = Arc::new(Spender::new(200_000, 36, 3, &[NOTHING]));
    let mut scene = Scene::new();
    let life = life(&mut scene, &model, 20_000, 0).await;
    let session = chat(&life).await;
    life.turn(&session, "Look at everything.").await;
    assert!(methods(&life, &session).await.len() > 3);
    let (store, log) = (life.services.store.clone(), life.services.log.clone());
    let providers = Providers::one("fake", model.clone());
    let rebuild = RebuildPrompt::new(store, log, providers, scene.settings.clone());
    let calls = rebuild.calls(&life.workspace, &session).await.unwrap();
    assert_eq!(calls.len(), model.all().len());
    for (call, sent) in calls.iter().zip(model.all()) {
        let rebuilt = rebuild.run(&life.workspace, call.id.as_str()).await.unwrap();
        assert_eq!(call.asked.is_some(), sent.asks, "{}", call.id);
        assert!(matches!(rebuilt.digests(), Some(Digests::Match(_))), "{}", call.id);
    }
}

/// What a reader sees, without the thin line.
fn read(messages: Vec<Message>) -> Vec<Body> {
    let is_line =
        |body: &Body| matches!(body, Body::System(system) if system.kind == SystemKind::ContextSummary);
    messages.into_iter().map(|message| message.body).filter(|body| !is_line(body)).collect()
}

/// Input: the same session on a small budget and on a large one; expected: a reader sees the same messages.
#[tokio::test(start_paused = true)]
async fn compaction_is_invisible_to_the_reader() {
    let mut seen = Vec::new();
    for budget in [20_000, 0] {
        let model = Arc::new(Spender::new(1_000_000, 20, 1, &[NOTHING]));
        let mut scene = Scene::new();
        let life = life(&mut scene, &model, budget, 0).await;
        let session = chat(&life).await;
        life.turn(&session, "Look at everything.").await;
        model.will_look(5);
        life.turn(&session, "And again.").await;
        assert_eq!(methods(&life, &session).await.is_empty(), budget == 0);
        let messages = life.entries(&session).await.iter().flat_map(|entry| entry.messages()).collect();
        let mut bodies = read(messages);
        for body in &mut bodies {
            // The ids of calls count the model calls of the fake.
            if let Body::Ai(said) = body {
                (said.provider_turn, said.own_calls) = (None, Vec::new());
                said.queries.clear();
            }
        }
        seen.push(bodies.len());
        assert!(bodies.iter().any(|body| matches!(body, Body::Ai(said) if said.original == "That is all.")));
    }
    assert_eq!(seen[0], seen[1]);
}

/// Input: a model whose window is smaller than what is always sent; expected: nothing is sent, the limit is told with its
/// numbers, and the chat rests; the same at the next message.
#[tokio::test(start_paused = true)]
async fn small_window_never_loops() {
    let model = Arc::new(Spender::new(1_000, 5, 1, &[NOTHING]));
    let mut scene = Scene::new();
    let life = life(&mut scene, &model, 80_000, 0).await;
    let session = chat(&life).await;
    for (text, times) in [("Look.", 1), ("Look again.", 2)] {
        life.turn(&session, text).await;
        assert_eq!(life.phase(&session).await, "IDLE");
        let entries = life.entries(&session).await;
        let limits: Vec<(u64, u64)> = entries
            .iter()
            .flat_map(|entry| &entry.appended)
            .filter_map(|appended| match appended {
                Appended::Note(Note::LimitReached(Limit::Context { size, budget })) => Some((*size, *budget)),
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

/// Input: a task in the first message, identifiers in it and in the second, and a model that writes nothing down, or
/// drops what there is; expected: after five summaries all of it stands in the next request, byte for byte.
#[tokio::test(start_paused = true)]
async fn objective_survives_five_compactions() {
    let drops = r#"{"drop":[{"key":1,"why":"wrong"},{"key":2,"why":"wrong"}]}"#;
    for summary in [NOTHING, drops, "Never mind.", ""] {
        let model = Arc::new(Spender::new(200_000, 0, 1, &[summary]));
        let mut scene = Scene::new();
        let life = life(&mut scene, &model, 20_000, 0).await;
        let session = chat(&life).await;
        let fact = "The blue folder belongs to Ann, whatever anybody says later.";
        life.turn(&session, &format!("{fact} Work through these: {}.", IDENTIFIERS[..10].join(" ; "))).await;
        life.turn(&session, &format!("And these: {}.", IDENTIFIERS[10..].join(" ; "))).await;
        let mut messages = 0;
        while methods(&life, &session).await.len() < 5 {
            messages += 1;
            assert!(messages < 40, "no fifth summary");
            model.will_look(3);
            life.turn(&session, &format!("Go on, part {messages}.")).await;
        }
        let all = model.all();
        let last = String::from_utf8(work(&all).last().unwrap().body.clone()).unwrap();
        assert!(last.contains(fact), "{summary}: {last}");
        for identifier in IDENTIFIERS {
            assert!(last.contains(identifier), "{summary}: {identifier}\n{last}");
        }
        life.verify(&session).await;
    }
}

/// Input: a limit of ten messages; expected: never more turns than that, and no model is asked for a summary.
#[tokio::test(start_paused = true)]
async fn a_limit_of_messages_is_kept_without_a_model() {
    let model = Arc::new(Spender::new(200_000, 12, 1, &[NOTHING]));
    let mut scene = Scene::new();
    let life = life(&mut scene, &model, 0, 10).await;
    let session = chat(&life).await;
    life.turn(&session, "Look at everything.").await;
    let all = model.all();
    assert!(all.iter().all(|sent| !sent.asks && sent.request.turns.len() <= 10));
    assert!(methods(&life, &session).await.iter().all(|method| *method == SummaryMethod::Mechanical));
    assert!(!methods(&life, &session).await.is_empty());
}
