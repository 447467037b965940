//! Retention beside working sessions: rounds per second while ended sessions go, and how much smaller the database is
//! afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use entracte_application::ports::MailSender;
use entracte_application::runtime::{LocalRuntime, RuntimeServices};
use entracte_application::settings::RetentionSettings;
use entracte_application::use_cases::{
    EndSession, FollowTurn, NewChat, RunRetention, SendMessage, StartChat,
};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::UserMessage;
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;

use super::child::{ParentCommandReader, answer, report};
use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::{orders, quantile};
use super::runner::BenchContext;
use super::services;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport, BenchWorkerRole};
use crate::runtime_fixture::retention_settings;

/// Workspaces over which the ended sessions are spread; they are filled at once.
const ARCHIVES: usize = 100;
/// Sessions that work while others go.
const WORKING: usize = 4;
/// The model of the sessions that end: a call, and a reply that ends the turn.
const ARCHIVED_MODEL: &str = "archived/2/0";

/// The application with ended sessions, as the child process has it.
struct ArchiveRuntime {
    services: Arc<RuntimeServices>,
    mail_sender: Arc<dyn MailSender>,
}

fn archive(number: usize) -> WorkspaceKey {
    WorkspaceKey::new(format!("archive{number:03}:bench"))
}

impl ArchiveRuntime {
    /// Creates `amount` sessions, lets each do one turn, and ends it.
    async fn fill(self: &Arc<Self>, amount: usize) {
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..ARCHIVES {
            let share = amount / ARCHIVES + usize::from(number < amount % ARCHIVES);
            let runtime = self.clone();
            tasks.spawn(async move {
                for _ in 0..share {
                    runtime.make_ended(&archive(number)).await;
                }
            });
        }
        tasks.join_all().await;
    }

    async fn make_ended(&self, workspace: &WorkspaceKey) {
        let Self { services, mail_sender } = self;
        let chat = NewChat {
            model: ARCHIVED_MODEL.into(),
            dialect: Dialect::Tools,
            ..NewChat::new("archived", "fake")
        };
        let start = StartChat::new(mail_sender.clone(), services.ids.clone());
        let session = start.run(workspace, chat).await.expect("the session is made").session;
        let message = UserMessage::text("Do what is to be done, step by step.");
        let send = SendMessage::new(mail_sender.clone());
        send.run(workspace, &session, "ann".into(), message, None).await.expect("the message is taken");
        let follow = FollowTurn::new(
            services.store.clone(),
            services.log.clone(),
            services.rows.clone(),
            services.catalog.get(),
            services.clock.clone(),
        );
        follow.run_until_idle(workspace, &session, 0).await.expect("the turn ends");
        let end = EndSession::new(mail_sender.clone());
        end.run(workspace, &session, "ann".into()).await.expect("the session ends");
    }

    /// Removes all ended sessions with this pause between two commits; returns the removed rows and their bytes.
    async fn remove(&self, pause: Millis) -> (u64, u64) {
        let Self { services, mail_sender } = self;
        let settings = RetentionSettings { pause, ..services.settings.retention.clone() };
        let (mut rows, mut bytes) = (0, 0);
        for number in 0..ARCHIVES {
            let run = RunRetention::new(
                services.store.clone(),
                services.log.clone(),
                mail_sender.clone(),
                services.clock.clone(),
                settings.clone(),
                services.knowledge.clone(),
            );
            let removed = run.run(&archive(number), &mut |_| {}).await.expect("the sessions go");
            rows += removed.rows();
            bytes += removed.bytes();
        }
        (rows, bytes)
    }
}

/// Serves, and executes the commands of the parent.
pub async fn live(orders: &BenchWorkerConfig, mut words: ParentCommandReader) {
    let database = services::open(orders);
    let mut services = services::build(orders, &database);
    services.settings.retention = retention_settings("chats=1s");
    let services = Arc::new(services);
    let owner = services.acquire_ownership().await.expect("no other process owns it");
    let runtime = LocalRuntime::start(services.clone(), owner).await.expect("the database can be read");
    let runtime = Arc::new(ArchiveRuntime { services, mail_sender: Arc::new(runtime) });
    let mut removal: Option<tokio::task::JoinHandle<()>> = None;
    answer(&report(Some(&database)));
    while let Some(word) = words.next().await {
        let (mut value, mut second) = (0, 0);
        match word.as_str() {
            "fill" => runtime.fill(orders.amount).await,
            "work" => {
                let sessions = services::make(orders, &runtime.services, &runtime.mail_sender).await;
                services::send(&sessions, &runtime.mail_sender).await;
            }
            "begin" => {
                let runtime = runtime.clone();
                removal = Some(tokio::spawn(async move {
                    runtime.remove(RetentionSettings::default().pause).await;
                }));
            }
            "pause" => {
                if let Some(removal) = removal.take() {
                    // Whether it went on to the end is the second figure: then there was nothing left to measure.
                    second = u64::from(removal.is_finished());
                    removal.abort();
                }
            }
            "finish" => {
                (value, second) = runtime.remove(Millis(0)).await;
                let run = runtime
                    .services
                    .store
                    .reclaim_space(entracte_application::ports::ReclaimExtent::Everything);
                run.await.expect("space is given back");
            }
            _ => {}
        }
        answer(&BenchWorkerReport { value: value as f64, second: second as f64, ..report(Some(&database)) });
    }
}

