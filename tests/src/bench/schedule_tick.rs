//! Many automations due in the same minute: the time until all are decided, and their order.
//!
//! The workspace is driven directly here, without its task, so that the end of the decisions is visible.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use entracte_application::codec::decode_snapshot;
use entracte_application::mail::{
    ChangeSettingsRequest, CreateAutomationRequest, Mail, MailRequest, NewAutomationRequest, NewSeedRequest,
};
use entracte_application::ports::{Clock, SessionFilter};
use entracte_application::runtime::{LoadedWorkspace, RuntimeServices, WorkspaceInput};
use entracte_application::system::SystemClock;
use entracte_domain::automation::{AutomationPolicies, CatchUpPolicy, Trigger};
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::SessionKind;
use entracte_domain::session::{Dialect, ModelSelection};
use entracte_domain::time::{Millis, Timestamp};

use super::child::{ParentCommandReader, answer, report};
use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::orders;
use super::runner::BenchContext;
use super::services::{build, open};
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport, BenchWorkerRole};

/// The system clock plus an offset.
#[derive(Default)]
struct OffsetSystemClock {
    micros: AtomicI64,
}

#[async_trait]
impl Clock for OffsetSystemClock {
    fn now(&self) -> Timestamp {
        Timestamp(SystemClock.now().0 + self.micros.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Millis {
        SystemClock.monotonic()
    }

    async fn sleep(&self, span: Millis) {
        SystemClock.sleep(span).await;
    }
}

/// How many runs may be active at once.
const SLOTS: usize = 100;

/// Creates the automations, moves the clock past their due time, and reports the duration of the decisions (`value`)
/// and how many were decided out of order (`second`).
pub async fn live(orders: &BenchWorkerConfig, mut words: ParentCommandReader) {
    let database = open(orders);
    let clock = Arc::new(OffsetSystemClock::default());
    let services = build(orders, &database);
    let services = Arc::new(RuntimeServices { clock: clock.clone(), ..services });
    let key = WorkspaceKey::new("ann:bench");
    let owner = Arc::new(services.acquire_ownership().await.expect("no other process owns it"));
    let workspace = LoadedWorkspace::open(services.clone(), owner, key.clone()).await;
    let mut workspace = workspace.expect("the workspace opens");
    // The next whole minute that is far enough in the future.
    let minute = Timestamp((clock.now().0 / 60_000_000 + 60) * 60_000_000);
    make(&mut workspace, orders, minute).await;
    let late = if orders.guarded { Millis::hours(2) } else { Millis::minutes(2) };
    clock.micros.store(minute.plus(late).0 - clock.now().0, Ordering::SeqCst);
    let begun = Instant::now();
    settle(&mut workspace, vec![WorkspaceInput::Wake]).await;
    let value = begun.elapsed().as_secs_f64() * 1000.0;
    let second = if orders.guarded {
        let rows = (0..orders.amount).map(|number| decided(&services, &key, number));
        let mut at = Vec::new();
        for row in rows {
            at.push(row.await);
        }
        out_of_order(at)
    } else {
        out_of_order(runs(&services, &key).await)
    };
    answer(&BenchWorkerReport { value, second, ..report(Some(&database)) });
    while words.next().await.is_some() {}
}

async fn settle(workspace: &mut LoadedWorkspace, mut incoming: Vec<WorkspaceInput>) {
    while workspace.handle(&mut incoming).await.expect("the database can be written").again {}
}

/// Creates the automations, each due at its own instant in that minute, in another order than their instants.
async fn make(workspace: &mut LoadedWorkspace, orders: &BenchWorkerConfig, minute: Timestamp) {
    let slots = vec![("slots".to_owned(), Some(SLOTS.min(orders.amount / 2).to_string()))];
    let mut requests =
        vec![MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes: slots })];
    requests.extend((0..orders.amount).map(|number| {
        let place = i64::try_from(number * 7919 % orders.amount).unwrap_or(0);
        let at = Timestamp(minute.0 + place * 60_000_000 / i64::try_from(orders.amount).unwrap_or(1));
        let window = if orders.guarded { Millis::minutes(1) } else { Millis::hours(24) };
        let new = NewAutomationRequest {
            id: automation(number),
            name: format!("number {number}"),
            trigger: Trigger::Once { at },
            policies: AutomationPolicies {
                catch_up: CatchUpPolicy { window: Some(window), latest_only: true },
                ..AutomationPolicies::default()
            },
            enabled: true,
            seed: NewSeedRequest {
                id: SessionId::new(format!("ses_seed{number}")),
                message: UserMessage::text("Do what is to be done."),
                voice: ModelSelection { provider: "fake".into(), model: "m".into(), dialect: Dialect::Tools },
                require_validation: false,
                restriction: Restriction::Open,
            },
        };
        MailRequest::workspace(CreateAutomationRequest { author: "ann".into(), new })
    }));
    let mut requests = requests.into_iter().peekable();
    while requests.peek().is_some() {
        let incoming = requests.by_ref().take(64).map(|request| WorkspaceInput::Request {
            mail: Mail::from_request(request),
            reply: None,
            row: None,
        });
        settle(workspace, incoming.collect()).await;
    }
}

fn automation(number: usize) -> AutomationId {
    AutomationId::new(format!("aut_{number}"))
}

/// When the occurrence of an automation was decided, and its instant.
async fn decided(services: &RuntimeServices, key: &WorkspaceKey, number: usize) -> (u64, Timestamp) {
    let rows = services
        .automations
        .occurrences(key, &automation(number), None, 1)
        .await
        .expect("the rows can be read");
    let row = rows.first().expect("every occurrence is decided");
    (row.decided_at.0.unsigned_abs(), row.at)
}

/// The started runs: the position of each in the log, and its instant.
async fn runs(services: &RuntimeServices, key: &WorkspaceKey) -> Vec<(u64, Timestamp)> {
    let filter = SessionFilter { workspace: Some(key.clone()), ..SessionFilter::default() };
    let mut runs = Vec::new();
    for row in services.log.sessions(&filter).await.expect("the sessions can be read").rows {
        if row.kind == SessionKind::Automation {
            let snapshot = decode_snapshot(&row.body).expect("the row can be read");
            let first = services.log.entries(key, &row.id, 0, 1).await.expect("the log can be read");
            runs.push((first[0].seq, snapshot.facts.scheduled_at.expect("a run has its instant")));
        }
    }
    assert!(!runs.is_empty(), "no run began");
    runs
}

/// How many follow one with a later instant.
fn out_of_order(mut decided: Vec<(u64, Timestamp)>) -> f64 {
    // Decisions of the same moment have no order.
    decided.sort();
    decided.windows(2).filter(|pair| pair[0].1 > pair[1].1).count() as f64
}

/// The rows `tick`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let amount = bench.options.size(10_000, 100);
    [("due", false), ("missed", true)]
        .into_iter()
        .map(|(case, guarded)| {
            let place = BenchDatabase::make(kind).expect("there is a server");
            let orders = BenchWorkerConfig {
                amount,
                guarded,
                ..orders(BenchWorkerRole::Tick, &place, &bench.model, "tick")
            };
            let found = BenchWorkerProcess::start(&orders).hear();
            let row = BenchResultRow::new("tick", format!("{amount} {case}"), kind.word())
                .with("ms_to_decide", found.value)
                .with("us_for_each", found.value * 1000.0 / amount as f64)
                .held("out_of_order", found.second, GoalBound::AtMost(0.0));
            bench.add_raw_commit_rates(row, kind)
        })
        .collect()
}
