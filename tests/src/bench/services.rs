//! The measured application: all services on one database, with real providers over HTTP.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_providers::config::{ModelConfig, ProviderConfig, ProviderKind};
use entracte_adapters_providers::prices::{MillionTokenPrice, TokenPrices};
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{CommandExecutor, MailSender, SessionFilter};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::{LocalRuntime, ProviderAccounts, RuntimeServices};
use entracte_application::stream::LiveText;
use entracte_application::system::{SystemClock, SystemSecretStore};
use entracte_application::use_cases::{ChangeSettings, NewChat, SendMessage, StartChat};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;

use super::child::{ParentCommandReader, answer, report};
use super::files::ImageTalk;
use super::process;
use super::worker_protocol::{BenchSpending, BenchWorkerConfig, BenchWorkerReport};
use crate::cryptography::crypto;
use crate::fakes::recording_executor::RecordingExecutor;

/// Concurrent requests while sessions are created.
const AT_ONCE: usize = 256;

/// Opens the measured database as the command line does.
pub fn open(orders: &BenchWorkerConfig) -> Database {
    Database::open(&orders.database, DatabaseOptions::default()).expect("the database opens")
}

/// Builds the services with the defaults, except for limits that would end a long loop.
pub fn build(orders: &BenchWorkerConfig, database: &Database) -> RuntimeServices {
    let mut config = ProviderConfig::new(ProviderKind::Compatible);
    config.base_url = Some(format!("http://{}/v1", orders.model));
    config.model = Some("m".into());
    config.prices = prices(orders.spending);
    if orders.images > 0 {
        let reads_images = ModelConfig { images: Some(true), ..ModelConfig::default() };
        config.models = (0..orders.sessions).map(|of| (orders.model_of(of), reads_images.clone())).collect();
    }
    let entries = BTreeMap::from([("fake".to_owned(), config)]);
    let providers = Arc::new(ConfigProviderRegistry::new(
        entries,
        Arc::new(SystemSecretStore),
        Arc::new(SystemClock),
        crypto(),
    ));
    let outside: Arc<dyn CommandExecutor> =
        Arc::new(RecordingExecutor { forgets: true, ..RecordingExecutor::default() });
    let mut rules = RuleBook::default();
    rules.change(|_, rules| {
        rules.rounds = 0;
        rules.relaunches = 0;
    });
    let services = RuntimeServices::new(database, providers, &[outside]).expect("the catalog is right");
    // The provider's concurrency limit would bound how many sessions work at once; here all of them do.
    RuntimeServices { rules, accounts: Arc::new(ProviderAccounts::new(0)), ..services }
}

/// The prices of the model's tokens, if it has some.
fn prices(spending: BenchSpending) -> Option<TokenPrices> {
    let price = |text| Some(MillionTokenPrice::per_million(text).expect("a price"));
    match spending {
        BenchSpending::Unpriced => None,
        BenchSpending::Priced | BenchSpending::Capped => {
            Some(TokenPrices { input: price("3"), output: price("15"), ..TokenPrices::default() })
        }
    }
}

/// Serves, and executes the commands of the parent.
pub async fn live(orders: &BenchWorkerConfig, mut words: ParentCommandReader, started: Instant) {
    let database = open(orders);
    let live_text = Arc::new(LiveText::default());
    let services = Arc::new(RuntimeServices { feed: live_text.clone(), ..build(orders, &database) });
    let owner = services.acquire_ownership().await.expect("no other process owns it");
    let runtime = LocalRuntime::start(services.clone(), owner).await.expect("the database can be read");
    let served = started.elapsed();
    let mail_sender: Arc<dyn MailSender> = Arc::new(runtime);
    let mut sessions = make(orders, &services, &mail_sender).await;
    if orders.spending == BenchSpending::Capped {
        // Room for every call.
        for cap in ["budget.tree", "budget.workspace_day"] {
            change_setting(&sessions, &mail_sender, cap, "1000000 USD and 1000000000000 tokens").await;
        }
    }
    let mut lives = 0;
    let settled = if orders.sessions == 0 { settle(started).await } else { served };
    let ready = |database: &Database| BenchWorkerReport {
        value: served.as_secs_f64() * 1000.0,
        second: settled.as_secs_f64() * 1000.0,
        ..report(Some(database))
    };
    answer(&ready(&database));
    while let Some(word) = words.next().await {
        match word.as_str() {
            "go" => {
                send(&sessions, &mail_sender).await;
                answer(&report(Some(&database)));
            }
            // Starts another session in each workspace and leaves the earlier ones unchanged.
            "anew" => {
                lives += 1;
                // An idle chat keeps its slot.
                change_setting(&sessions, &mail_sender, "slots", &(lives + 1).to_string()).await;
                let story = format!("{}-{lives:04}", orders.story);
                sessions =
                    make(&BenchWorkerConfig { story, ..orders.clone() }, &services, &mail_sender).await;
                send(&sessions, &mail_sender).await;
                answer(&report(Some(&database)));
            }
            "talk" => {
                let talk = ImageTalk {
                    orders: orders.clone(),
                    services: services.clone(),
                    live_text: live_text.clone(),
                    mail_sender: mail_sender.clone(),
                };
                let begun = Instant::now();
                talk.run(&sessions).await;
                let (value, second) = (begun.elapsed().as_secs_f64(), process::most_resident_kb() as f64);
                answer(&BenchWorkerReport { value, second, ..report(Some(&database)) });
            }
            "list" => {
                let (value, second) = (list(&database, true).await, list(&database, false).await);
                answer(&BenchWorkerReport { value, second, ..report(Some(&database)) });
            }
            "waiting" => {
                let filter = SessionFilter { waiting: true, ..SessionFilter::default() };
                let lines =
                    database.log_reader().session_list(&filter).await.expect("the sessions can be read");
                answer(&BenchWorkerReport { value: lines.len() as f64, ..report(Some(&database)) });
            }
            _ => answer(&report(Some(&database))),
        }
    }
}

