//! A workspace with a model and automations.

use std::sync::Arc;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_application::journal::{Occurrence, OccurrenceOutcome};
use entracte_application::mail::{
    CreateAutomationRequest, LeaveSessionRequest, MailAnswer, MailRequest, NewAutomationRequest,
    NewSeedRequest, NewSessionRequest, OpenSessionRequest, RunAutomationRequest, SendMessageRequest,
};
use entracte_application::ports::{CommandExecutor, IdGenerator, ResourceFilter, ResourceReader};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RuntimeServices;
use entracte_domain::automation::{AutomationPolicies, CatchUpPolicy, OverlapPolicy, Trigger};
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Dialect, ModelSelection, SessionKind};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::workspace::ActivationResult;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, SequentialIds, ServicesFixtureParts, services,
};
use entracte_tests::virtual_workspace::{ManualClock, VirtualWorkspace};

/// A workspace on virtual time, its model and its recording executor.
pub(crate) struct AutomationFixture {
    pub(crate) world: VirtualWorkspace,
    pub(crate) model: Arc<FakeModel>,
    pub(crate) outside: Arc<RecordingExecutor>,
}

/// An automation under test.
pub(crate) struct AutomationSpec {
    pub(crate) trigger: Trigger,
    pub(crate) policies: AutomationPolicies,
    pub(crate) message: UserMessage,
    pub(crate) require_validation: bool,
}

impl AutomationSpec {
    /// An automation with this trigger and the usual policies.
    pub(crate) fn new(trigger: Trigger) -> Self {
        Self {
            trigger,
            policies: AutomationPolicies::default(),
            message: UserMessage::text("Do what is to be done."),
            require_validation: false,
        }
    }

    /// Every minute, from the next full one on.
    pub(crate) fn every_minute() -> Self {
        Self::new(Trigger::Cron { expression: "* * * * *".into(), zone: "Europe/Paris".into() })
    }

    pub(crate) fn catching_up(mut self, window: Option<Millis>, latest_only: bool) -> Self {
        self.policies.catch_up = CatchUpPolicy { window, latest_only };
        self
    }

    pub(crate) fn overlapping(mut self, overlap: OverlapPolicy) -> Self {
        self.policies.overlap = overlap;
        self
    }
}

/// How long a chat counts as open without a renewal.
pub(crate) const LEASE: Millis = Millis::minutes(10);

