//! A workspace with a zone and a tool in it, and a model that plays given lines.

use std::sync::Arc;

use entracte_application::codec::WorkspaceBody;
use entracte_application::commands::PlansExecutor;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::CommandExecutor;
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::PlanBounds;
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalView, ChangeSettings, DecideApprovals, InboxKind, PendingDecision,
    ReadApprovalRules, ReadInbox, TurnView, UseCaseError,
};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{JournalNote, LogAppend};
use entracte_domain::validation::StandingApprovalRule;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    command_request_line, services,
};
use serde_json::json;

pub(crate) struct ValidationFixture {
    pub parts: ServicesFixtureParts,
    pub model: Arc<FakeModel>,
}

impl ValidationFixture {
    pub(crate) fn new(lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        let memory = Arc::new(MemoryStore::new());
        let stores = StoreFixture {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            tasks: memory.clone(),
            ownership: memory,
            keep: Box::new(()),
        };
        let model = Arc::new(FakeModel::default());
        model.push_lines(lines);
        let resources = entracte_adapters_commands::ResourcesExecutor::new(stores.resources.clone());
        let plans = PlansExecutor::new(PlanBounds::default());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(resources), Arc::new(plans)];
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, model }
    }

    pub(crate) async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services(&self.parts)).await
    }
}

/// A workspace with the zone Health and the tool Weight in it, and their ids.
pub(crate) struct ValidationWorkspace {
    pub life: RuntimeFixture,
    pub tool: String,
    pub zone: String,
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
impl ValidationWorkspace {
    pub(crate) async fn new(stage: &ValidationFixture) -> Self {
        Self::over(stage, stage.life().await).await
    }

    /// The workspace in a process that runs.
    pub(crate) async fn over(stage: &ValidationFixture, life: RuntimeFixture) -> Self {
        let setup = life.chat(false).await;
        stage
            .model
            .push_lines([command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))])]);
        life.send_and_wait(&setup, "a zone").await;
        let zone = last_resource_id(&life, "zone").await;
        let tool = json!({
            "zone_id": zone, "tool_type": "tracking", "name": "Weight",
            "config": { "kind": "numeric", "min": 30, "max": 200 },
        });
        stage.model.push_lines([command_request_line("actions", &[("CREATE_TOOL", tool)])]);
        life.send_and_wait(&setup, "a tool").await;
        let tool = last_resource_id(&life, "tool").await;
        Self { life, tool, zone }
    }

    /// Runs these actions in a session of their own; none may need approval.
    pub(crate) async fn run_actions(&self, stage: &ValidationFixture, actions: &[(&str, serde_json::Value)]) {
        for action in actions {
            let session = self.life.chat(false).await;
            stage.model.push_lines([command_request_line("actions", std::slice::from_ref(action))]);
            let turn = self.life.send_and_wait(&session, "do it").await;
            assert!(turn.waiting.is_none(), "{action:?} needs approval");
            assert_eq!(self.life.calls(&session).await.last().unwrap().1, "succeeded", "{action:?}");
        }
    }

    pub(crate) async fn set(&self, changes: &[(&str, Option<&str>)]) -> Result<(), UseCaseError> {
        let changes = changes.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned)));
        let change = ChangeSettings::new(self.life.mail_sender.clone());
        change.run(&self.life.workspace, "ann".into(), changes.collect()).await
    }

    pub(crate) fn config(&self, max: u32) -> (&'static str, serde_json::Value) {
        ("UPDATE_TOOL", json!({ "tool_id": self.tool, "config": { "max": max } }))
    }

    pub(crate) async fn inbox(&self) -> Vec<ApprovalView> {
        let services = &self.life.services;
        let inbox = ReadInbox::new(
            services.store.clone(),
            services.log.clone(),
            services.rows.clone(),
            services.catalog.get(),
            services.clock.clone(),
        );
        let items = inbox.run(&self.life.workspace).await.unwrap();
        let approvals = items.into_iter().map(|item| match item.kind {
            InboxKind::Approval(approval) => *approval,
            other => panic!("{other:?}"),
        });
        approvals.collect()
    }

    pub(crate) async fn body(&self) -> WorkspaceBody {
        WorkspaceBody::load(&*self.life.services.store, &self.life.workspace).await.unwrap()
    }

    pub(crate) async fn rules(&self, all: bool) -> Vec<StandingApprovalRule> {
        let services = &self.life.services;
        let read =
            ReadApprovalRules::new(services.store.clone(), services.log.clone(), services.clock.clone());
        read.run(&self.life.workspace, all).await.unwrap()
    }

    pub(crate) async fn decides(
        &self,
        author: &str,
        session: &SessionId,
        calls: &[CallId],
        choice: &ApprovalChoice,
    ) -> Result<(), UseCaseError> {
        let decide = DecideApprovals::new(self.life.mail_sender.clone(), self.life.services.store.clone());
        decide.run(&self.life.workspace, session, author.into(), calls, choice).await.map(|_| ())
    }

    pub(crate) async fn max_of_the_tool(&self) -> String {
        let row = self.life.services.rows.resource(&self.life.workspace, "tool", &self.tool).await.unwrap();
        let body: serde_json::Value = serde_json::from_str(&row.unwrap().body).unwrap();
        body["config"]["max"].to_string()
    }
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
pub(crate) async fn last_resource_id(life: &RuntimeFixture, kind: &str) -> String {
    let filter = entracte_application::ports::ResourceFilter { kind: kind.into(), ..Default::default() };
    life.services.rows.resources(&life.workspace, &filter).await.unwrap().last().unwrap().id.clone()
}

/// The approvals of a turn that waits for approval.
#[expect(clippy::panic, reason = "a helper of tests")]
pub(crate) fn waiting_approvals(turn: &TurnView) -> &[ApprovalView] {
    match &turn.waiting {
        Some(PendingDecision::Validation(approvals)) => approvals,
        other => panic!("the turn does not wait for approval: {other:?}"),
    }
}

pub(crate) fn notes(entries: &[JournalEntry]) -> impl Iterator<Item = &JournalNote> {
    entries.iter().flat_map(|entry| &entry.appended).filter_map(|appended| match appended {
        LogAppend::Note(note) => Some(note),
        LogAppend::Message(_) => None,
    })
}

pub(crate) fn always_choice() -> ApprovalChoice {
    ApprovalChoice::Always { in_session: false, lasts: None, agents: false, width: None }
}

pub(crate) fn refusal(result: Result<(), UseCaseError>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}
