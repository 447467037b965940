//! What a busy server asks of its database: turns of a session with calls, and what readers of lists and streams ask.

use std::sync::Arc;

use entracte_adapters_db::Database;
use entracte_application::instructions::InstructionScope;
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    CommandExecutor, CostFilter, ResourceFilter, SessionCursor, SessionFilter, SessionPageFilter,
    SessionPageOf, SessionPageOrder, TaskFilter, WaitCondition,
};
use entracte_application::rule_book::RuleBook;
use entracte_domain::id::{AutomationId, Digest, SessionId, TaskId};
use entracte_domain::time::Timestamp;
use entracte_tests::cost_checks::ALL_SUMS;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::postgres::stores_of_database;
use entracte_tests::runtime_fixture::{
    FakeModel, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, command_request_line,
    envelope_line, services,
};
use serde_json::json;

/// One process with one session.
pub(super) struct Workload {
    model: Arc<FakeModel>,
    life: RuntimeFixture,
    session: SessionId,
    parts: ServicesFixtureParts,
}

impl Workload {
    pub(super) async fn new(database: &Database) -> Self {
        let model = Arc::new(FakeModel::default());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(RecordingExecutor::default())];
        let parts = ServicesFixtureParts {
            stores: stores_of_database(database, Box::new(())),
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        let session = life.chat(false).await;
        Self { model, life, session, parts }
    }

    /// A turn with a query and an action, then everything that readers ask.
    pub(super) async fn run(&self) {
        self.model.push_lines([
            command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))]),
            command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
            envelope_line("Done."),
        ]);
        self.life.send_and_wait(&self.session, "write to bob").await;
        self.read_lists().await;
        self.read_session().await;
        self.read_schedules().await;
    }

    async fn read_lists(&self) {
        let (log, here) = (&self.parts.stores.log, &self.life.workspace);
        for of in [
            SessionPageOf::All,
            SessionPageOf::Open,
            SessionPageOf::Waiting,
            SessionPageOf::Asking,
            SessionPageOf::AskingWithCallers,
            SessionPageOf::Unseen,
        ] {
            for order in [SessionPageOrder::LatestFirst, SessionPageOrder::EarliestFirst] {
                for after in [None, Some(SessionCursor("9 9".into()))] {
                    for sought in [None, Some("wo".to_owned()), Some("wood".to_owned())] {
                        let (workspace, after) = (here.clone(), after.clone());
                        let filter = SessionPageFilter { workspace, of, order, after, limit: 5, sought };
                        log.session_page(&filter).await.unwrap();
                    }
                }
            }
        }
        let of_home = SessionFilter { workspace: Some(here.clone()), ..SessionFilter::default() };
        for filter in [
            SessionFilter { limit: 5, ..of_home.clone() },
            SessionFilter { open: true, limit: 5, ..of_home.clone() },
            SessionFilter { waiting: true, ..of_home.clone() },
        ] {
            log.session_list(&filter).await.unwrap();
            log.sessions(&filter).await.unwrap();
        }
        log.session_statistics(&of_home).await.unwrap();
        log.session_statistics(&SessionFilter::default()).await.unwrap();
        for by in ALL_SUMS {
            let filter = CostFilter::new(here.clone(), by, 1);
            let page = log.cost_sums(&filter).await.unwrap();
            let session = Some(self.session.clone());
            let tree = CostFilter { tree: session.clone(), after: page.next.clone(), ..filter.clone() };
            log.cost_sums(&tree).await.unwrap();
            log.cost_sums(&CostFilter { session, after: page.next, ..filter }).await.unwrap();
        }
        log.uncounted_sessions(here).await.unwrap();
        log.calls_with_unknown_outcome(here).await.unwrap();
        log.changes(here, 0, 5).await.unwrap();
        log.deletions(here, 5).await.unwrap();
        log.inbox_triage(here).await.unwrap();
        log.inbox_rows(here).await.unwrap();
        let of_parent = ResourceFilter { parent: Some("t".into()), ..ResourceFilter::default() };
        for filter in [ResourceFilter::default(), of_parent] {
            let filter = ResourceFilter { kind: "entry".into(), limit: Some(5), ..filter };
            self.parts.stores.resources.resources(here, &filter).await.unwrap();
            self.parts.stores.resources.resources_named(here, &filter, "Health").await.unwrap();
        }
    }

    async fn read_session(&self) {
        let (log, here, session) = (&self.parts.stores.log, &self.life.workspace, &self.session);
        let entries = log.entries(here, session, 0, 5).await.unwrap();
        log.entries(here, session, entries[1].seq, 5).await.unwrap();
        log.entries(here, session, u64::from(u32::MAX), 5).await.unwrap();
        log.entries_since(here, session, 3, 5).await.unwrap();
        log.entries_of_all(here, 3, 5).await.unwrap();
        log.entry(here, 3).await.unwrap();
        log.entry_by_client_key(here, session, "k").await.unwrap();
        let calls = log.calls(here, session).await.unwrap();
        log.call(here, &calls[0].id).await.unwrap();
        log.calls_with_command_id(here, session, &calls[0].command_id, 1).await.unwrap();
        log.sessions_by_prefix(here, "ses_k").await.unwrap();
        let scope = InstructionScope::Session(session.clone());
        log.instructions(here, std::slice::from_ref(&scope)).await.unwrap();
        log.versions_of_instructions(here, &scope, Some(9), 5).await.unwrap();
        log.blob(here, session, &Digest::new("d")).await.unwrap();
        let store = &self.parts.stores.store;
        store.workspace(here).await.unwrap();
        store.session(here, session).await.unwrap();
        store.session_id_exists(session).await.unwrap();
        let key = ReceiptKey { person: "ann".into(), key: "k".into() };
        store.receipts(here, &[key]).await.unwrap();
    }

    async fn read_schedules(&self) {
        let (store, here) = (&self.parts.stores.store, &self.life.workspace);
        let now = Timestamp(5);
        store.sessions_with_slot_demand(here).await.unwrap();
        store.due(now).await.unwrap();
        store.due_sessions_in(here, now).await.unwrap();
        store.next_wake(here).await.unwrap();
        store.wake_schedule(now).await.unwrap();
        store.waiting(WaitCondition::Slot).await.unwrap();
        store.waiting(WaitCondition::Network).await.unwrap();
        let automations = &self.parts.stores.automations;
        let automation = AutomationId::new("aut_1");
        automations.automations(here).await.unwrap();
        automations.automation(here, &automation).await.unwrap();
        automations.occurrences(here, &automation, Some(now), 5).await.unwrap();
        automations.wake_schedule(now).await.unwrap();
        let (tasks, task) = (&self.parts.stores.tasks, TaskId::new("tsk_1"));
        tasks.task(here, &task).await.unwrap();
        tasks.tasks(here, TaskFilter { limit: Some(5), ..TaskFilter::default() }).await.unwrap();
        tasks.due_tasks(here, now).await.unwrap();
        tasks.next_task(here).await.unwrap();
        tasks.task_wake_schedule(now).await.unwrap();
        tasks.arrivals(here, &task).await.unwrap();
        self.parts.stores.mail.unanswered().await.unwrap();
    }
}