/// The reply that ends a run.
pub(crate) fn completed_line() -> FakeModelLine {
    FakeModelLine::Says(r#"{"pre_text":"Done.","completed":true}"#.into())
}

impl AutomationFixture {
    pub(crate) async fn new(lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        Self::with_rules(RuleBook::default(), lines).await
    }

    pub(crate) async fn with_rules(rules: RuleBook, lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        Self::build_fixture(rules, Arc::new(SequentialIds::default()), lines).await
    }

    pub(crate) async fn with_ids(
        ids: Arc<dyn IdGenerator>,
        lines: impl IntoIterator<Item = FakeModelLine>,
    ) -> Self {
        Self::build_fixture(RuleBook::default(), ids, lines).await
    }

    async fn build_fixture(
        rules: RuleBook,
        ids: Arc<dyn IdGenerator>,
        lines: impl IntoIterator<Item = FakeModelLine>,
    ) -> Self {
        let store = Arc::new(MemoryStore::new());
        let (model, outside) = (Arc::new(FakeModel::default()), Arc::new(RecordingExecutor::default()));
        model.push_lines(lines);
        let clock = Arc::new(ManualClock::default());
        let mut services = Self::services(&store, &model, &outside, &clock, rules);
        if let Some(services) = Arc::get_mut(&mut services) {
            services.ids = ids;
            services.settings.attachment_lease = LEASE;
        }
        let world = VirtualWorkspace::new(services, clock, store).await;
        Self { world, model, outside }
    }

    /// Services of these parts; two of them on one store are two processes.
    pub(crate) fn services(
        store: &Arc<MemoryStore>,
        model: &Arc<FakeModel>,
        outside: &Arc<RecordingExecutor>,
        clock: &Arc<ManualClock>,
        rules: RuleBook,
    ) -> Arc<RuntimeServices> {
        let executors: Vec<Arc<dyn CommandExecutor>> =
            vec![outside.clone(), Arc::new(ResourcesExecutor::new(store.clone()))];
        services(&ServicesFixtureParts {
            stores: StoreFixture {
                store: store.clone(),
                log: store.clone(),
                resources: store.clone(),
                mail: store.clone(),
                automations: store.clone(),
                tasks: store.clone(),
                ownership: store.clone(),
                keep: Box::new(()),
            },
            provider: model.clone(),
            executors,
            rules,
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::default()),
        })
    }

    /// Creates an automation.
    pub(crate) async fn automation(&mut self, name: &str, plan: AutomationSpec) -> AutomationId {
        let id = AutomationId::new(format!("aut_{name}"));
        let new = NewAutomationRequest {
            id: id.clone(),
            name: name.into(),
            trigger: plan.trigger,
            policies: plan.policies,
            enabled: true,
            seed: NewSeedRequest {
                id: SessionId::new(format!("ses_seed{name}")),
                message: plan.message,
                voice: voice(),
                require_validation: plan.require_validation,
                restriction: entracte_domain::restriction::Restriction::Open,
            },
        };
        let request = MailRequest::workspace(CreateAutomationRequest { author: "ann".into(), new });
        let answer = self.world.post(request).await;
        assert_eq!(answer, MailAnswer::Made { id: id.to_string() });
        id
    }

    /// Starts a run now; returns the run and the answer to the request.
    pub(crate) async fn run(
        &mut self,
        automation: &AutomationId,
        run: &str,
    ) -> (SessionId, Option<ActivationResult>) {
        let session = SessionId::new(run);
        let request = MailRequest::workspace(RunAutomationRequest {
            author: "ann".into(),
            automation: automation.clone(),
            session: session.clone(),
            event: None,
        });
        match self.world.post(request).await {
            MailAnswer::Accepted { activation, .. } => (session, activation),
            other => unreachable!("{other:?}"),
        }
    }

    /// A chat with one message.
    pub(crate) async fn chat(&mut self, id: &str) -> SessionId {
        let session = SessionId::new(id);
        let new = NewSessionRequest {
            id: session.clone(),
            kind: SessionKind::Chat,
            name: "chat".into(),
            provider: "fake".into(),
            model: "fake-1".into(),
            dialect: Dialect::Envelope,
            mode: None,
            require_validation: false,
            restriction: entracte_domain::restriction::Restriction::Open,
        };
        self.world.post(MailRequest::workspace(new)).await;
        self.say(&session, "Hello").await;
        session
    }

    /// Ann opens the chat for [`LEASE`].
    pub(crate) async fn open(&mut self, session: &SessionId, asks_slot: bool) -> Option<ActivationResult> {
        let request = MailRequest::session(
            session.clone(),
            OpenSessionRequest { author: "ann".into(), attachment: "phone".into(), asks_slot },
        );
        match self.world.post(request).await {
            MailAnswer::Accepted { activation, .. } => activation,
            other => unreachable!("{other:?}"),
        }
    }

    pub(crate) async fn detach_client(&mut self, session: &SessionId) {
        let request = MailRequest::session(
            session.clone(),
            LeaveSessionRequest { author: "ann".into(), attachment: "phone".into() },
        );
        self.world.post(request).await;
    }

    pub(crate) async fn say(&mut self, session: &SessionId, text: &str) -> MailAnswer {
        let request = MailRequest::session(
            session.clone(),
            SendMessageRequest { author: "ann".into(), message: UserMessage::text(text), client_key: None },
        );
        self.world.post(request).await
    }

    /// The id of the first row of a kind.
    pub(crate) async fn first(&self, kind: &str) -> String {
        let filter = ResourceFilter { kind: kind.into(), ..ResourceFilter::default() };
        let rows = self.world.store.resources(&WorkspaceKey::new("ann:home"), &filter).await.unwrap();
        rows[0].id.clone()
    }

    /// Standing and phase of a session.
    pub(crate) async fn standing_and_phase(&self, session: &SessionId) -> (&'static str, &'static str) {
        let rows = self.world.sessions().await;
        let row = rows.into_iter().find(|row| row.id == *session).unwrap();
        (row.standing.word(), row.phase.word())
    }

    /// The occurrences of an automation: minutes since the clock's start, and the outcome of each.
    pub(crate) async fn history(&self, automation: &AutomationId) -> Vec<(i64, String)> {
        let line = |occurrence: &Occurrence| {
            let minute = (occurrence.at.0 - entracte_tests::runtime_fixture::NOON.0) / 60_000_000;
            let became = match &occurrence.outcome {
                OccurrenceOutcome::Run(_) => "ran".to_owned(),
                OccurrenceOutcome::Skipped(why) => why.word().to_owned(),
            };
            (minute, became)
        };
        self.world.history(automation).await.iter().map(line).collect()
    }
}

pub(crate) fn voice() -> ModelSelection {
    ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Envelope }
}

/// This many minutes after the clock's start.
pub(crate) fn minute(number: i64) -> Timestamp {
    entracte_tests::runtime_fixture::NOON.plus(Millis::minutes(number))
}

pub(crate) fn lines(one: fn() -> FakeModelLine, count: usize) -> Vec<FakeModelLine> {
    (0..count).map(|_| one()).collect()
}