fn config(bench: &BenchContext, place: &BenchDatabase, amount: usize) -> BenchWorkerConfig {
    BenchWorkerConfig {
        sessions: WORKING,
        amount,
        ..orders(BenchWorkerRole::Retention, place, &bench.model, "working")
    }
}

/// Rounds per second of the working sessions during a window.
fn rounds_per_s(bench: &BenchContext, window: Duration) -> f64 {
    let requests = || {
        let sum = |stories: &[&super::model_server::ModelTrafficStats]| {
            stories.iter().map(|story| story.requests).sum::<usize>()
        };
        bench.model.with_matching_stats("working", sum)
    };
    let (before, begun) = (requests(), Instant::now());
    std::thread::sleep(window);
    (requests() - before) as f64 / begun.elapsed().as_secs_f64()
}

/// Measures rounds per second without and with retention, in turn. The sessions get longer and each round dearer, so a
/// window with retention is compared with the mean of those before and after it.
fn speed(bench: &BenchContext, kind: BenchDatabaseKind, amount: usize) -> BenchResultRow {
    let place = BenchDatabase::make(kind).expect("there is a server");
    bench.model.clear_stats();
    let mut worker = BenchWorkerProcess::start(&config(bench, &place, amount));
    worker.hear();
    worker.ask("fill");
    worker.ask("work");
    let window = Duration::from_millis(if bench.options.quick { 500 } else { 10_000 });
    // The first rounds are slower than the others.
    rounds_per_s(bench, window / 2);
    let mut before = rounds_per_s(bench, window);
    let (mut alone, mut meanwhile, mut ratios, mut idle) = (vec![before], Vec::new(), Vec::new(), 0.0);
    for _ in 0..bench.options.tries() {
        worker.ask("begin");
        let with = rounds_per_s(bench, window);
        idle += worker.ask("pause").second;
        let after = rounds_per_s(bench, window);
        ratios.push(with / before.midpoint(after));
        meanwhile.push(with);
        alone.push(after);
        before = after;
    }
    for figures in [&mut alone, &mut meanwhile, &mut ratios] {
        figures.sort_by(f64::total_cmp);
    }
    BenchResultRow::new("retention", format!("{amount} ended, {WORKING} work"), kind.word())
        .with("rounds_per_s_alone", quantile(&alone, 50))
        .with("rounds_per_s_meanwhile", quantile(&meanwhile, 50))
        .with("windows_in_which_it_ended", idle)
        .held("of_the_rounds_alone", quantile(&ratios, 50), GoalBound::AtLeast(0.9))
}

/// Measures the database empty, with the ended sessions, and after they went. What stays by design (costs, deletion records)
/// is no space to give back, so the size afterwards is compared with that of a new database with the same rows.
fn space(bench: &BenchContext, kind: BenchDatabaseKind, amount: usize) -> BenchResultRow {
    let place = BenchDatabase::make(kind).expect("there is a server");
    bench.model.clear_stats();
    let mut worker = BenchWorkerProcess::start(&config(bench, &place, amount));
    worker.hear();
    let empty = place.bytes() as f64;
    worker.ask("fill");
    let filled = place.bytes() as f64;
    // Older than the limit.
    std::thread::sleep(Duration::from_secs(2));
    let begun = Instant::now();
    let removed = worker.ask("finish");
    let span = begun.elapsed().as_secs_f64();
    let after = place.bytes() as f64;
    let row = BenchResultRow::new("retention", format!("{amount} ended"), kind.word())
        .with("bytes_empty", empty)
        .with("bytes_filled", filled)
        .with("bytes_after", after)
        .with("removed_rows", removed.value)
        .with("removed_bytes_without_indexes", removed.second)
        .with("rows_per_s", removed.value / span);
    match place.bytes_of_new_copy() {
        Some(new) => {
            let returned = (filled - after) / (filled - new as f64);
            row.with("bytes_of_new_copy", new as f64).held(
                "returned_of_what_went",
                returned,
                GoalBound::AtLeast(0.9),
            )
        }
        // A server keeps the space for later rows.
        None => row.with("returned_of_what_grew", (filled - after) / (filled - empty)),
    }
}

/// The rows `retention`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let amount = if bench.options.quick { 200 } else { bench.options.ended };
    vec![
        bench.add_raw_commit_rates(speed(bench, kind, amount), kind),
        bench.add_raw_commit_rates(space(bench, kind, amount), kind),
    ]
}