/// Creates the sessions, each in a workspace of its own.
pub async fn make(
    orders: &BenchWorkerConfig,
    services: &Arc<RuntimeServices>,
    mail_sender: &Arc<dyn MailSender>,
) -> Vec<(WorkspaceKey, SessionId)> {
    let mut made = Vec::with_capacity(orders.sessions);
    for start in (0..orders.sessions).step_by(AT_ONCE) {
        let mut tasks = tokio::task::JoinSet::new();
        for number in start..orders.sessions.min(start + AT_ONCE) {
            let start = StartChat::new(mail_sender.clone(), services.ids.clone());
            let chat = NewChat {
                name: "bench".into(),
                provider: "fake".into(),
                model: orders.model_of(number),
                dialect: Dialect::Tools,
                mode: None,
                require_validation: orders.guarded,
                restriction: Restriction::Open,
            };
            let workspace = WorkspaceKey::new(format!("user{number:05}:bench"));
            tasks.spawn(async move {
                let accepted = start.run(&workspace, chat).await.expect("the session is made");
                (workspace, accepted.session)
            });
        }
        made.extend(tasks.join_all().await);
    }
    made
}

/// Changes a setting of the workspace of each session.
async fn change_setting(
    sessions: &[(WorkspaceKey, SessionId)],
    mail_sender: &Arc<dyn MailSender>,
    key: &str,
    value: &str,
) {
    let mut tasks = tokio::task::JoinSet::new();
    for (workspace, _) in sessions {
        let (workspace, change) = (workspace.clone(), ChangeSettings::new(mail_sender.clone()));
        let changes = vec![(key.to_owned(), Some(value.to_owned()))];
        tasks.spawn(async move {
            change.run(&workspace, "ann".into(), changes).await.expect("the settings are changed");
        });
    }
    tasks.join_all().await;
}

/// Sends one message to each session.
pub async fn send(sessions: &[(WorkspaceKey, SessionId)], mail_sender: &Arc<dyn MailSender>) {
    let mut tasks = tokio::task::JoinSet::new();
    for (workspace, session) in sessions {
        let (workspace, session) = (workspace.clone(), session.clone());
        let send = SendMessage::new(mail_sender.clone());
        tasks.spawn(async move {
            let message = UserMessage::text("Do what is to be done, step by step.");
            send.run(&workspace, &session, "ann".into(), message, None).await.expect("the message is taken");
        });
    }
    tasks.join_all().await;
}

/// Waits until this process is idle, and returns when it became so.
async fn settle(started: Instant) -> Duration {
    const LOOK: Duration = Duration::from_millis(20);
    let mut busy_until = started.elapsed();
    let mut used = process::cpu();
    while started.elapsed() < busy_until + 10 * LOOK {
        tokio::time::sleep(LOOK).await;
        let now = process::cpu();
        // More CPU time than this check itself uses.
        if now.saturating_sub(used) > LOOK / 10 {
            busy_until = started.elapsed();
        }
        used = now;
    }
    busy_until
}

/// Milliseconds to list the sessions, best of five.
async fn list(database: &Database, waiting: bool) -> f64 {
    let filter = SessionFilter { waiting, open: !waiting, ..SessionFilter::default() };
    let mut best = f64::MAX;
    for _ in 0..5 {
        let begun = Instant::now();
        let lines = database.log_reader().session_list(&filter).await.expect("the sessions can be read");
        std::hint::black_box(lines);
        best = best.min(begun.elapsed().as_secs_f64() * 1000.0);
    }
    best
}
