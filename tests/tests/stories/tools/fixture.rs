//! The real application on a memory store, a model of one wire dialect, and a recording executor.

use std::sync::Arc;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_application::commands::FindCommandsExecutor;
use entracte_application::mail::{ChangeSettingsRequest, Mail, MailAnswer, MailRequest};
use entracte_application::ports::{CommandExecutor, PromptTurn, ResourceFilter, UserTurnPart};
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalSelection, ApprovalView, DecideApprovals, NewChat, ReadApprovals, StartChat,
    UseCaseError,
};
use entracte_domain::id::SessionId;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::{ActionConfigVersion, RecordingExecutor};
use entracte_tests::fakes::strict_model::StrictModel;
use entracte_tests::runtime_fixture::{
    RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, services,
};
use entracte_tests::strict::StrictApi;
use serde_json::Value;

/// A running process with a chat of native tools.
pub(crate) struct NativeToolFixture {
    pub(crate) model: Arc<StrictModel>,
    pub(crate) outside: Arc<RecordingExecutor>,
    pub(crate) life: RuntimeFixture,
    pub(crate) chat: SessionId,
    parts: ServicesFixtureParts,
}

impl NativeToolFixture {
    pub(crate) async fn new(api: StrictApi) -> Self {
        Self::with(api, RuleBook::default(), Dialect::Tools).await
    }

    pub(crate) async fn with(api: StrictApi, rules: RuleBook, dialect: Dialect) -> Self {
        Self::with_servers(api, rules, dialect, Vec::new()).await
    }

    /// With the commands of `servers` beside those of the fixture.
    pub(crate) async fn with_servers(
        api: StrictApi,
        rules: RuleBook,
        dialect: Dialect,
        servers: Vec<Arc<dyn CommandExecutor>>,
    ) -> Self {
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
        let model = Arc::new(StrictModel::new(api));
        let outside = Arc::new(RecordingExecutor::default());
        let resources = ResourcesExecutor::new(stores.resources.clone());
        let mut executors: Vec<Arc<dyn CommandExecutor>> = vec![outside.clone(), Arc::new(resources)];
        executors.extend(servers);
        if let Some(finder) = FindCommandsExecutor::for_executors(&executors) {
            executors.push(Arc::new(finder));
        }
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules,
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        let chat = start_chat(&life, dialect).await;
        Self { model, outside, life, chat, parts }
    }

    /// Begins another chat, which is the one from now on.
    pub(crate) async fn begin_chat(&mut self, dialect: Dialect) {
        self.chat = start_chat(&self.life, dialect).await;
    }

    /// Ends the process and starts another one under another configuration.
    pub(crate) async fn configured(self, configured: ActionConfigVersion) -> Self {
        let Self { model, outside, life, chat, mut parts } = self;
        drop(life);
        let outside = Arc::new(outside.with_config(configured));
        let resources = ResourcesExecutor::new(parts.stores.resources.clone());
        parts.executors = vec![outside.clone(), Arc::new(resources)];
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        Self { model, outside, life, chat, parts }
    }

    /// The open cards.
    pub(crate) async fn cards(&self) -> Vec<ApprovalView> {
        let services = &self.life.services;
        let (store, log, rows) = (services.store.clone(), services.log.clone(), services.rows.clone());
        let read = ReadApprovals::new(store, log, rows, services.catalog.get(), services.clock.clone());
        read.run(&self.life.workspace, &self.chat).await.unwrap()
    }

    /// A person decides on a card; waits until the chat rests.
    pub(crate) async fn decides(
        &self,
        card: &ApprovalView,
        choice: &ApprovalChoice,
    ) -> Result<(), UseCaseError> {
        let (workspace, chat) = (&self.life.workspace, &self.chat);
        let after = self.life.follow().last_entry_number(workspace, chat).await.unwrap();
        let decide = DecideApprovals::new(self.life.mail_sender.clone(), self.life.services.store.clone());
        decide
            .run_for_selection(
                workspace,
                chat,
                "ann".into(),
                &[ApprovalSelection::from_approval(card)],
                choice,
            )
            .await?;
        self.life.follow().run_until_idle(workspace, chat, after).await.unwrap();
        self.life.verify(chat).await;
        Ok(())
    }

    /// Names of the zones of the workspace.
    pub(crate) async fn zones(&self) -> Vec<String> {
        let filter = ResourceFilter { kind: "zone".into(), ..ResourceFilter::default() };
        let zones = self.life.services.rows.resources(&self.life.workspace, &filter).await.unwrap();
        zones.into_iter().map(|zone| zone.name).collect()
    }

    /// A person sends a message; waits until the chat rests.
    pub(crate) async fn turn(&self, text: &str) {
        self.life.send_and_wait(&self.chat, text).await;
        self.life.verify(&self.chat).await;
        assert_eq!(self.model.refusals(), [] as [String; 0]);
    }

    /// Command and state of each call.
    pub(crate) async fn states(&self) -> Vec<String> {
        self.life.calls(&self.chat).await.into_iter().map(|(_, state)| state).collect()
    }

    /// Changes settings of the workspace.
    pub(crate) async fn set(&self, changes: &[(&str, &str)]) {
        let change = |(name, value): &(&str, &str)| ((*name).to_owned(), Some((*value).to_owned()));
        let changes = changes.iter().map(change).collect();
        let request = MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes });
        let answer =
            self.life.mail_sender.post(&self.life.workspace, Mail::from_request(request)).await.unwrap();
        assert!(!matches!(answer, MailAnswer::Refused { .. }), "{answer:?}");
    }

    /// The bodies of all requests.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.model.requests().into_iter().map(|(_, body)| body).collect()
    }

    /// The results at the beginning of the last user turn: call, content, whether it is an error.
    pub(crate) fn last_results(&self) -> Vec<(String, String, bool)> {
        let (request, _) = self.model.requests().pop().unwrap();
        let turn = request.turns.last().unwrap().clone();
        let PromptTurn::User(parts) = turn.as_ref() else { return Vec::new() };
        let results = parts.iter().filter_map(|part| match part {
            UserTurnPart::Result { provider_call_id, name: _, content, is_error, files: _ } => {
                Some((provider_call_id.clone(), content.clone(), *is_error))
            }
            UserTurnPart::Text(_) | UserTurnPart::System(_) | UserTurnPart::File(_) => None,
        });
        results.collect()
    }
}

async fn start_chat(life: &RuntimeFixture, dialect: Dialect) -> SessionId {
    let chat = NewChat {
        name: "test".into(),
        provider: "fake".into(),
        model: "fake-1".into(),
        dialect,
        mode: None,
        require_validation: false,
        restriction: Restriction::Open,
    };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    start.run(&life.workspace, chat).await.unwrap().session
}
